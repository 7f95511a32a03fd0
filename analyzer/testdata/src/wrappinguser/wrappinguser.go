// Package wrappinguser registers handlers that another package decorates.
package wrappinguser

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wrapping"
)

type input struct{}

// Register decorates its handlers before any request, which asks nothing.
func Register(server *mcp.Server) {
	mcp.AddTool(server, &mcp.Tool{Name: "wrapped"}, logged("wrapped", wrapped))
	mcp.AddTool(server, &mcp.Tool{Name: "quiet"}, logged("quiet", quiet))
}

func logged[In, Out any](name string, h mcp.ToolHandlerFor[In, Out]) mcp.ToolHandlerFor[In, Out] {
	if name == "" {
		return h
	}
	return wrapping.Logged(name, h)
}

func wrapped(ctx context.Context, req *mcp.CallToolRequest, in input) (*mcp.CallToolResult, input, error) {
	_, err := req.Session.Elicit(ctx, nil) // want `MRTR001 .*; asked by tool wrapped \(wrapped\)$`
	return nil, input{}, err
}

func quiet(ctx context.Context, req *mcp.CallToolRequest, in input) (*mcp.CallToolResult, input, error) {
	return nil, input{}, nil
}
