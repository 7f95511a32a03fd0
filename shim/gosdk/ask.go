package gosdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/mrtr-migrate/mrtr-migrate/shim"
	"github.com/mrtr-migrate/mrtr-migrate/shim/internal/binding"
)

// The four interfaces are what the asks need of a session. *mcp.ServerSession
// satisfies them, and so does a test's fake.
type (
	// An Elicitor asks the client's user.
	Elicitor interface {
		Elicit(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error)
	}
	// A Sampler asks the client's model.
	Sampler interface {
		CreateMessage(context.Context, *mcp.CreateMessageParams) (*mcp.CreateMessageResult, error)
	}
	// A ToolSampler asks the client's model and lets it use tools.
	ToolSampler interface {
		CreateMessageWithTools(context.Context, *mcp.CreateMessageWithToolsParams) (*mcp.CreateMessageWithToolsResult, error)
	}
	// A RootsLister asks for the client's roots.
	RootsLister interface {
		ListRoots(context.Context, *mcp.ListRootsParams) (*mcp.ListRootsResult, error)
	}
)

// ErrInputRequired is what an ask returns whose answer has not come yet. Check
// [Pending] rather than the error: wrapping it or dropping it changes nothing.
var ErrInputRequired = shim.ErrInputRequired

// Elicit asks the user, like the method of the session. The key names the place
// in the handler; facts decide what the answer is for, see [shim.Ask].
//
// An accepted answer has been checked against the requested schema and has its
// defaults, as before. See [shim.Continuation.Ask] for the errors.
func Elicit(ctx context.Context, s Elicitor, key string, p *mcp.ElicitParams, facts ...any) (*mcp.ElicitResult, error) {
	c := continuation(ctx, s)
	if c == nil {
		//lint:ignore MRTR001 no continuation: the session refuses by itself where it must
		return s.Elicit(ctx, p)
	}
	return elicit(ctx, c.Ask, key, p, facts)
}

// CreateMessage asks the model, like the method of the session: an answer of more
// than one content block is an error.
func CreateMessage(ctx context.Context, s Sampler, key string, p *mcp.CreateMessageParams, facts ...any) (*mcp.CreateMessageResult, error) {
	c := continuation(ctx, s)
	if c == nil {
		//lint:ignore MRTR002 no continuation: the session refuses by itself where it must
		return s.CreateMessage(ctx, p)
	}
	return createMessage(ctx, c.Ask, key, p, facts)
}

// CreateMessageWithTools asks the model, like the method of the session.
func CreateMessageWithTools(ctx context.Context, s ToolSampler, key string, p *mcp.CreateMessageWithToolsParams, facts ...any) (*mcp.CreateMessageWithToolsResult, error) {
	c := continuation(ctx, s)
	if c == nil {
		//lint:ignore MRTR002 no continuation: the session refuses by itself where it must
		return s.CreateMessageWithTools(ctx, p)
	}
	return createMessageWithTools(ctx, c.Ask, key, p, facts)
}

// ListRoots asks for the roots, like the method of the session.
func ListRoots(ctx context.Context, s RootsLister, key string, p *mcp.ListRootsParams, facts ...any) (*mcp.ListRootsResult, error) {
	c := continuation(ctx, s)
	if c == nil {
		//lint:ignore MRTR003 no continuation: the session refuses by itself where it must
		return s.ListRoots(ctx, p)
	}
	return listRoots(ctx, c.Ask, key, p, facts)
}

// Key returns a key for an ask or an effect in a loop, see [shim.Key].
func Key(name string, identity ...any) string { return shim.Key(name, identity...) }

// At returns a context for the call of a helper that asks, see [shim.At].
func At(ctx context.Context, name string, identity ...any) context.Context {
	return shim.At(ctx, name, identity...)
}

// Once runs an effect that comes before an ask once per operation, see
// [shim.Once].
func Once[T any](ctx context.Context, key string, f func(context.Context) (T, error)) (T, error) {
	return shim.Once(ctx, key, f)
}

// An asker is one of the two ways to ask: Ask or AskBlocking of a continuation.
type asker = binding.Asker

func elicit(ctx context.Context, ask asker, key string, p *mcp.ElicitParams, facts []any) (*mcp.ElicitResult, error) {
	if p == nil {
		return nil, errors.New("invalid params: params cannot be nil")
	}
	return put[mcp.ElicitResult](ctx, ask, shim.Elicitation, key, p, facts)
}

func createMessage(ctx context.Context, ask asker, key string, p *mcp.CreateMessageParams, facts []any) (*mcp.CreateMessageResult, error) {
	if p == nil {
		p = new(mcp.CreateMessageParams)
	}
	// The answer may hold one block or an array, whatever was asked, so it is
	// read as the general form and narrowed as the session's method does it.
	many, err := put[mcp.CreateMessageWithToolsResult](ctx, ask, shim.Sampling, key, p, facts)
	if err != nil {
		return nil, err
	}
	if len(many.Content) > 1 {
		return nil, fmt.Errorf("CreateMessage result has %d content blocks; use CreateMessageWithTools for multiple content", len(many.Content))
	}
	res := &mcp.CreateMessageResult{Meta: many.Meta, Model: many.Model, Role: many.Role, StopReason: many.StopReason}
	if len(many.Content) == 1 {
		res.Content = many.Content[0]
	}
	return res, nil
}

func createMessageWithTools(ctx context.Context, ask asker, key string, p *mcp.CreateMessageWithToolsParams, facts []any) (*mcp.CreateMessageWithToolsResult, error) {
	if p == nil {
		p = new(mcp.CreateMessageWithToolsParams)
	}
	return put[mcp.CreateMessageWithToolsResult](ctx, ask, shim.Sampling, key, p, facts)
}

func listRoots(ctx context.Context, ask asker, key string, p *mcp.ListRootsParams, facts []any) (*mcp.ListRootsResult, error) {
	if p == nil {
		p = new(mcp.ListRootsParams)
	}
	return put[mcp.ListRootsResult](ctx, ask, shim.Roots, key, p, facts)
}

// put asks one question, see [binding.Put].
func put[R any](ctx context.Context, ask asker, kind shim.Kind, key string, params any, facts []any) (*R, error) {
	return binding.Put[R](ctx, ask, kind, key, params, facts)
}

// marshal returns the JSON of v, or a text that is none.
func marshal(v any) json.RawMessage { return binding.Marshal(v) }
