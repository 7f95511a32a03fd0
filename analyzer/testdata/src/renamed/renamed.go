// Package renamed imports the SDK under another name.
package renamed

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func Register(s *sdk.Server) {
	sdk.AddTool(s, &sdk.Tool{Name: "renamed"}, handle)
}

func handle(ctx context.Context, req *sdk.CallToolRequest, in struct{}) (*sdk.CallToolResult, any, error) {
	_, err := req.Session.Elicit(ctx, nil) // want `MRTR001 .*; asked by tool renamed \(handle\)$`
	return nil, nil, err
}
