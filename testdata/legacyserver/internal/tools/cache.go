package tools

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type cacheInput struct {
	Region string `json:"region" jsonschema:"the region whose cache to empty"`
}

// flushCache empties the cache of a region.
func (d *desk) flushCache(ctx context.Context, req *mcp.CallToolRequest, in cacheInput) (*mcp.CallToolResult, any, error) {
	res, err := req.Session.Elicit(ctx, &mcp.ElicitParams{
		Message:         fmt.Sprintf("Flush the cache in %s? The shop will be slow for a while.", in.Region),
		RequestedSchema: yesNo("Flush"),
	})
	if err != nil {
		// Some clients cannot ask. The cache fills up again by itself, so go on.
		slog.Warn("flushing without confirmation", "region", in.Region, "error", err)
	} else if res.Action != "accept" || res.Content["confirm"] != true {
		return say("The cache in %s stays.", in.Region), nil, nil
	}
	if err := d.records.FlushCache(in.Region); err != nil {
		return nil, nil, err
	}
	return say("The cache in %s is empty.", in.Region), nil, nil
}
