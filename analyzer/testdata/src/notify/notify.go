// Package notify asks where no result can carry a question.
package notify

import (
	"context"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type watcher struct{ roots []string }

func (w *watcher) initialized(ctx context.Context, req *mcp.InitializedRequest) {
	w.load(ctx, req.Session)
}

func (w *watcher) changed(ctx context.Context, req *mcp.RootsListChangedRequest) {
	_, _ = req.Session.ListRoots(ctx, nil) // want `MRTR005 .* which has no MRTR equivalent here: it is sent while serving notifications/roots/list_changed,`
}

func (w *watcher) load(ctx context.Context, s *mcp.ServerSession) {
	_, _ = s.ListRoots(ctx, nil) // want `MRTR005 .* sent while serving notifications/initialized,`
}

func complete(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	_, err := req.Session.Elicit(ctx, nil) // want `MRTR005 .* sent while serving completion/complete,`
	return nil, err
}

func NewServer() *mcp.Server {
	w := new(watcher)
	opts := &mcp.ServerOptions{
		InitializedHandler: w.initialized,
		CompletionHandler:  complete,
	}
	opts.RootsListChangedHandler = w.changed
	s := mcp.NewServer(nil, opts)
	s.AddTool(&mcp.Tool{Name: "both"}, both)
	s.AddTool(&mcp.Tool{Name: "forget"}, forget)
	s.AddTool(&mcp.Tool{Name: "later"}, later)
	return s
}

// refresh is reached by a tool and by a notification.
func refresh(ctx context.Context, s *mcp.ServerSession) {
	_, _ = s.ListRoots(ctx, nil) // want `MRTR003 .*; asked by tool both \(both → refresh\)$` `MRTR005 .* on one of its ways here has no MRTR equivalent: its goroutine may outlive`
}

func both(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	refresh(ctx, req.Session)
	return nil, nil
}

func forget(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	go refresh(ctx, req.Session)
	return nil, nil
}

func later(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	time.AfterFunc(time.Second, func() {
		_, _ = req.Session.Elicit(ctx, nil) // want `MRTR005 .*its goroutine may outlive the request`
	})
	return nil, nil
}
