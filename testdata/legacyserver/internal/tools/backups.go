package tools

import (
	"context"
	"errors"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mrtr-migrate/mrtr-migrate/testdata/legacyserver/internal/store"
)

type backupsInput struct {
	Machine string `json:"machine" jsonschema:"the machine's id"`
}

type backupsOutput struct {
	Deleted []string `json:"deleted"`
}

// pruneBackups goes through the expired backups of a machine and deletes those
// that somebody agrees to. Closing the dialogue stops it.
func (d *desk) pruneBackups(ctx context.Context, req *mcp.CallToolRequest, in backupsInput) (*mcp.CallToolResult, backupsOutput, error) {
	out := backupsOutput{Deleted: []string{}}
	expired, err := d.records.ExpiredBackups(in.Machine)
	if err != nil {
		return nil, out, err
	}

	var doomed []store.Backup
	for _, backup := range expired {
		res, err := req.Session.Elicit(ctx, &mcp.ElicitParams{
			Message:         "Delete the next expired backup?",
			RequestedSchema: yesNo("Delete"),
		})
		if err != nil {
			return nil, out, err
		}
		if res.Action == "cancel" {
			return say("Stopped, nothing deleted."), out, nil
		}
		if res.Action == "accept" && res.Content["confirm"] == true {
			doomed = append(doomed, backup)
		}
	}

	// Only now, so that stopping half way deletes nothing.
	for _, backup := range doomed {
		err := d.records.DeleteBackup(backup.ID)
		if errors.Is(err, store.ErrNotFound) {
			slog.Info("backup is gone already", "backup", backup.ID)
			continue
		}
		if err != nil {
			return nil, out, err
		}
		out.Deleted = append(out.Deleted, backup.ID)
	}
	return nil, out, nil
}
