package tools

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type accountInput struct {
	Account string `json:"account" jsonschema:"the account's id"`
}

// suspendAccount locks an account with somebody's consent.
func (d *desk) suspendAccount(ctx context.Context, req *mcp.CallToolRequest, in accountInput) (*mcp.CallToolResult, any, error) {
	account, err := d.records.Account(in.Account)
	if err != nil {
		return nil, nil, err
	}
	given, err := d.gate.Given(ctx, req.Session, "Suspend the account of "+account.Name)
	if err != nil {
		return nil, nil, err
	}
	if !given {
		return say("%s can still log in.", account.Name), nil, nil
	}
	if err := d.records.SuspendAccount(account.ID); err != nil {
		return nil, nil, err
	}
	return say("%s can no longer log in.", account.Name), nil, nil
}
