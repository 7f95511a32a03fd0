// Package dotted imports the SDK without a name.
package dotted

import (
	"context"

	. "github.com/modelcontextprotocol/go-sdk/mcp"
)

func Register(s *Server) {
	AddTool(s, &Tool{Name: "dotted"}, handle)
}

func handle(ctx context.Context, req *CallToolRequest, in struct{}) (*CallToolResult, any, error) {
	_, err := req.Session.Elicit(ctx, nil) // want `MRTR001 .*; asked by tool dotted \(handle\)$`
	return nil, nil, err
}
