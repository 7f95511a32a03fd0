package shim_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/mrtr-migrate/mrtr-migrate/shim"
	"github.com/mrtr-migrate/mrtr-migrate/shim/state"
)

func TestState(t *testing.T) {
	b := newBench(t, shim.Limits{})
	b.request.Principal = "alice"
	b.request.Arguments = []byte(`{"account":1,"list":[1,2],"to":"x"}`)
	effects := 0
	h := confirm(elicit("k", "Sure?"), func() { effects++ })
	o := b.round(h, "", nil)
	token := o.asked.State
	flipped := []byte(token)
	if half := len(flipped) / 2; flipped[half] == 'A' {
		flipped[half] = 'B'
	} else {
		flipped[half] = 'A'
	}
	tests := []struct {
		name   string
		change func(*shim.Request)
		token  string
		reason state.Reason // empty: accepted
	}{
		{"unchanged", func(*shim.Request) {}, token, ""},
		{"arguments in other words", func(r *shim.Request) { r.Arguments = []byte(`{ "to":"\u0078", "list":[1.0,2e0], "account":1.00 }`) }, token, ""},
		{"bit flip", func(*shim.Request) {}, string(flipped), state.ReasonAuthentication},
		{"other user", func(r *shim.Request) { r.Principal = "bob" }, token, state.ReasonPrincipal},
		{"no user", func(r *shim.Request) { r.Principal = "" }, token, state.ReasonPrincipal},
		{"user without a name", func(r *shim.Request) { r.PrincipalErr = errors.New("no name") }, token, state.ReasonPrincipal},
		{"other tool", func(r *shim.Request) { r.Target = "other" }, token, state.ReasonRequest},
		{"other arguments", func(r *shim.Request) { r.Arguments = []byte(`{"account":2,"list":[1,2],"to":"x"}`) }, token, state.ReasonRequest},
		{"more arguments", func(r *shim.Request) { r.Arguments = []byte(`{"account":1,"list":[1,2],"to":"x","all":true}`) }, token, state.ReasonRequest},
		{"no arguments", func(r *shim.Request) { r.Arguments = nil }, token, state.ReasonRequest},
		{"ambiguous arguments", func(r *shim.Request) { r.Arguments = []byte(`{"account":2,"account":1,"list":[1,2],"to":"x"}`) }, token, state.ReasonRequest},
		{"state is a number", func(r *shim.Request) { r.State = []byte(`7`) }, "", state.ReasonEncoding},
		{"state is empty", func(r *shim.Request) { r.State = []byte(`""`) }, "", state.ReasonPrefix},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			was := b.request
			defer func() { b.request, effects = was, 0 }()
			effects = 0
			tt.change(&b.request)
			o := b.round(h, tt.token, map[string]any{"k": yes()})
			if tt.reason == "" {
				if o.err != nil || o.asked != nil || effects != 1 {
					t.Errorf("%+v, %d effects", o, effects)
				}
				return
			}
			var invalid *state.InvalidError
			if !errors.As(o.err, &invalid) || invalid.Reason != tt.reason || effects != 0 {
				t.Errorf("%+v, %d effects", o, effects)
			}
		})
	}
	// JSON null is absent: the question comes, and the answer counts for nothing.
	b.request.State = []byte(`null`)
	if o := b.round(h, "", map[string]any{"k": yes()}); o.asked == nil || effects != 0 {
		t.Errorf("%+v", o)
	}
	b.request.State = nil
	*b.clock = b.clock.Add(11 * time.Minute)
	if o := b.round(h, token, map[string]any{"k": yes()}); !errors.Is(o.err, state.ErrInvalid) || effects != 0 {
		t.Errorf("expired: %+v", o)
	}
}

func TestMalformedResponses(t *testing.T) {
	b := newBench(t, shim.Limits{})
	effects := 0
	h := confirm(elicit("k", "Sure?"), func() { effects++ })
	first := b.round(h, "", nil)
	for _, raw := range []string{`[]`, `7`, `"x"`, `{`, `{"k":}`, `{"k":1,"k":{"action":"accept","content":{"ok":true}}}`, `{} {}`, `{"k":1}]`, `{1:2}`} {
		b.request.Responses = []byte(raw)
		o := b.round(h, first.asked.State, nil)
		var malformed *shim.RequestError
		if !errors.As(o.err, &malformed) || effects != 0 {
			t.Errorf("%s: %+v", raw, o)
		}
	}
	b.request.Responses = []byte(` {"other":[1,{"x":"\ud800"}], "k":{"action":"accept","content":{"ok":true}}} `)
	if o := b.round(h, first.asked.State, nil); o.err != nil || o.asked != nil || effects != 1 {
		t.Errorf("odd entries under other keys: %+v", o)
	}
}

func TestReservedRound(t *testing.T) {
	b := newBench(t, shim.Limits{})
	b.request.Reserve = true
	effects := 0
	h := func(ctx context.Context, c *shim.Continuation) {
		_, err := shim.Once(ctx, "create", func(context.Context) (int, error) { effects++; return effects, nil })
		if c.Pending() || err != nil {
			return
		}
		c.Ask(ctx, elicit("k", "Sure?"))
	}
	o := b.round(h, "", nil)
	if o.err != nil || o.asked == nil || o.asked.Requests == nil || len(o.asked.Requests) != 0 || o.asked.State == "" || effects != 0 {
		t.Fatalf("first round: %+v, %d effects", o, effects)
	}
	again := b.round(h, "", nil) // the first request, sent twice
	if len(again.asked.Requests) != 0 || effects != 0 {
		t.Fatalf("first round, again: %+v, %d effects", again, effects)
	}
	o = b.round(h, o.asked.State, nil)
	if key, _ := o.question(t); key != "k" || effects != 1 {
		t.Fatalf("second round: %q, %d effects", key, effects)
	}
	if o = b.round(h, o.asked.State, map[string]any{"k": yes()}); o.asked != nil || effects != 1 {
		t.Errorf("last round: %+v, %d effects", o, effects)
	}
}
