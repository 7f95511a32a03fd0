package shim

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/mrtr-migrate/mrtr-migrate/internal/canon"
	"github.com/mrtr-migrate/mrtr-migrate/shim/state"
)

// Limits bounds one operation. Its home is package state, which enforces the
// same numbers on what it seals and opens.
type Limits = state.Limits

// Config configures a [Runtime].
type Config struct {
	// Ring holds the keys that seal requestState. Required.
	Ring *state.Ring
	// Limits bound each operation; zero fields mean defaults.
	Limits Limits
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Audience and Realm keep apart servers that share keys. All instances of
	// one server must agree on them.
	Audience, Realm string
	// Logger receives warnings and faults: codes, methods and keys, never an
	// answer, an argument or a token. Nil means slog.Default.
	Logger *slog.Logger
}

// A Runtime opens a continuation for each request. It holds no state of any
// operation and is safe for concurrent use.
type Runtime struct {
	sealer *state.Sealer
	limits Limits
	log    *slog.Logger
}

// New returns a runtime. It is an error if there is no usable key, or if the
// limits are unusable.
func New(c Config) (*Runtime, error) {
	sealer, err := state.NewSealer(state.SealerOptions{
		Ring: c.Ring, Audience: c.Audience, Realm: c.Realm, Limits: c.Limits, Now: c.Now,
	})
	if err != nil {
		return nil, err
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	return &Runtime{sealer: sealer, limits: sealer.Limits(), log: c.Logger.WithGroup("mrtr")}, nil
}

// A Request is what a binding knows of one request of a modern peer. Everything
// in it comes from the peer, except Principal and Reserve, and nothing of it is
// believed.
type Request struct {
	// Method is one of the three methods that may end in a question, and Target
	// the name of the tool or prompt, or the URI of the resource.
	Method, Target string
	// Arguments are the raw arguments as they came over the wire, nil for none.
	Arguments json.RawMessage
	// State is the raw value of requestState, nil when absent.
	State json.RawMessage
	// Responses is the raw value of inputResponses, nil when absent.
	Responses json.RawMessage
	// Capabilities are the raw client capabilities of this very request (rules
	// 20 and 22), nil when absent, which covers nothing.
	Capabilities json.RawMessage
	// Principal is the canonical name of the authenticated caller, empty where
	// the transport authenticates nobody.
	Principal string
	// PrincipalErr says why an authenticated caller has no name. A state that
	// comes with such a request is refused, and a question is a fault.
	PrincipalErr error
	// Reserve makes the first round ask nothing: it ends before the handler
	// runs with a state alone, so that an effect before the first question is
	// not repeated when the first request is sent twice.
	Reserve bool
}

// A RequestError reports inputResponses that are not an object with distinct
// names (rule 15): the request is malformed, whatever was asked.
type RequestError struct{ Err error }

func (e *RequestError) Error() string { return "mrtr: inputResponses: " + e.Err.Error() }
func (e *RequestError) Unwrap() error { return e.Err }

// Open begins a round. It returns a context that carries the continuation and
// is cancelled with the cause [ErrInputRequired] as soon as the round is bound
// to end with a question, or with the fault that ended it.
//
// A state that is not accepted is a [*state.InvalidError], malformed responses are a
// [*RequestError]; the handler must not run then. Without a state no response
// counts, whatever it says: nothing was asked. The caller must end a continuation with
// [Continuation.Close].
func (rt *Runtime) Open(ctx context.Context, req Request) (context.Context, *Continuation, error) {
	c := &Continuation{rt: rt, req: req, used: map[string]bool{}, seen: map[string]int{}}
	c.caps = parseCapabilities(req.Capabilities)
	token, present, err := stateToken(req.State)
	if err != nil {
		return nil, nil, err
	}
	responses, err := rt.parseResponses(req.Responses)
	if err != nil {
		return nil, nil, err
	}
	if present {
		if err := c.resume(token, responses); err != nil {
			return nil, nil, err
		}
	} else if req.Reserve {
		c.reserved, c.committed = true, true
	}
	ctx, c.cancel = context.WithCancelCause(ctx)
	c.ctx = context.WithValue(ctx, contextKey{}, c)
	return c.ctx, c, nil
}

// resume takes over what a verified state says.
func (c *Continuation) resume(token string, responses map[string]json.RawMessage) error {
	if c.req.PrincipalErr != nil {
		return &state.InvalidError{Reason: state.ReasonPrincipal}
	}
	digest, err := c.requestDigest()
	if err != nil {
		return &state.InvalidError{Reason: state.ReasonRequest}
	}
	claims, err := c.rt.sealer.Open(token, state.Expect{
		Request: digest, Principal: c.req.Principal, Handler: c.handler(),
	})
	if err != nil {
		return err
	}
	c.claims = *claims
	c.journal = journal{entries: claims.Entries, reached: make([]bool, len(claims.Entries))}
	c.asked = make(map[string]state.Pending, len(claims.Pending))
	c.responses = make(map[string]json.RawMessage, len(claims.Pending))
	for _, p := range claims.Pending {
		c.asked[p.Key] = p
		if r, ok := responses[p.Key]; ok {
			c.responses[p.Key] = r
		}
	}
	return nil
}

// stateToken reads requestState. JSON null is absent; anything else that is no
// string is a bad state, and so is the empty string, which no server issues.
func stateToken(raw json.RawMessage) (token string, present bool, err error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return "", false, nil
	}
	if raw[0] != '"' || json.Unmarshal(raw, &token) != nil {
		return "", false, &state.InvalidError{Reason: state.ReasonEncoding}
	}
	return token, true, nil
}

// parseResponses reads inputResponses one level deep. What an entry holds is
// looked at only if its question was asked.
func (rt *Runtime) parseResponses(raw json.RawMessage) (map[string]json.RawMessage, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	// One answer for each question that may be pending, and room for names.
	if most := rt.limits.AsksPerRound * (rt.limits.Answer + 1<<10); len(raw) > most {
		return nil, &RequestError{canon.ErrSize}
	}
	if !json.Valid(raw) {
		return nil, &RequestError{canon.ErrSyntax}
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, &RequestError{errors.New("not a JSON object")}
	}
	responses := make(map[string]json.RawMessage)
	for dec.More() {
		name, err := dec.Token()
		key, ok := name.(string)
		var value json.RawMessage
		if err != nil || !ok || dec.Decode(&value) != nil {
			return nil, &RequestError{canon.ErrSyntax}
		}
		if _, twice := responses[key]; twice {
			return nil, &RequestError{canon.ErrDuplicate}
		}
		responses[key] = value
	}
	return responses, nil
}

// handler returns the fingerprint of the handler that serves the request.
func (c *Continuation) handler() [16]byte {
	return state.HandlerFingerprint(fmt.Sprintf("%s\x00%s", c.req.Method, c.req.Target), nil)
}

// requestDigest returns the digest of the request, computed once and only for
// an operation that has or needs a state: a handler that never asks behaves as
// before, whatever its arguments.
func (c *Continuation) requestDigest() ([32]byte, error) {
	if !c.digested {
		c.digest, c.digestErr = c.rt.sealer.RequestDigest(c.req.Method, c.req.Target, c.req.Arguments)
		c.digested = true
	}
	return c.digest, c.digestErr
}

// limitFault returns the fault for an error of package state.
func limitFault(err error, key string) *Fault {
	code := CodeSeal
	var limit *state.LimitError
	switch {
	case errors.As(err, &limit):
		switch limit.Limit {
		case state.LimitRounds, state.LimitStateOnly:
			code = CodeRounds
		case state.LimitSealed, state.LimitInbound, state.LimitAnswer:
			code = CodeStateSize
		case state.LimitKeyLength:
			code = CodeKey
		default:
			code = CodeQuestions
		}
	case errors.Is(err, state.ErrKey):
		code = CodeKey
	}
	return &Fault{Code: code, Key: key, Err: err}
}
