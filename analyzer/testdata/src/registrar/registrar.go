// Package registrar hands its handlers to another package's decorator.
package registrar

import (
	"context"

	"thirdparty"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func Register(s *mcp.Server) {
	mcp.AddTool(s, &mcp.Tool{Name: "logged"}, thirdparty.Logged(logged))
}

func logged(ctx context.Context, req *mcp.CallToolRequest, in struct{}) (*mcp.CallToolResult, any, error) {
	return nil, nil, thirdparty.Run(func() error {
		_, err := req.Session.Elicit(ctx, nil) // want `MRTR001 .*; asked by tool logged \(logged → logged\.func1\)$`
		return err
	})
}

// Retry asks in what it hands on.
func Retry(ctx context.Context, s *mcp.ServerSession) error {
	return thirdparty.Run(func() error {
		_, err := s.Elicit(ctx, nil) // want `MRTR001 .*; its handlers are in other packages$`
		return err
	})
}
