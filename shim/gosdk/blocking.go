package gosdk

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A BlockingSession asks like *mcp.ServerSession, with the same signatures, and
// needs no pending check: an ask without an answer ends the handler's goroutine,
// deferred functions included, and the round with the question. So does an ask
// after a fault. On a goroutine that the handler started, which must not be
// ended under those who wait for it, such an ask returns [ErrInputRequired] or the
// fault instead, and the context is cancelled.
//
// Without a continuation in the context its methods are those of the session.
type BlockingSession struct {
	session *mcp.ServerSession
	key     string
}

// Blocking returns the session s for asks under key. Several asks through one
// key are told apart by what they say and the order in which they come. In a loop
// whose questions read the same and whose elements may change between rounds that
// is not enough: give the ask a context of [At] with the element as its identity,
// or an answer about one element may be taken for the next.
func Blocking(s *mcp.ServerSession, key string) *BlockingSession {
	return &BlockingSession{session: s, key: key}
}

// Elicit asks the user, see [Elicit].
func (b *BlockingSession) Elicit(ctx context.Context, p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	c := continuation(ctx, b.session)
	if c == nil {
		//lint:ignore MRTR001 no continuation: the session refuses by itself where it must
		return b.session.Elicit(ctx, p)
	}
	return elicit(ctx, c.AskBlocking, b.key, p, nil)
}

// CreateMessage asks the model, see [CreateMessage].
func (b *BlockingSession) CreateMessage(ctx context.Context, p *mcp.CreateMessageParams) (*mcp.CreateMessageResult, error) {
	c := continuation(ctx, b.session)
	if c == nil {
		//lint:ignore MRTR002 no continuation: the session refuses by itself where it must
		return b.session.CreateMessage(ctx, p)
	}
	return createMessage(ctx, c.AskBlocking, b.key, p, nil)
}

// CreateMessageWithTools asks the model, see [CreateMessageWithTools].
func (b *BlockingSession) CreateMessageWithTools(ctx context.Context, p *mcp.CreateMessageWithToolsParams) (*mcp.CreateMessageWithToolsResult, error) {
	c := continuation(ctx, b.session)
	if c == nil {
		//lint:ignore MRTR002 no continuation: the session refuses by itself where it must
		return b.session.CreateMessageWithTools(ctx, p)
	}
	return createMessageWithTools(ctx, c.AskBlocking, b.key, p, nil)
}

// ListRoots asks for the roots, see [ListRoots].
func (b *BlockingSession) ListRoots(ctx context.Context, p *mcp.ListRootsParams) (*mcp.ListRootsResult, error) {
	c := continuation(ctx, b.session)
	if c == nil {
		//lint:ignore MRTR003 no continuation: the session refuses by itself where it must
		return b.session.ListRoots(ctx, p)
	}
	return listRoots(ctx, c.AskBlocking, b.key, p, nil)
}
