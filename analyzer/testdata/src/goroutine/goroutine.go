// Package goroutine asks on goroutines of its own.
package goroutine

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func Register(s *mcp.Server) {
	s.AddTool(&mcp.Tool{Name: "channel"}, channel)
	s.AddTool(&mcp.Tool{Name: "group"}, group)
	s.AddTool(&mcp.Tool{Name: "waitgo"}, waitGo)
	s.AddTool(&mcp.Tool{Name: "plain"}, plain)
}

func channel(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	answers := make(chan *mcp.ElicitResult, 1)
	go func() {
		defer close(answers)
		res, err := req.Session.Elicit(ctx, nil) // want `MRTR001 .*; asked by tool channel` `MRTR014 .* on a goroutine of its own \(goroutine\.go:20\)`
		if err == nil {
			answers <- res
		}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-answers:
		return nil, nil
	}
}

func group(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var wg sync.WaitGroup
	wg.Add(1)
	go ask(ctx, req.Session, &wg)
	wg.Wait()
	return nil, nil
}

func ask(ctx context.Context, s *mcp.ServerSession, wg *sync.WaitGroup) {
	defer wg.Done()
	_, _ = s.Elicit(ctx, nil) // want `MRTR001 .*; asked by tool group \(group → ask\)$` `MRTR014 `
}

func waitGo(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var wg sync.WaitGroup
	wg.Go(func() {
		_, _ = req.Session.Elicit(ctx, nil) // want `MRTR001 .*; asked by tool waitgo` `MRTR014 `
	})
	wg.Wait()
	return nil, nil
}

// plain has a goroutine that does not ask.
func plain(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	done := make(chan struct{})
	go close(done)
	<-done
	_, err := req.Session.Elicit(ctx, nil) // want `MRTR001 .*; asked by tool plain \(plain\)$`
	return nil, err
}
