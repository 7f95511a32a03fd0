// Package gate asks through a small interface; its handlers are elsewhere.
package gate

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type Asker interface {
	Elicit(ctx context.Context, params *mcp.ElicitParams) (*mcp.ElicitResult, error)
}

type Gate struct{ House string }

func (g *Gate) Given(ctx context.Context, who Asker, text string) (bool, error) {
	return g.ask(ctx, who, text)
}

func (g *Gate) ask(ctx context.Context, who Asker, text string) (bool, error) {
	res, err := who.Elicit(ctx, &mcp.ElicitParams{Message: text}) // want `MRTR001 who\.Elicit .*; its handlers are in other packages$`
	if err != nil {
		return false, err
	}
	return res.Action == "accept", nil
}

// Answer asks in the background, and waits.
func Answer(ctx context.Context, s *mcp.ServerSession) error {
	done := make(chan error, 1)
	go func() {
		_, err := s.ListRoots(ctx, nil) // want `MRTR003 .*; its handlers are in other packages$` `MRTR014 `
		done <- err
	}()
	return <-done
}

// Reviewer is implemented by Human here and by others elsewhere.
type Reviewer interface {
	Review(ctx context.Context) error
}

type Human struct{ Session *mcp.ServerSession }

func (h Human) Review(ctx context.Context) error {
	_, err := h.Session.CreateMessage(ctx, nil) // want `MRTR002 .*; its handlers are in other packages$`
	return err
}

// Handle has the signature of a handler: another package registers it.
func Handle(ctx context.Context, req *mcp.CallToolRequest, in struct{}) (*mcp.CallToolResult, any, error) {
	_, err := req.Session.Elicit(ctx, nil) // want `MRTR001 .*; asked by a tool \(Handle\)$`
	return nil, nil, err
}
