package gosdk

import (
	"context"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/mrtr-migrate/mrtr-migrate/shim"
	"github.com/mrtr-migrate/mrtr-migrate/shim/internal/binding"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
	"github.com/mrtr-migrate/mrtr-migrate/shim/state"
)

// Options configure [NewMiddleware]. A nil *Options means the zero value.
type Options struct {
	// Limits bound each operation; zero fields mean defaults.
	Limits shim.Limits
	// Audience and Realm keep apart servers that share keys: a state opens only
	// under the values it was sealed with. All instances of one server must agree.
	Audience, Realm string
	// Principal names the authenticated caller. Nil means the UserID of the
	// verified token. An empty name means that nobody is authenticated; an error
	// refuses every state and makes every question a fault.
	Principal func(mcp.Request) (string, error)
	// Reserve reports whether the first round of a request hands out a state and
	// asks nothing, so that an effect before the first question is not repeated
	// when the first request is sent twice. Nil means never.
	Reserve func(method, target string) bool
	// Native reports whether a handler uses the SDK's own InputRequests and
	// InputResponses. The middleware stays out of its way. Nil means none does.
	Native func(method, target string) bool
	// Logger receives warnings and faults, without answers, arguments or tokens.
	// Nil means slog.Default.
	Logger *slog.Logger
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// NewMiddleware returns receiving middleware that makes the asks of this package
// work on 2026-07-28 peers. It is an error if there is no usable key.
//
// It serves requests of modern peers only: a tools/call, prompts/get or
// resources/read that does not say in its _meta that it is one is refused. Package
// legacyadapter routes both kinds.
//
// The handler runs on a goroutine of its own. When it has ended, the continuation
// alone decides the result: pending questions win over whatever was returned, over
// a panic and over runtime.Goexit. A panic with nothing pending is raised again on
// the SDK's goroutine.
func NewMiddleware(keys Keys, opts *Options) (mcp.Middleware, error) {
	m := new(middleware)
	if opts != nil {
		m.opts = *opts
	}
	if keys == nil {
		return nil, state.ErrNoKey
	}
	ring, err := keys.Ring()
	if err != nil {
		return nil, err
	}
	if m.opts.Logger == nil {
		m.opts.Logger = slog.Default()
	}
	m.runtime, err = shim.New(shim.Config{
		Ring: ring, Limits: m.opts.Limits, Now: m.opts.Now,
		Audience: m.opts.Audience, Realm: m.opts.Realm, Logger: m.opts.Logger,
	})
	if err != nil {
		return nil, err
	}
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if !protocol.Multiround(method) {
				return next(ctx, method, req)
			}
			return m.serve(ctx, next, method, req)
		}
	}, nil
}

type middleware struct {
	opts    Options
	runtime *shim.Runtime
}

func (m *middleware) serve(ctx context.Context, next mcp.MethodHandler, method string, req mcp.Request) (mcp.Result, error) {
	if !modern(req) {
		return nil, &jsonrpc.Error{
			Code:    protocol.CodeInvalidParams,
			Message: "missing _meta field " + protocol.MetaProtocolVersion,
		}
	}
	native, err := m.native(ctx, method, req)
	if err != nil {
		return nil, err
	}
	if native {
		putBack(req)
		res, err := next(ctx, method, req)
		if err == nil && isNil(res) {
			return nil, errNoResult
		}
		return stamp(req, res), err
	}
	in, err := m.takeRequest(ctx, method, req)
	if err != nil {
		return nil, err
	}
	within, c, err := m.runtime.Open(ctx, in)
	if err != nil {
		m.refused(ctx, method, err)
		return nil, openError(err)
	}
	var res mcp.Result
	var crash *shim.Panic
	if !c.Reserved() {
		within = withSession(within, req)
		crash = c.Run(func() { res, err = next(within, method, req) })
	}
	asked, fault := c.Close()
	switch {
	case crash != nil:
		m.opts.Logger.LogAttrs(ctx, slog.LevelError, "handler panicked", slog.String("method", method), slog.String("stack", string(crash.Stack)))
		panic(crash.Value)
	case fault != nil:
		return nil, faultError(fault)
	case asked != nil:
		return newInputRequired(asked), nil
	}
	return finish(req, res, err)
}

// finish returns the result of a handler that asked nothing more.
func finish(req mcp.Request, res mcp.Result, err error) (mcp.Result, error) {
	if missing := capabilityError(failure(res, err)); missing != nil {
		return nil, missing
	}
	if err != nil {
		return nil, err
	}
	if native(res) {
		return nil, faultError(&shim.Fault{Code: shim.CodeNative})
	}
	if isNil(res) {
		if _, ok := res.(*mcp.GetPromptResult); ok { // of PromptInputRequired
			return nil, faultError(&shim.Fault{Code: shim.CodeNothingPending})
		}
		return nil, errNoResult
	}
	return stamp(req, res), nil
}

// refused logs why a request was refused, which the peer is not told.
func (m *middleware) refused(ctx context.Context, method string, err error) {
	reason := binding.RefusalReason(err)
	m.opts.Logger.LogAttrs(ctx, slog.LevelWarn, "mrtr: request refused", slog.String("method", method), slog.String("reason", reason))
}
