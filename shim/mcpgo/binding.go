package mcpgo

import (
	"context"
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/mrtr-migrate/mrtr-migrate/internal/rawrpc"
	"github.com/mrtr-migrate/mrtr-migrate/shim"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
	"github.com/mrtr-migrate/mrtr-migrate/shim/state"
)

// Options configure [New]. A nil *Options means the zero value.
type Options struct {
	// Limits bound each operation; zero fields mean defaults.
	Limits shim.Limits
	// Audience and Realm keep apart servers that share keys: a state opens only
	// under the values it was sealed with. All instances of one server must agree.
	Audience, Realm string
	// Principal names the authenticated caller of a request. The SDK verifies no
	// tokens, so what the program's own HTTP middleware or context function put
	// into ctx is what there is to go by. An empty name means that nobody is
	// authenticated; an error refuses every state and makes every question a fault.
	//
	// Nil means that nobody is authenticated, and a request with an Authorization
	// header is then taken for one whose caller has no name: its answers could
	// not be tied to anybody.
	Principal func(ctx context.Context, header http.Header) (string, error)
	// Reserve reports whether the first round of a request hands out a state and
	// asks nothing, so that an effect before the first question is not repeated
	// when the first request is sent twice. Nil means never.
	Reserve func(method, target string) bool
	// Native reports whether a handler uses the SDK's own InputRequests and
	// InputResponses. The binding stays out of its way. Nil means none does.
	Native func(method, target string) bool
	// MaxBodyBytes bounds the body of an HTTP request; zero means
	// [DefaultMaxBodyBytes], a negative value no limit.
	MaxBodyBytes int64
	// Logger receives warnings and faults, without answers, arguments or tokens.
	// Nil means slog.Default.
	Logger *slog.Logger
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// DefaultMaxBodyBytes is how long the body of an HTTP request may be when
// [Options] say nothing. The SDK itself has no limit.
const DefaultMaxBodyBytes = 4 << 20

// A Binding makes the asks of this package work on 2026-07-28 peers of a server.
// It holds no state of any operation beyond the requests that are being served,
// and is safe for concurrent use.
type Binding struct {
	opts    Options
	runtime *shim.Runtime
	calls   sync.Map // token → *call
}

// New returns a binding. It is an error if there is no usable key.
func New(keys Keys, opts *Options) (*Binding, error) {
	b := new(Binding)
	if opts != nil {
		b.opts = *opts
	}
	if keys == nil {
		return nil, state.ErrNoKey
	}
	ring, err := keys.Ring()
	if err != nil {
		return nil, err
	}
	if b.opts.Logger == nil {
		b.opts.Logger = slog.Default()
	}
	if b.opts.MaxBodyBytes == 0 {
		b.opts.MaxBodyBytes = DefaultMaxBodyBytes
	}
	b.runtime, err = shim.New(shim.Config{
		Ring: ring, Limits: b.opts.Limits, Now: b.opts.Now,
		Audience: b.opts.Audience, Realm: b.opts.Realm, Logger: b.opts.Logger,
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

// Must returns b, and panics on an error like regexp.MustCompile: a program
// without usable keys stops when it starts.
func Must(b *Binding, err error) *Binding {
	if err != nil {
		panic(err)
	}
	return b
}

// Option returns what puts the binding's middleware around the handlers of tools,
// prompts, resources and resource templates. It is given to server.NewMCPServer
// before every other option that adds middleware, so that theirs runs inside and
// may ask as well.
//
// Each handler runs on a goroutine of its own. When it has ended, the continuation
// alone decides the result: pending questions win over whatever was returned, over
// a panic and over runtime.Goexit. A panic with nothing pending is raised again on
// the SDK's goroutine.
func (b *Binding) Option() server.ServerOption {
	return func(s *server.MCPServer) {
		server.WithToolHandlerMiddleware(b.tool)(s)
		server.WithPromptHandlerMiddleware(b.prompt)(s)
		server.WithResourceHandlerMiddleware(b.resource)(s)
	}
}

// errOption is what a panic in a function of [Options] becomes.
var errOption = &wireError{&rawrpc.Error{Code: protocol.CodeInternal, Message: "internal error"}}

// safely calls a function of the user's [Options]. They look at what a peer sent
// before anything is verified, so a panic in one refuses that request and does
// not end the process. What it panicked with may quote the peer and is not logged.
func safely[T any](ctx context.Context, b *Binding, f func() (T, error)) (v T, err error) {
	defer func() {
		if recover() != nil {
			b.opts.Logger.LogAttrs(ctx, slog.LevelError, "mrtr: a function of Options panicked", slog.String("stack", string(debug.Stack())))
			v, err = *new(T), errOption
		}
	}()
	return f()
}
