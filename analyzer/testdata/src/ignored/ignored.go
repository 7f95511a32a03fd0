// Package ignored suppresses findings.
package ignored

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func Above(ctx context.Context, s *mcp.ServerSession) {
	//lint:ignore MRTR001 only older peers get here
	_, _ = s.Elicit(ctx, nil)
}

func Trailing(ctx context.Context, s *mcp.ServerSession) {
	_, _ = s.Elicit(ctx, nil) //lint:ignore MRTR001,MRTR002 only older peers get here
}

func Separated(ctx context.Context, s *mcp.ServerSession) {
	//lint:ignore MRTR001 only older peers get here

	// Another comment between.
	_, _ = s.Elicit(ctx, nil)
}

func Golangci(ctx context.Context, s *mcp.ServerSession) {
	_, _ = s.Elicit(ctx, nil) //nolint:mrtr // only older peers get here
}

func OtherCode(ctx context.Context, s *mcp.ServerSession) {
	//lint:ignore MRTR003 wrong code // want `MRTR000 this directive suppresses nothing: MRTR003 does not occur here`
	_, _ = s.Elicit(ctx, nil) // want `MRTR001 `
}

func OtherLinter(ctx context.Context, s *mcp.ServerSession) {
	//lint:ignore SA1019 deprecated
	_, _ = s.Elicit(ctx, nil) // want `MRTR001 `
}

func TooFar(ctx context.Context, s *mcp.ServerSession) {
	//lint:ignore MRTR001 covers the next line only // want `MRTR000 `
	_ = s.ID()
	_, _ = s.Elicit(ctx, nil) // want `MRTR001 `
}

// Calls needs no finding: what is suppressed is handed to no caller.
func Calls(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	Above(ctx, req.Session)
	return nil, nil
}
