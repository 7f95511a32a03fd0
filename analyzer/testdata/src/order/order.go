// Package order asks in an order that is left to chance.
package order

import (
	"context"
	"maps"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func Register(s *mcp.Server) {
	s.AddTool(&mcp.Tool{Name: "map"}, overMap)
	s.AddTool(&mcp.Tool{Name: "keys"}, overKeys)
	s.AddTool(&mcp.Tool{Name: "sorted"}, sorted)
	s.AddTool(&mcp.Tool{Name: "select"}, selected)
	s.AddTool(&mcp.Tool{Name: "wait"}, waited)
}

var rooms = map[string]int{}

func ask(ctx context.Context, s *mcp.ServerSession, text string) error {
	_, err := s.Elicit(ctx, &mcp.ElicitParams{Message: text}) // want `MRTR001 `
	return err
}

func overMap(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	for room := range rooms {
		if err := ask(ctx, req.Session, room); err != nil { // want `MRTR013 ask asks within a range over a map \(order\.go:28\): the order of questions differs from round to round`
			return nil, err
		}
	}
	return nil, nil
}

func overKeys(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	for room := range maps.Keys(rooms) {
		if _, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: room}); err != nil { // want `MRTR001 ` `MRTR013 `
			return nil, err
		}
	}
	return nil, nil
}

func sorted(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	total := 0
	for _, n := range rooms {
		total += n
	}
	for _, room := range slices.Sorted(maps.Keys(rooms)) {
		if err := ask(ctx, req.Session, room); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

func selected(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	a, b := make(chan string), make(chan string)
	select {
	case room := <-a:
		return nil, ask(ctx, req.Session, room) // want `MRTR013 ask asks within a select \(order\.go:60\)`
	case <-b:
		return nil, nil
	}
}

// waited asks after a select.
func waited(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	a := make(chan string)
	select {
	case <-a:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return nil, ask(ctx, req.Session, "x")
}
