// Package framework registers handlers for other packages.
package framework

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Server wraps the SDK's.
type Server struct{ inner *mcp.Server }

// Add registers what it is given.
func Add[In, Out any](s *mcp.Server, t *mcp.Tool, h mcp.ToolHandlerFor[In, Out]) { // want Add:`registers a handler`
	mcp.AddTool(s, t, h)
}

// Simple has handlers of its own shape, and calls them from the SDK's.
func (s *Server) Simple(name string, h func(ctx context.Context, session *mcp.ServerSession) (string, error)) { // want Simple:`registers a handler`
	s.inner.AddTool(&mcp.Tool{Name: name}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		text, err := call(ctx, req.Session, h)
		if err != nil {
			return nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
	})
}

func call(ctx context.Context, session *mcp.ServerSession, h func(context.Context, *mcp.ServerSession) (string, error)) (string, error) {
	return h(ctx, session)
}

// Each registers nothing.
func Each(list []string, f func(string) error) error {
	for _, s := range list {
		if err := f(s); err != nil {
			return err
		}
	}
	return nil
}
