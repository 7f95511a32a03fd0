package mcpgo

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// A BlockingServer asks like *server.MCPServer, with the same signatures, and
// needs no pending check: an ask without an answer ends the handler's goroutine,
// deferred functions included, and the round with the question. So does an ask
// after a fault. On a goroutine that the handler started, which must not be
// ended under those who wait for it, such an ask returns [ErrInputRequired] or the
// fault instead, and the context is cancelled.
//
// Without a continuation in the context its methods are those of the server.
type BlockingServer struct {
	server *server.MCPServer
	key    string
}

// Blocking returns the server s for asks under key. Several asks through one
// key are told apart by the order in which they come.
func Blocking(s *server.MCPServer, key string) *BlockingServer {
	return &BlockingServer{server: s, key: key}
}

// RequestElicitation asks the user, see [RequestElicitation].
func (b *BlockingServer) RequestElicitation(ctx context.Context, req mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	c := continuation(ctx)
	if c == nil {
		return elicitLive(ctx, b.server, req)
	}
	return elicit(ctx, c.AskBlocking, b.key, req.Params, nil)
}

// RequestURLElicitation asks the user to visit a page, see
// [RequestURLElicitation].
func (b *BlockingServer) RequestURLElicitation(ctx context.Context, session server.ClientSession, elicitationID, url, message string) (*mcp.ElicitationResult, error) {
	c := continuation(ctx)
	if c == nil || !same(session, ctx.Value(sessionKey{})) {
		return elicitURLLive(ctx, b.server, session, elicitationID, url, message)
	}
	return elicit(ctx, c.AskBlocking, b.key, urlParams(elicitationID, url, message), nil)
}

// RequestSampling asks the model, see [RequestSampling].
func (b *BlockingServer) RequestSampling(ctx context.Context, req mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	c := continuation(ctx)
	if c == nil {
		//lint:ignore MRTR002 no continuation: the SDK refuses by itself where it must
		return b.server.RequestSampling(ctx, req)
	}
	return sample(ctx, c.AskBlocking, b.key, req, nil)
}

// RequestRoots asks for the roots, see [RequestRoots].
func (b *BlockingServer) RequestRoots(ctx context.Context, req mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	c := continuation(ctx)
	if c == nil {
		//lint:ignore MRTR003 no continuation: the SDK refuses by itself where it must
		return b.server.RequestRoots(ctx, req)
	}
	return roots(ctx, c.AskBlocking, b.key, req, nil)
}
