package shim_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mrtr-migrate/mrtr-migrate/shim"
	"github.com/mrtr-migrate/mrtr-migrate/shim/state"
)

// asks returns a handler with n questions, one after the other.
func asks(n int, done *int) handler {
	return func(ctx context.Context, c *shim.Continuation) {
		for i := range n {
			c.Ask(ctx, elicit(fmt.Sprintf("k%d", i), "?"))
			if c.Pending() {
				return
			}
		}
		*done++
	}
}

// batch returns a handler with n questions at once.
func batch(n int, done *int) handler {
	return func(ctx context.Context, c *shim.Continuation) {
		var all []shim.Ask
		for i := range n {
			all = append(all, elicit(fmt.Sprintf("k%d", i), "?"))
		}
		c.AskAll(ctx, all...)
		if !c.Pending() {
			*done++
		}
	}
}

// TestLimits plays each limit one below, at and one above its default, or a
// smaller value where the default is costly.
func TestLimits(t *testing.T) {
	tests := []struct {
		name   string
		limits shim.Limits
		max    int
		h      func(n int, done *int) handler
		answer any
		code   shim.Code
	}{
		{"rounds", shim.Limits{}, 8, asks, yes(), shim.CodeRounds},
		{"asks per round", shim.Limits{}, 16, batch, yes(), shim.CodeQuestions},
		{"asks per operation", shim.Limits{AsksPerOperation: 5}, 5, asks, yes(), shim.CodeQuestions},
		{"asks per operation, default", shim.Limits{AsksPerRound: 40}, 32, batch, yes(), shim.CodeQuestions},
		{"entries, answers", shim.Limits{Entries: 5}, 5, batch, yes(), shim.CodeQuestions},
		{"entries, effects", shim.Limits{Entries: 5}, 5, func(n int, done *int) handler {
			return func(ctx context.Context, c *shim.Continuation) {
				for i := range n {
					shim.Once(ctx, fmt.Sprint("e", i), func(context.Context) (int, error) { return 0, nil })
				}
				if !c.Pending() {
					*done++
				}
			}
		}, nil, shim.CodeQuestions},
		{"bytes of a key", shim.Limits{KeyLength: 20}, 20, func(n int, done *int) handler {
			return func(ctx context.Context, c *shim.Continuation) {
				// Too short a limit for a digest, so that a long key stays long.
				c.Ask(ctx, elicit(strings.Repeat("k", n), "?"))
				if !c.Pending() {
					*done++
				}
			}
		}, yes(), shim.CodeKey},
	}
	for _, tt := range tests {
		for _, n := range []int{tt.max - 1, tt.max, tt.max + 1} {
			t.Run(fmt.Sprintf("%s/%d", tt.name, n), func(t *testing.T) {
				b := newBench(t, tt.limits)
				done := 0
				_, last := b.play(tt.h(n, &done), func(string, string) any { return tt.answer })
				if n <= tt.max {
					if last.err != nil || done != 1 {
						t.Errorf("%v, finished %d times", last.err, done)
					}
					return
				}
				f := wantFault(t, last.err, tt.code)
				var limit *state.LimitError
				if !errors.As(f, &limit) || limit.Max != tt.max || done != 0 {
					t.Errorf("%v, finished %d times", f, done)
				}
			})
		}
	}
}

// A handler that always asks is stopped, and the last rounds do not run it to an
// effect.
func TestEndlessHandler(t *testing.T) {
	b := newBench(t, shim.Limits{})
	rounds := 0
	h := func(ctx context.Context, c *shim.Continuation) {
		rounds++
		for range 20 {
			if c.Ask(ctx, elicit("again", "Again?")); c.Pending() {
				return
			}
		}
	}
	keys, last := b.play(h, func(string, string) any { return yes() })
	if f := wantFault(t, last.err, shim.CodeRounds); f.Key != "again.9" {
		t.Errorf("the fault does not name its question: %v", f)
	}
	if len(keys) != 8 || rounds != 9 || keys[0] != "again" || keys[1] != "again.2" || keys[7] != "again.8" {
		t.Errorf("%d rounds, asked %q", rounds, keys)
	}
}

// An answer of any size up to the limit is kept; several of them may make the
// state too large, which is a fault after which the handler has not gone on.
func TestStateSize(t *testing.T) {
	text := func(n int) any {
		return map[string]any{"action": "accept", "content": map[string]any{"ok": true, "note": strings.Repeat("x", n)}}
	}
	h := func(done *int) handler { return asks(2, done) }
	for _, tt := range []struct {
		size int
		ok   bool
	}{{20 << 10, true}, {30 << 10, false}} {
		b := newBench(t, shim.Limits{})
		done := 0
		_, last := b.play(h(&done), func(string, string) any { return text(tt.size) })
		if tt.ok && (last.err != nil || done != 1) {
			t.Errorf("%d bytes: %+v", tt.size, last)
		}
		if tt.ok && !b.log.has(shim.CodeLargeState) {
			t.Errorf("%d bytes: no warning", tt.size)
		}
		if !tt.ok {
			wantFault(t, last.err, shim.CodeStateSize)
			if done != 0 {
				t.Error("the handler went on")
			}
		}
	}
}

func TestReasksLimit(t *testing.T) {
	for _, reasks := range []int{1, 2, 3} {
		b := newBench(t, shim.Limits{Reasks: reasks})
		keys, last := b.play(confirm(elicit("k", "?"), func() { t.Error("the effect ran") }), func(string, string) any { return accept("x") })
		if last.err != nil || len(keys) != reasks+1 {
			t.Errorf("%d repetitions allowed, asked %d times: %+v", reasks, len(keys), last)
		}
	}
}

// An operation ends even if it always moves: no token outlives its deadline.
func TestDeadline(t *testing.T) {
	b := newBench(t, shim.Limits{})
	done := 0
	h := asks(8, &done)
	o := b.round(h, "", nil)
	for i := 0; o.asked != nil; i++ {
		*b.clock = b.clock.Add(9 * 60e9)
		o = b.round(h, o.asked.State, map[string]any{fmt.Sprintf("k%d", i): yes()})
	}
	if !errors.Is(o.err, state.ErrInvalid) || done != 0 {
		t.Errorf("%+v", o)
	}
}
