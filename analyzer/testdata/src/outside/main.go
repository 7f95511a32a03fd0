// Command outside asks before anybody has called.
package main

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wrappinguser"
)

func main() {
	var s *mcp.ServerSession
	login(context.Background(), s)
	server := mcp.NewServer(nil, nil)
	server.AddTool(&mcp.Tool{Name: "ok"}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		_, err := req.Session.Elicit(ctx, nil) // want `MRTR001 .*; asked by tool ok \(main\.func1\)$`
		return nil, err
	})
	wrappinguser.Register(server)
}

func login(ctx context.Context, s *mcp.ServerSession) {
	_, _ = s.Elicit(ctx, nil) // want `MRTR005 .* it is sent outside any request, from main$`
}
