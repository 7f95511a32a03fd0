// Package mrtr stands in for our own binding in the analyzer's tests: its asks
// are migrated.
package mrtr

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type Elicitor interface {
	Elicit(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error)
}

func Elicit(ctx context.Context, s Elicitor, key string, p *mcp.ElicitParams, facts ...any) (*mcp.ElicitResult, error) {
	//lint:ignore MRTR001 the call for an older peer
	return s.Elicit(ctx, p)
}

func Pending(ctx context.Context) bool { return false }

func InputRequired(ctx context.Context) *mcp.CallToolResult { return nil }

func Once[T any](ctx context.Context, key string, f func(context.Context) (T, error)) (T, error) {
	return f(ctx)
}

type BlockingSession struct{}

func Blocking(s *mcp.ServerSession, key string) *BlockingSession { return nil }

func (*BlockingSession) Elicit(ctx context.Context, p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	return nil, nil
}
