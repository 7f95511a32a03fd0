package tools

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type accessInput struct {
	Account string `json:"account" jsonschema:"the account's id"`
	Machine string `json:"machine" jsonschema:"the machine's id"`
}

// grantAccess lets an employee onto a machine if somebody approves. If nobody
// can be asked, the request waits for the morning round instead.
func (d *desk) grantAccess(ctx context.Context, req *mcp.CallToolRequest, in accessInput) (*mcp.CallToolResult, any, error) {
	account, err := d.records.Account(in.Account)
	if err != nil {
		return nil, nil, err
	}
	res, err := req.Session.Elicit(ctx, &mcp.ElicitParams{
		Message:         fmt.Sprintf("Let %s onto %s?", account.Name, in.Machine),
		RequestedSchema: yesNo("Let in"),
	})
	if err != nil {
		slog.Info("nobody to ask, queueing the request", "account", account.ID, "error", err)
		if err := d.records.QueueAccess(account.ID, in.Machine); err != nil {
			return nil, nil, err
		}
		return say("Nobody can be asked now. The request waits for the morning round."), nil, nil
	}
	if res.Action != "accept" || res.Content["confirm"] != true {
		return say("%s stays out.", account.Name), nil, nil
	}
	if err := d.records.GrantAccess(account.ID, in.Machine); err != nil {
		return nil, nil, err
	}
	return say("%s may use %s.", account.Name, in.Machine), nil, nil
}
