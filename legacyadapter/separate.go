package legacyadapter

//lint:file-ignore SA1019 Logging is deprecated, and relayed as long as it is served.

import (
	"context"
	"encoding/json"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// separate returns req on a session of its own, which knows nothing but what
// the request itself says (rule 22). What is notified on that session leaves on
// the real one; nothing can be asked on it. done ends it.
func (g *gate) separate(ctx context.Context, req mcp.Request, real *mcp.ServerSession) (own mcp.Request, done func(), err error) {
	options := new(mcp.ServerSessionOptions)
	if r, ok := req.(interface {
		ClientCapabilities() *mcp.ClientCapabilities
		ClientInfo() *mcp.Implementation
	}); ok {
		options.State = &mcp.ServerSessionState{InitializeParams: &mcp.InitializeParams{
			ProtocolVersion: protocol.Revision20260728,
			Capabilities:    r.ClientCapabilities(),
			ClientInfo:      r.ClientInfo(),
		}}
	}
	relay := &relay{real: real, replies: make(chan *jsonrpc.Response, 1), closed: make(chan struct{})}
	session, err := g.server.Connect(ctx, relay, options)
	if err != nil {
		return nil, nil, &jsonrpc.Error{Code: protocol.CodeInternal, Message: "the request could not be served"}
	}
	return onSession(req, session), func() { session.Close() }, nil
}

// onSession returns req for another session, req itself where it is of a kind
// that is never served apart.
func onSession(req mcp.Request, session *mcp.ServerSession) mcp.Request {
	switch p := req.GetParams().(type) {
	case *mcp.CallToolParamsRaw:
		return &mcp.CallToolRequest{Session: session, Params: p, Extra: req.GetExtra()}
	case *mcp.GetPromptParams:
		return &mcp.GetPromptRequest{Session: session, Params: p, Extra: req.GetExtra()}
	case *mcp.ReadResourceParams:
		return &mcp.ReadResourceRequest{Session: session, Params: p, Extra: req.GetExtra()}
	case *mcp.DiscoverParams:
		return &mcp.ServerRequest[*mcp.DiscoverParams]{Session: session, Params: p, Extra: req.GetExtra()}
	}
	return req
}

// A relay is the transport of a session that serves one request. Nothing is
// read from it but the refusals of what the SDK asks there.
type relay struct {
	real    *mcp.ServerSession
	replies chan *jsonrpc.Response

	closing sync.Once
	closed  chan struct{}
}

// Connect implements [mcp.Transport].
func (r *relay) Connect(context.Context) (mcp.Connection, error) { return r, nil }

// SessionID implements [mcp.Connection].
func (r *relay) SessionID() string { return r.real.ID() }

// Close implements [mcp.Connection].
func (r *relay) Close() error {
	r.closing.Do(func() { close(r.closed) })
	return nil
}

// Read implements [mcp.Connection].
func (r *relay) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-r.closed:
		return nil, io.EOF
	case reply := <-r.replies:
		return reply, nil
	}
}

// Write implements [mcp.Connection]. Of what a session can send in the course
// of a modern request, progress and log messages remain (rule 39). A call can
// only be the SDK's keep-alive: it learns that there is nobody to ping.
func (r *relay) Write(ctx context.Context, msg jsonrpc.Message) error {
	req, ok := msg.(*jsonrpc.Request)
	if !ok {
		return nil
	}
	if req.IsCall() {
		refused := &jsonrpc.Response{ID: req.ID, Error: &jsonrpc.Error{
			Code:    protocol.CodeMethodNotFound,
			Message: "nothing can be asked in a 2026-07-28 request",
		}}
		select {
		case r.replies <- refused:
		case <-r.closed:
		}
		return nil
	}
	switch req.Method {
	case "notifications/progress":
		params := new(mcp.ProgressNotificationParams)
		if err := json.Unmarshal(req.Params, params); err != nil {
			return err
		}
		return r.real.NotifyProgress(ctx, params)
	case "notifications/message":
		params := new(mcp.LoggingMessageParams)
		if err := json.Unmarshal(req.Params, params); err != nil {
			return err
		}
		return r.real.Log(ctx, params)
	}
	return nil
}
