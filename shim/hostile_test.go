package shim_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"testing"

	"github.com/mrtr-migrate/mrtr-migrate/shim"
	"github.com/mrtr-migrate/mrtr-migrate/shim/state"
)

// An effect that did not return is never run a second time, however the handler
// takes it: a panic that nobody recovers goes on, anything else is a fault before
// the next question.
func TestUnfinishedEffect(t *testing.T) {
	tests := []struct {
		name    string
		effect  func() (int, error)
		recover bool
		want    shim.Code // empty: the handler gets to its question
		crash   any
	}{
		{name: "returns", effect: func() (int, error) { return 1, nil }},
		{name: "fails", effect: func() (int, error) { return 0, errors.New("full") }},
		{name: "panics, recovered", effect: func() (int, error) { panic("bug") }, recover: true, want: shim.CodeUnfinished},
		{name: "panics", effect: func() (int, error) { panic("bug") }, want: shim.CodeUnfinished, crash: "bug"},
		{name: "exits", effect: func() (int, error) { runtime.Goexit(); return 0, nil }, want: shim.CodeUnfinished},
	}
	for _, style := range []string{"explicit", "blocking"} {
		for _, tt := range tests {
			t.Run(tt.name+"/"+style, func(t *testing.T) {
				b := newBench(t, shim.Limits{})
				effects, questions := 0, 0
				h := func(ctx context.Context, c *shim.Continuation) {
					func() {
						defer func() {
							if tt.recover {
								recover()
							}
						}()
						shim.Once(ctx, "e", func(context.Context) (int, error) { effects++; return tt.effect() })
					}()
					questions++
					if style == "blocking" {
						c.AskBlocking(ctx, elicit("q", "?"))
					} else {
						c.Ask(ctx, elicit("q", "?"))
					}
				}
				keys, last := b.play(h, func(string, string) any { return yes() })
				if effects != 1 {
					t.Errorf("the effect ran %d times", effects)
				}
				if tt.want == "" {
					if last.err != nil || len(keys) != 1 || questions != 2 {
						t.Errorf("asked %q, %+v", keys, last)
					}
					return
				}
				wantFault(t, last.err, tt.want)
				if len(keys) != 0 {
					t.Errorf("asked %q", keys)
				}
				if got := last.crash; (got == nil) != (tt.crash == nil) || got != nil && got.Value != tt.crash {
					t.Errorf("panic %v, want %v", got, tt.crash)
				}
			})
		}
	}
}

// A curious log handler looks at the request that a line is about, as one that
// marks the lines of a replay does.
type curious struct {
	slog.Handler
	lines, seen *int
}

func (h curious) WithGroup(string) slog.Handler { return h }

func (h curious) Handle(ctx context.Context, _ slog.Record) error {
	*h.lines++
	if c := shim.FromContext(ctx); c != nil {
		*h.seen++
		c.Pending()
	}
	if ctx.Value(curious{}) != "trace" {
		return errors.New("the request's values are missing")
	}
	return nil
}

// A log handler may use the context of its line: nothing waits for anything, and
// what else is in the context is there.
func TestLogHandlerLooksAtTheRequest(t *testing.T) {
	ring, err := state.NewRing(state.Key{Secret: bytes.Repeat([]byte{7}, 32)})
	if err != nil {
		t.Fatal(err)
	}
	var lines, seen int
	log := slog.New(curious{slog.NewTextHandler(new(logBuffer), nil), &lines, &seen})
	rt, err := shim.New(shim.Config{Ring: ring, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, shim.Limits{})
	ctx := context.WithValue(context.Background(), curious{}, "trace")
	for _, h := range []handler{
		func(ctx context.Context, c *shim.Continuation) { c.Ask(ctx, elicit("", "?")) },
		func(ctx context.Context, c *shim.Continuation) { c.Ask(ctx, elicit("k", "?")); panic("late") },
	} {
		before := lines
		ctx, c, err := rt.Open(ctx, b.request)
		if err != nil {
			t.Fatal(err)
		}
		c.Run(func() {
			h(ctx, c)
			log.InfoContext(ctx, "of the handler, which holds no lock")
		})
		c.Close()
		if lines == before {
			t.Error("nothing was logged")
		}
	}
	if seen != 1 {
		t.Errorf("%d lines had the continuation, want the handler's own", seen)
	}
}

// Names may hold dots, with which paths are joined. Two places whose keys read the
// same share neither an answer nor the record of an effect.
func TestPlacesThatReadTheSame(t *testing.T) {
	places := map[string]func(context.Context) (context.Context, string){
		"a.b / c":   func(ctx context.Context) (context.Context, string) { return shim.At(ctx, "a.b"), "c" },
		"a / b.c":   func(ctx context.Context) (context.Context, string) { return shim.At(ctx, "a"), "b.c" },
		"a / b / c": func(ctx context.Context) (context.Context, string) { return shim.At(shim.At(ctx, "a"), "b"), "c" },
		"a.b.c":     func(ctx context.Context) (context.Context, string) { return ctx, "a.b.c" },
	}
	for asked, first := range places {
		for used, second := range places {
			t.Run(asked+" then "+used, func(t *testing.T) {
				at, same := first, asked == used
				b := newBench(t, shim.Limits{})
				approvals := 0
				ask := func(ctx context.Context, c *shim.Continuation) {
					ctx, key := at(ctx)
					if approved(c.Ask(ctx, elicit(key, "Sure?"))) {
						approvals++
					}
				}
				o := b.round(ask, "", nil)
				key, _ := o.question(t)
				at = second
				again := b.round(ask, o.asked.State, map[string]any{key: yes()})
				if (approvals == 1) != same || again.err != nil || (again.asked == nil) != same {
					t.Errorf("%d approvals, %+v", approvals, again)
				}

				at = first
				effects := 0
				effect := func(ctx context.Context, c *shim.Continuation) {
					ctx, key := at(ctx)
					shim.Once(ctx, key, func(context.Context) (int, error) { effects++; return 1, nil })
					c.Ask(context.WithoutCancel(ctx), elicit("last", "?"))
				}
				o = b.round(effect, "", nil)
				key, _ = o.question(t)
				at = second
				again = b.round(effect, o.asked.State, map[string]any{key: yes()})
				if effects != 1 {
					t.Errorf("%d effects", effects)
				}
				if same && (again.err != nil || again.asked != nil) {
					t.Errorf("%+v", again)
				} else if !same {
					wantFault(t, again.err, shim.CodeDivergence)
				}
			})
		}
	}
}
