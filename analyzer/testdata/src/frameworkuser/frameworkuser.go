// Package frameworkuser has handlers that another package registers.
package frameworkuser

import (
	"context"

	"framework"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func Register(s *mcp.Server, fs *framework.Server) {
	framework.Add(s, &mcp.Tool{Name: "added"}, added)
	fs.Simple("simple", simple)
	fs.Simple("literal", func(ctx context.Context, session *mcp.ServerSession) (string, error) {
		_, err := session.Elicit(ctx, nil) // want `MRTR001 .*; asked by tool literal \(Register\.func1\)$`
		return "", err
	})
}

func added(ctx context.Context, req *mcp.CallToolRequest, in struct{}) (*mcp.CallToolResult, any, error) {
	_, err := req.Session.Elicit(ctx, nil) // want `MRTR001 .*; asked by tool added \(added\)$`
	return nil, nil, framework.Each(nil, func(string) error { return err })
}

func simple(ctx context.Context, session *mcp.ServerSession) (string, error) {
	_, err := session.Elicit(ctx, nil) // want `MRTR001 .*; asked by tool simple \(simple\)$`
	return "", err
}
