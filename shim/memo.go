package shim

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/mrtr-migrate/mrtr-migrate/shim/state"
)

type insideKey struct{}

// Once runs an effect that comes before a question, once per operation: the
// first run records what f returned, every later run returns the record without
// calling f. Without a continuation it just calls f.
//
// The value must survive JSON; what is returned is what came back from it, in
// the first run too. An error is recorded by its text and comes back as an
// [*EffectError] in later runs. A panic in f goes on, and nothing may follow it: a
// handler that recovers finds a fault. f must not ask and must not call Once.
//
// What has not been sealed yet is not recorded: an effect before the first question
// runs again if the very first request is sent twice, unless a first round is
// reserved, see [Request].
func Once[T any](ctx context.Context, key string, f func(context.Context) (T, error)) (T, error) {
	var zero T
	c := FromContext(ctx)
	if c == nil {
		return f(ctx)
	}
	var original error
	raw, err := c.once(ctx, key, func(ctx context.Context) (memo, error) {
		var v T
		v, original = f(ctx)
		if original != nil {
			return memo{Error: shorten(original.Error())}, nil
		}
		raw, err := stable(v)
		return memo{Value: raw}, err
	})
	switch {
	case original != nil:
		return zero, original
	case err != nil:
		return zero, err
	}
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		return zero, c.refuse(&Fault{Code: CodeNotSerialisable, Err: errors.New("the recorded value does not fit the type of the effect")})
	}
	return v, nil
}

// A memo is the record of an effect: a value, or the text of an error.
type memo struct {
	Value json.RawMessage `json:"v,omitempty"`
	Error string          `json:"e,omitempty"`
}

// stable returns the JSON of v if reading and writing it again changes nothing.
func stable[T any](v T) (json.RawMessage, error) {
	raw, err := Plain(v)
	if errors.Is(err, errHidden) {
		raw, err = json.RawMessage("{}"), nil // told from no other value, and by nobody
	}
	if err != nil {
		return nil, err
	}
	var back T
	if err := json.Unmarshal(raw, &back); err != nil {
		return nil, errors.New("the value cannot be read back from JSON")
	}
	again, err := json.Marshal(back)
	if err != nil || !bytes.Equal(raw, again) {
		return nil, errors.New("the value reads back from JSON as another one")
	}
	return raw, nil
}

func (c *Continuation) refuse(f *Fault) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fail(f)
}

// once returns the recorded value of the effect, or runs and records it.
func (c *Continuation) once(ctx context.Context, key string, f func(context.Context) (memo, error)) (json.RawMessage, error) {
	full, raw, err := c.recall(ctx, key)
	if err != nil || raw != nil {
		return unpackMemo(raw, err)
	}
	returned := false
	defer func() { c.leaveEffect(full, returned) }() // also after a panic or a Goexit in f
	m, err := f(context.WithValue(ctx, insideKey{}, true))
	returned = true

	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		return nil, c.fail(&Fault{Code: CodeNotSerialisable, Key: full, Err: err})
	}
	value, err := json.Marshal(m)
	if err != nil {
		return nil, c.fail(&Fault{Code: CodeNotSerialisable, Key: full, Err: err})
	}
	// The effect has run. If its record is too large, the operation cannot go
	// on without running it again, so it ends here.
	if err := c.rt.limits.Check(state.LimitAnswer, len(value)); err != nil {
		return nil, c.fail(limitFault(err, full))
	}
	c.journal.append(state.Entry{Kind: state.EntryEffect, Key: full, Question: placeOf(ctx).id, Value: value})
	return m.Value, nil
}

// recall returns the record of an effect, or neither record nor error if the
// effect may run now.
func (c *Continuation) recall(ctx context.Context, key string) (full string, record json.RawMessage, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	full, err = c.enter(ctx, key, single)
	if err != nil {
		return "", nil, err
	}
	if c.owner != 0 && !c.onOwner() {
		return "", nil, c.fail(&Fault{Code: CodeWrongGoroutine, Key: full})
	}
	i := c.journal.find(state.EntryEffect, full)
	before := i
	if i < 0 {
		before = len(c.journal.entries)
	}
	// Recorded effects come first and in their order; anything else means that
	// this run is not the one that recorded them.
	elsewhere := i >= 0 && c.journal.entries[i].Question != placeOf(ctx).id // another path that reads the same
	if elsewhere || c.journal.unreachedEffect(before) {
		return "", nil, c.fail(c.journal.divergence(full))
	}
	if i >= 0 {
		c.journal.reached[i] = true
		return full, c.journal.entries[i].Value, nil
	}
	if err := c.room(1); err != nil {
		return "", nil, err
	}
	c.inside = true
	return full, nil, nil
}

// leaveEffect ends an effect. One that did not return may have happened or not:
// a handler that recovers must not go on to a question, after which the effect
// would run again.
func (c *Continuation) leaveEffect(key string, returned bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inside = false
	if !returned {
		c.fail(&Fault{Code: CodeUnfinished, Key: key})
	}
}

func unpackMemo(raw json.RawMessage, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, err
	}
	var m memo
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, err
	}
	if m.Value == nil {
		return nil, &EffectError{Text: m.Error}
	}
	return m.Value, nil
}
