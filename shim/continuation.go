package shim

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"

	"github.com/mrtr-migrate/mrtr-migrate/shim/state"
)

// A Continuation is one round of one operation: what the verified state says,
// what this run of the handler asks, and how the round will end. It is safe for
// concurrent use. It ends with its request; any later use is a [Fault].
type Continuation struct {
	rt     *Runtime
	req    Request
	caps   capabilities
	ctx    context.Context
	cancel context.CancelCauseFunc

	mu sync.Mutex // guards what follows; never held while user code runs

	digest    [32]byte
	digestErr error
	digested  bool

	claims    state.Claims               // of the verified state, zero in the first round
	asked     map[string]state.Pending   // what that state says was asked
	responses map[string]json.RawMessage // what the peer sent, for keys in asked
	journal   journal

	changed  bool            // a question is not what it was when it was answered
	used     map[string]bool // keys of this run
	seen     map[string]int  // how often each key was asked in this run
	pending  []ask           // questions that end this round
	reserved bool            // the round ends without a question, before the handler

	committed bool   // the round ends with input_required, irrevocably
	suspended bool   // a blocking ask did that
	unwinding bool   // the handler's goroutine is running its deferred functions
	fault     *Fault // the first fault, which is then the result
	closed    bool

	owner  uint64 // the goroutine that runs the handler, 0 if unknown
	inside bool   // the function given to Once is running
	ended  ending // how the handler's goroutine ended
}

type contextKey struct{}

// FromContext returns the continuation of the request that ctx belongs to, nil
// if there is none: on an older peer, or where no runtime is installed.
func FromContext(ctx context.Context) *Continuation {
	c, _ := ctx.Value(contextKey{}).(*Continuation)
	return c
}

// Pending reports whether the round is bound to end with a question or a fault,
// or has ended. A handler must do nothing more then.
func (c *Continuation) Pending() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.committed || c.fault != nil || c.closed
}

// Reserved reports whether the round ends before the handler runs, see
// [Request].
func (c *Continuation) Reserved() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reserved
}

// Err returns the fault that ended the operation, nil if there is none. Of a
// closed continuation it is always a fault.
func (c *Continuation) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.fault != nil:
		return c.fault
	case c.closed:
		return &Fault{Code: CodeClosed}
	}
	return nil
}

// fail records the first fault and ends the run. The caller holds c.mu.
func (c *Continuation) fail(f *Fault) *Fault {
	if c.fault == nil {
		c.fault = f
		c.cancel(f)
		c.warn(slog.LevelError, f.Code, f.Key, f)
	}
	return f
}

// commit binds the round to end with what is pending. The caller holds c.mu.
func (c *Continuation) commit() {
	c.committed = true
	c.cancel(ErrInputRequired)
}

// warn writes one log line: a code, the method and the key, and for a fault of
// ours its text, none of which the peer wrote.
func (c *Continuation) warn(level slog.Level, code Code, key string, f *Fault) {
	attrs := []slog.Attr{slog.String("code", string(code)), slog.String("method", c.req.Method)}
	if key != "" {
		attrs = append(attrs, slog.String("key", key))
	}
	if f != nil && f.Err != nil {
		attrs = append(attrs, slog.String("error", f.Err.Error()))
	}
	c.rt.log.LogAttrs(c.logContext(), level, diagnosticOf(code).Title, attrs...)
}

// logContext returns the context for log lines, which has everything of the
// request's but the continuation: a log handler that looked at it would wait for
// the lock under which the line is written.
func (c *Continuation) logContext() context.Context {
	return context.WithValue(context.WithoutCancel(c.ctx), contextKey{}, (*Continuation)(nil))
}

// An InputRequest is one question as it goes over the wire.
type InputRequest struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// An InputRequired is how a round ends that needs an answer. Requests is never
// nil; it is empty in a round that only hands out a state.
type InputRequired struct {
	Requests map[string]InputRequest
	State    string
}

// Close ends the round after the handler has ended. It returns nil and nil if
// what the handler returned is the result, the questions to send if the round is
// bound to ask, and a [*Fault] if the operation is over. In the last two cases
// whatever the handler returned must be discarded.
func (c *Continuation) Close() (*InputRequired, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, &Fault{Code: CodeClosed}
	}
	c.closed = true
	defer c.cancel(ErrClosed)
	if !c.committed && c.fault == nil {
		c.finish()
	}
	if c.fault != nil {
		return nil, c.fault
	}
	if !c.committed {
		return nil, nil
	}
	if c.suspended && c.ended == endReturned {
		c.warn(slog.LevelWarn, CodeReturned, "", nil)
	}
	return c.seal()
}

// finish checks a run that came to its own end: every recorded effect must have
// been reached, because something was done that the run does not know of.
func (c *Continuation) finish() {
	switch c.ended {
	case endExited:
		c.fail(&Fault{Code: CodeForeignGoexit})
	case endReturned:
		if c.journal.unreachedEffect(len(c.journal.entries)) {
			c.fail(c.journal.divergence(""))
		}
	case endPanicked:
		// The panic goes on; nothing the run did can be judged.
	}
}

// seal builds the state for the next round. The caller holds c.mu.
func (c *Continuation) seal() (*InputRequired, error) {
	digest, err := c.requestDigest()
	if err != nil {
		return nil, c.fail(&Fault{Code: CodeRequest, Err: err})
	}
	next := c.claims
	next.Request, next.Handler = digest, c.handler()
	next.Round++
	if len(c.pending) == 0 {
		next.StateOnly++
	}
	c.keepUnread()
	next.Entries = c.journal.entries
	next.Pending = make([]state.Pending, 0, len(c.pending))
	requests := make(map[string]InputRequest, len(c.pending))
	for _, a := range c.pending {
		next.Pending = append(next.Pending, state.Pending{Key: a.key, Question: a.digest, Attempts: a.attempts})
		requests[a.key] = InputRequest{Method: a.kind.Method(), Params: a.wire()}
	}
	token, err := c.rt.sealer.Seal(&next, c.req.Principal)
	if err != nil {
		return nil, c.fail(limitFault(err, ""))
	}
	if len(token) > c.rt.limits.SealedWarn {
		c.warn(slog.LevelWarn, CodeLargeState, "", nil)
	}
	return &InputRequired{Requests: requests, State: token}, nil
}
