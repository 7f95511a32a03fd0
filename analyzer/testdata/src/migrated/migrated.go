// Package migrated is rewritten: nothing is reported but what asks the session.
package migrated

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	mrtr "github.com/mrtr-migrate/mrtr-migrate/shim/gosdk"
)

func Register(s *mcp.Server) {
	s.AddTool(&mcp.Tool{Name: "explicit"}, explicit)
	s.AddTool(&mcp.Tool{Name: "blocking"}, blocking)
}

func explicit(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	_, err := mrtr.Elicit(ctx, req.Session, "ok", &mcp.ElicitParams{})
	if mrtr.Pending(ctx) {
		return mrtr.InputRequired(ctx), nil
	}
	return nil, err
}

func blocking(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	_, err := mrtr.Blocking(req.Session, "ok").Elicit(ctx, &mcp.ElicitParams{})
	return nil, err
}

// live asks the session, behind an interface of ours.
func live(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var s mrtr.Elicitor = req.Session
	_, err := s.Elicit(ctx, &mcp.ElicitParams{}) // want `MRTR001 `
	return nil, err
}
