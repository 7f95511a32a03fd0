// Package client stands in for mcp-go's client in the analyzer's tests: the
// other side, which answers.
package client

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
)

type RootsHandler interface {
	ListRoots(ctx context.Context, request mcp.ListRootsRequest) (*mcp.ListRootsResult, error)
}

type Client struct{ roots RootsHandler }

func (c *Client) Start(ctx context.Context) error { return nil }

func (c *Client) CallTool(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if _, err := c.roots.ListRoots(ctx, mcp.ListRootsRequest{}); err != nil {
		return nil, err
	}
	return nil, nil
}
