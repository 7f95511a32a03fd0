package mcpgo

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"reflect"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mrtr-migrate/mrtr-migrate/shim"
	"github.com/mrtr-migrate/mrtr-migrate/shim/answer"
	"github.com/mrtr-migrate/mrtr-migrate/shim/internal/binding"
)

// The four interfaces are what the asks need of a server. *server.MCPServer
// satisfies them, and so does a test's fake.
type (
	// An Elicitor asks the client's user.
	Elicitor interface {
		RequestElicitation(context.Context, mcp.ElicitationRequest) (*mcp.ElicitationResult, error)
	}
	// A URLElicitor asks the user of a given session to visit a page.
	URLElicitor interface {
		RequestURLElicitation(ctx context.Context, session server.ClientSession, elicitationID, url, message string) (*mcp.ElicitationResult, error)
	}
	// A Sampler asks the client's model.
	Sampler interface {
		RequestSampling(context.Context, mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error)
	}
	// A RootsRequester asks for the client's roots.
	RootsRequester interface {
		RequestRoots(context.Context, mcp.ListRootsRequest) (*mcp.ListRootsResult, error)
	}
)

// ErrInputRequired is what an ask returns whose answer has not come yet. Check
// [Pending] rather than the error: wrapping it or dropping it changes nothing.
var ErrInputRequired = shim.ErrInputRequired

// RequestElicitation asks the user, like the method of the server. The key names
// the place in the handler; facts decide what the answer is for, see [shim.Ask].
//
// An accepted answer has been checked against the requested schema and has its
// defaults, on peers of both eras, which the SDK does on neither: an answer that
// is none is a [*shim.AnswerError]. Where an older peer needs an elicitation id and
// none is given, one is made. See [shim.Continuation.Ask] for the other errors.
func RequestElicitation(ctx context.Context, s Elicitor, key string, req mcp.ElicitationRequest, facts ...any) (*mcp.ElicitationResult, error) {
	c := continuation(ctx)
	if c == nil {
		return elicitLive(ctx, s, req)
	}
	return elicit(ctx, c.Ask, key, req.Params, facts)
}

// RequestURLElicitation asks the user to visit a page, like the method of the
// server. On a modern peer the elicitation id has no meaning and is not sent.
func RequestURLElicitation(ctx context.Context, s URLElicitor, key string, session server.ClientSession, elicitationID, url, message string, facts ...any) (*mcp.ElicitationResult, error) {
	c := continuation(ctx)
	if c == nil || !same(session, ctx.Value(sessionKey{})) {
		return elicitURLLive(ctx, s, session, elicitationID, url, message)
	}
	return elicit(ctx, c.Ask, key, urlParams(elicitationID, url, message), facts)
}

// RequestSampling asks the model, like the method of the server.
func RequestSampling(ctx context.Context, s Sampler, key string, req mcp.CreateMessageRequest, facts ...any) (*mcp.CreateMessageResult, error) {
	c := continuation(ctx)
	if c == nil {
		//lint:ignore MRTR002 no continuation: the SDK refuses by itself where it must
		return s.RequestSampling(ctx, req)
	}
	return sample(ctx, c.Ask, key, req, facts)
}

// RequestRoots asks for the roots, like the method of the server.
func RequestRoots(ctx context.Context, s RootsRequester, key string, req mcp.ListRootsRequest, facts ...any) (*mcp.ListRootsResult, error) {
	c := continuation(ctx)
	if c == nil {
		//lint:ignore MRTR003 no continuation: the SDK refuses by itself where it must
		return s.RequestRoots(ctx, req)
	}
	return roots(ctx, c.Ask, key, req, facts)
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

// Capabilities returns what the client can do: on a modern peer what the very
// request of ctx says (rules 20 and 22), on an older one what initialize said. It
// is empty if nothing was said.
func Capabilities(ctx context.Context) mcp.ClientCapabilities {
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		if info.ClientCapabilities == nil {
			return mcp.ClientCapabilities{}
		}
		return *info.ClientCapabilities
	}
	if s, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo); ok {
		return s.GetClientCapabilities()
	}
	return mcp.ClientCapabilities{}
}

type sessionKey struct{}

// withSession notes whose request ctx is about.
func withSession(ctx context.Context) context.Context {
	return context.WithValue(ctx, sessionKey{}, any(server.ClientSessionFromContext(ctx)))
}

// continuation returns the continuation of the request that ctx belongs to, nil
// if there is none or if ctx names somebody else's session. A question to, say, an
// administrator's session must not be put to the peer whose request it is about:
// it goes the way of that session, which the SDK refuses where it must.
func continuation(ctx context.Context) *shim.Continuation {
	c := shim.FromContext(ctx)
	if c == nil || !same(server.ClientSessionFromContext(ctx), ctx.Value(sessionKey{})) {
		return nil
	}
	return c
}

// same reports whether a and b are one session.
func same(a, b any) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return reflect.TypeOf(a).Comparable() && reflect.TypeOf(b).Comparable() && a == b
}

func elicit(ctx context.Context, ask binding.Asker, key string, p mcp.ElicitationParams, facts []any) (*mcp.ElicitationResult, error) {
	// The SDK's own complaints come first, as before. An id is no longer needed.
	if err := identified(p).Validate(); err != nil {
		return nil, err
	}
	return binding.Put[mcp.ElicitationResult](ctx, ask, shim.Elicitation, key, p, facts)
}

func sample(ctx context.Context, ask binding.Asker, key string, req mcp.CreateMessageRequest, facts []any) (*mcp.CreateMessageResult, error) {
	return binding.PutDecoded(ctx, ask, shim.Sampling, key, req.CreateMessageParams, facts, func(raw json.RawMessage) (*mcp.CreateMessageResult, error) {
		res := new(mcp.CreateMessageResult)
		if err := json.Unmarshal(raw, res); err != nil {
			return nil, err
		}
		// As the sessions of the SDK do it.
		content, err := mcp.ParseSamplingContent(res.Content)
		if err != nil {
			return nil, err
		}
		res.Content = content
		return res, nil
	})
}

func roots(ctx context.Context, ask binding.Asker, key string, req mcp.ListRootsRequest, facts []any) (*mcp.ListRootsResult, error) {
	return binding.Put[mcp.ListRootsResult](ctx, ask, shim.Roots, key, req.Params, facts)
}

func urlParams(id, url, message string) mcp.ElicitationParams {
	return mcp.ElicitationParams{Mode: mcp.ElicitationModeURL, ElicitationID: id, URL: url, Message: message}
}

// identified returns p with the id that peers up to 2025-11-25 require.
func identified(p mcp.ElicitationParams) mcp.ElicitationParams {
	if p.Mode == mcp.ElicitationModeURL && p.ElicitationID == "" {
		p.ElicitationID = rand.Text()
	}
	return p
}

func elicitLive(ctx context.Context, s Elicitor, req mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	req.Params = identified(req.Params)
	//lint:ignore MRTR001 no continuation: the SDK refuses by itself where it must
	res, err := s.RequestElicitation(ctx, req)
	if err != nil {
		return nil, err
	}
	return checked(res, req.Params.RequestedSchema)
}

func elicitURLLive(ctx context.Context, s URLElicitor, session server.ClientSession, id, url, message string) (*mcp.ElicitationResult, error) {
	//lint:ignore MRTR001 no continuation: the SDK refuses by itself where it must
	res, err := s.RequestURLElicitation(ctx, session, identified(urlParams(id, url, message)).ElicitationID, url, message)
	if err != nil {
		return nil, err
	}
	return checked(res, nil)
}

// checked holds an older peer's answer to what a modern peer's is held to.
func checked(res *mcp.ElicitationResult, schema any) (*mcp.ElicitationResult, error) {
	if res == nil {
		return nil, &shim.AnswerError{Text: "no elicitation result"}
	}
	var want json.RawMessage
	if schema != nil {
		want = binding.Marshal(schema)
	}
	value, err := answer.Elicitation(binding.Marshal(res.ElicitationResponse), want)
	if err != nil {
		return nil, &shim.AnswerError{Text: err.Error()}
	}
	out := mcp.ElicitationResult{Result: res.Result}
	if err := json.Unmarshal(value, &out.ElicitationResponse); err != nil {
		return nil, &shim.AnswerError{Text: err.Error()}
	}
	return &out, nil
}
