// Command registrarmain registers, and does not ask.
package main

import (
	"context"

	"registrar"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	s := mcp.NewServer(nil, nil)
	registrar.Register(s)
	s.AddTool(&mcp.Tool{Name: "retry"}, retry)
}

func retry(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return nil, registrar.Retry(ctx, req.Session) // want `MRTR001 registrar\.Retry sends elicitation/create \(registrar\.Retry → Retry\.func1\) .*; asked by tool retry \(retry\)$`
}
