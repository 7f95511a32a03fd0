// Command mcpgoclient is a client: nothing is reported here.
package main

import (
	"context"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
)

type roots struct{}

func (roots) ListRoots(ctx context.Context, request mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	return &mcp.ListRootsResult{}, nil
}

func main() {
	ctx := context.Background()
	c := new(client.Client)
	if err := c.Start(ctx); err != nil {
		return
	}
	var h client.RootsHandler = roots{}
	_, _ = h.ListRoots(ctx, mcp.ListRootsRequest{})
	_, _ = c.CallTool(ctx, mcp.CallToolRequest{})
}
