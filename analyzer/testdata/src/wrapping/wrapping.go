// Package wrapping decorates handlers of other packages.
package wrapping

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Logged returns a handler around another one.
func Logged[In, Out any](name string, h mcp.ToolHandlerFor[In, Out]) mcp.ToolHandlerFor[In, Out] {
	return func(ctx context.Context, req *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
		println(name)
		return h(ctx, req, in)
	}
}
