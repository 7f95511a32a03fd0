package tools

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type workspacesOutput struct {
	Folders []string `json:"folders"`
}

// registerWorkspaces notes which folders the client works in.
func (d *desk) registerWorkspaces(ctx context.Context, req *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, workspacesOutput, error) {
	out := workspacesOutput{Folders: []string{}}
	roots, err := req.Session.ListRoots(ctx, &mcp.ListRootsParams{})
	if err != nil {
		return nil, out, fmt.Errorf("listing your folders: %w", err)
	}
	for _, root := range roots.Roots {
		// Anything but a folder on disk is of no use here.
		if strings.HasPrefix(root.URI, "file://") {
			out.Folders = append(out.Folders, root.URI)
		}
	}
	if len(out.Folders) == 0 {
		return say("You have no folder open."), out, nil
	}
	if err := d.records.RegisterWorkspaces(out.Folders); err != nil {
		return nil, out, err
	}
	return nil, out, nil
}
