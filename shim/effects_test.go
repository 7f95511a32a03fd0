package shim_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/mrtr-migrate/mrtr-migrate/shim"
)

func TestOnce(t *testing.T) {
	type machine struct {
		ID   string
		Tags map[string]int
	}
	b := newBench(t, shim.Limits{})
	created := 0
	var got []machine
	h := func(ctx context.Context, c *shim.Continuation) {
		m, err := shim.Once(ctx, "create", func(context.Context) (*machine, error) {
			created++
			return &machine{ID: "m1", Tags: map[string]int{"a": created}}, nil
		})
		if c.Pending() {
			return
		}
		if err != nil {
			t.Error(err)
			return
		}
		got = append(got, *m)
		c.Ask(ctx, elicit("size", "Size?"))
		if c.Pending() {
			return
		}
		c.Ask(ctx, elicit("disk", "Disk?"))
	}
	_, last := b.play(h, func(string, string) any { return yes() })
	if last.err != nil || created != 1 || len(got) != 3 {
		t.Fatalf("created %d times, seen %v: %+v", created, got, last)
	}
	for _, m := range got {
		if m.ID != "m1" || m.Tags["a"] != 1 {
			t.Errorf("seen %v", got)
		}
	}
}

func TestOnceValues(t *testing.T) {
	b := newBench(t, shim.Limits{})
	runs := 0
	h := func(ctx context.Context, c *shim.Continuation) {
		p, err := shim.Once(ctx, "nil", func(context.Context) (*int, error) { runs++; return nil, nil })
		if p != nil || err != nil {
			t.Errorf("nil: %v, %v", p, err)
		}
		s, err := shim.Once(ctx, "empty", func(context.Context) (struct{}, error) { runs++; return struct{}{}, nil })
		if err != nil {
			t.Errorf("empty: %v, %v", s, err)
		}
		c.Ask(ctx, elicit("k", "Sure?"))
	}
	if _, last := b.play(h, func(string, string) any { return yes() }); last.err != nil || runs != 2 {
		t.Errorf("%d runs: %+v", runs, last)
	}
}

// An effect that failed has been tried: it is not tried again.
func TestOnceError(t *testing.T) {
	b := newBench(t, shim.Limits{})
	cause := errors.New("no quota")
	var seen []error
	h := func(ctx context.Context, c *shim.Continuation) {
		_, err := shim.Once(ctx, "create", func(context.Context) (int, error) { return 0, cause })
		seen = append(seen, err)
		c.Ask(ctx, elicit("k", "Go on without?"))
	}
	_, last := b.play(h, func(string, string) any { return yes() })
	var recorded *shim.EffectError
	if last.err != nil || len(seen) != 2 || seen[0] != cause || !errors.As(seen[1], &recorded) || seen[1].Error() != "no quota" {
		t.Errorf("%v: %+v", seen, last)
	}
}

func TestOnceNotSerialisable(t *testing.T) {
	type oneWay struct {
		V any `json:"v"`
	}
	tests := map[string]func(ctx context.Context) error{
		"function": func(ctx context.Context) error {
			_, err := shim.Once(ctx, "k", func(context.Context) (func(), error) { return func() {}, nil })
			return err
		},
		"interface": func(ctx context.Context) error {
			_, err := shim.Once(ctx, "k", func(context.Context) (interface{ M() }, error) { return mer{}, nil })
			return err
		},
		"reads back as another": func(ctx context.Context) error {
			_, err := shim.Once(ctx, "k", func(context.Context) (oneWay, error) { return oneWay{V: int64(9007199254740993)}, nil })
			return err
		},
	}
	for name, f := range tests {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, shim.Limits{})
			o := b.round(func(ctx context.Context, c *shim.Continuation) {
				wantFault(t, f(ctx), shim.CodeNotSerialisable)
				if !c.Pending() {
					t.Error("not pending after a fault")
				}
			}, "", nil)
			wantFault(t, o.err, shim.CodeNotSerialisable)
		})
	}
}

type mer struct{}

func (mer) M() {}

// diverge runs two programs against one state and returns the error of the second.
func diverge(t *testing.T, first, second handler, answers map[string]any) error {
	t.Helper()
	b := newBench(t, shim.Limits{})
	o := b.round(first, "", nil)
	if o.err != nil || o.asked == nil {
		t.Fatalf("%+v", o)
	}
	if same := b.round(first, o.asked.State, answers); same.err != nil {
		t.Fatalf("the same program: %v", same.err)
	}
	return b.round(second, o.asked.State, answers).err
}

func effect(ctx context.Context, key string, ran *[]string) error {
	_, err := shim.Once(ctx, key, func(context.Context) (string, error) { *ran = append(*ran, key); return key, nil })
	return err
}

func TestDivergence(t *testing.T) {
	var ran []string
	effects := func(question string, keys ...string) handler {
		return func(ctx context.Context, c *shim.Continuation) {
			for _, k := range keys {
				if effect(ctx, k, &ran); c.Pending() {
					return
				}
			}
			c.Ask(ctx, elicit("k", question))
		}
	}
	tests := []struct {
		name   string
		second handler
		ran    []string // effects that the second program may have run
	}{
		{"effect not reached", effects("Sure?", "a"), nil},
		{"no effect reached", effects("Sure?"), nil},
		{"other order", effects("Sure?", "b", "a"), nil},
		{"new effect before", effects("Sure?", "c", "a", "b"), nil},
		{"new effect between", effects("Sure?", "a", "c", "b"), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ran = nil
			err := diverge(t, effects("Sure?", "a", "b"), func(ctx context.Context, c *shim.Continuation) {
				ran = nil
				tt.second(ctx, c)
			}, map[string]any{"k": yes()})
			f := wantFault(t, err, shim.CodeDivergence)
			if !slices.Equal(f.Recorded, []string{"a", "b"}) || slices.Equal(f.Requested, f.Recorded) {
				t.Errorf("recorded %q, requested %q", f.Recorded, f.Requested)
			}
			if !slices.Equal(ran, tt.ran) {
				t.Errorf("ran %q", ran)
			}
		})
	}
	t.Run("new effect after", func(t *testing.T) {
		b := newBench(t, shim.Limits{})
		o := b.round(effects("Sure?", "a"), "", nil)
		ran = nil
		if o = b.round(effects("Sure?", "a", "b"), o.asked.State, map[string]any{"k": yes()}); o.err != nil || !slices.Equal(ran, []string{"b"}) {
			t.Errorf("ran %q: %+v", ran, o)
		}
	})
}

// An answer that an effect came after cannot be forgotten.
func TestChangedQuestionBeforeEffect(t *testing.T) {
	b := newBench(t, shim.Limits{})
	text, done := "Create a?", 0
	h := func(ctx context.Context, c *shim.Continuation) {
		if _, err := c.Ask(ctx, elicit("first", text)); c.Pending() || err != nil {
			return
		}
		shim.Once(ctx, "create", func(context.Context) (int, error) { done++; return done, nil })
		if c.Pending() {
			return
		}
		c.Ask(ctx, elicit("second", "Attach?"))
	}
	o := b.round(h, "", nil)
	o = b.round(h, o.asked.State, map[string]any{"first": yes()})
	if key, _ := o.question(t); key != "second" || done != 1 {
		t.Fatalf("%q, %d effects", key, done)
	}
	text = "Create b?"
	changed := b.round(h, o.asked.State, map[string]any{"second": yes()})
	wantFault(t, changed.err, shim.CodeDivergence)
	text = "Create a?"
	if same := b.round(h, o.asked.State, map[string]any{"second": yes()}); same.err != nil || same.asked != nil || done != 1 {
		t.Errorf("%+v, %d effects", same, done)
	}
}

func TestMisuseOfOnce(t *testing.T) {
	value := func(context.Context) (int, error) { return 1, nil }
	if v, err := shim.Once(context.Background(), "x", value); v != 1 || err != nil {
		t.Errorf("without a continuation: %d, %v", v, err)
	}
	tests := []struct {
		name string
		code shim.Code
		h    handler
	}{
		{"same key twice", shim.CodeDuplicateKey, func(ctx context.Context, c *shim.Continuation) {
			shim.Once(ctx, "k", value)
			shim.Once(ctx, "k", value)
		}},
		{"key of a question", shim.CodeDuplicateKey, func(ctx context.Context, c *shim.Continuation) {
			shim.Once(ctx, "k", value)
			c.Ask(ctx, elicit("k", "?"))
		}},
		{"question inside", shim.CodeNested, func(ctx context.Context, c *shim.Continuation) {
			shim.Once(ctx, "k", func(inner context.Context) (int, error) {
				c.Ask(inner, elicit("q", "?"))
				return 1, nil
			})
		}},
		{"question inside, outer context", shim.CodeNested, func(ctx context.Context, c *shim.Continuation) {
			shim.Once(ctx, "k", func(context.Context) (int, error) {
				c.Ask(ctx, elicit("q", "?"))
				return 1, nil
			})
		}},
		{"effect inside", shim.CodeNested, func(ctx context.Context, c *shim.Continuation) {
			shim.Once(ctx, "k", func(inner context.Context) (int, error) { return shim.Once(inner, "l", value) })
		}},
		{"question inside, other goroutine", shim.CodeNested, func(ctx context.Context, c *shim.Continuation) {
			shim.Once(ctx, "k", func(inner context.Context) (int, error) {
				done := make(chan struct{})
				go func() { defer close(done); c.Ask(inner, elicit("q", "?")) }()
				<-done
				return 1, nil
			})
		}},
		{"other goroutine", shim.CodeWrongGoroutine, func(ctx context.Context, c *shim.Continuation) {
			done := make(chan struct{})
			go func() {
				defer close(done)
				shim.Once(ctx, "k", func(context.Context) (int, error) { t.Error("the effect ran"); return 1, nil })
			}()
			<-done
		}},
		{"no key", shim.CodeKey, func(ctx context.Context, c *shim.Continuation) { shim.Once(ctx, "", value) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, shim.Limits{})
			o := b.round(tt.h, "", nil)
			wantFault(t, o.err, tt.code)
			if !b.log.has(tt.code) {
				t.Error("not logged")
			}
		})
	}
}

// After a question is pending, and after a fault, no effect starts.
func TestOnceAfterTheEnd(t *testing.T) {
	b := newBench(t, shim.Limits{})
	h := func(ctx context.Context, c *shim.Continuation) {
		c.Ask(ctx, elicit("q", "?"))
		_, err := shim.Once(ctx, "k", func(context.Context) (int, error) { t.Error("the effect ran"); return 1, nil })
		if !errors.Is(err, shim.ErrInputRequired) {
			t.Error(err)
		}
	}
	if o := b.round(h, "", nil); o.asked == nil {
		t.Errorf("%+v", o)
	}
}

// The record of an effect that is too large ends the operation with the effect
// done, which the log says.
func TestLargeEffect(t *testing.T) {
	b := newBench(t, shim.Limits{Answer: 100})
	big := func(n int) handler {
		return func(ctx context.Context, c *shim.Continuation) {
			shim.Once(ctx, "k", func(context.Context) (string, error) { return strings.Repeat("x", n), nil })
		}
	}
	if o := b.round(big(80), "", nil); o.err != nil {
		t.Error(o.err)
	}
	wantFault(t, b.round(big(100), "", nil).err, shim.CodeStateSize)
}
