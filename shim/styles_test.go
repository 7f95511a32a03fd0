package shim_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/mrtr-migrate/mrtr-migrate/shim"
)

// An asking is Ask or AskBlocking.
type asking func(context.Context, shim.Ask) (bool, error)

func explicit(c *shim.Continuation) asking {
	return func(ctx context.Context, a shim.Ask) (bool, error) {
		raw, err := c.Ask(ctx, a)
		return approved(raw, err), err
	}
}

func blocking(c *shim.Continuation) asking {
	return func(ctx context.Context, a shim.Ask) (bool, error) {
		raw, err := c.AskBlocking(ctx, a)
		return approved(raw, err), err
	}
}

// failOpen are handlers that treat a failed ask as an answer. Each calls effect
// unless the check that follows the ask ends it: pending in the explicit style,
// nothing in the blocking one.
var failOpen = map[string]func(ctx context.Context, ask asking, pending func() bool, effect func()) error{
	"error ignored": func(ctx context.Context, ask asking, pending func() bool, effect func()) error {
		ok, _ := ask(ctx, elicit("k", "Sure?"))
		if pending() {
			return nil
		}
		_ = ok
		effect()
		return nil
	},
	"fallback on error": func(ctx context.Context, ask asking, pending func() bool, effect func()) error {
		ok, err := ask(ctx, elicit("k", "Sure?"))
		if pending() {
			return nil
		}
		if err != nil {
			ok = true // "the client cannot be asked"
		}
		if ok {
			effect()
		}
		return nil
	},
	"%v": func(ctx context.Context, ask asking, pending func() bool, effect func()) error {
		helper := func() error {
			_, err := ask(ctx, elicit("k", "Sure?"))
			if err != nil {
				return fmt.Errorf("asking: %v", err)
			}
			return nil
		}
		err := helper()
		if pending() {
			return err
		}
		if err == nil || !errors.Is(err, shim.ErrInputRequired) {
			effect()
		}
		return err
	},
	"errors.Join": func(ctx context.Context, ask asking, pending func() bool, effect func()) error {
		_, err := ask(ctx, elicit("k", "Sure?"))
		err = errors.Join(errors.New("a"), err)
		if pending() {
			return err
		}
		effect()
		return err
	},
	"deferred recover": func(ctx context.Context, ask asking, pending func() bool, effect func()) (err error) {
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("recovered: %v", r)
			}
		}()
		func() {
			defer func() { recover() }()
			ask(ctx, elicit("k", "Sure?"))
		}()
		if pending() {
			return err
		}
		effect()
		return nil
	},
	"retry loop": func(ctx context.Context, ask asking, pending func() bool, effect func()) error {
		for range 5 {
			if ok, err := ask(ctx, elicit("k", "Sure?")); err == nil && ok {
				break
			}
		}
		if pending() {
			return nil
		}
		effect()
		return nil
	},
	"fallback question": func(ctx context.Context, ask asking, pending func() bool, effect func()) error {
		if _, err := ask(ctx, elicit("k", "Sure?")); err != nil {
			ask(ctx, elicit("other", "Then this?"))
		}
		if pending() {
			return nil
		}
		effect()
		return nil
	},
}

// TestFailOpen plays each handler in both styles: the question goes out alone,
// the effect runs only after the answer, and a fault does not let it run either.
func TestFailOpen(t *testing.T) {
	for name, body := range failOpen {
		for _, style := range []string{"explicit", "blocking"} {
			t.Run(name+"/"+style, func(t *testing.T) {
				b := newBench(t, shim.Limits{})
				effects := 0
				h := func(ctx context.Context, c *shim.Continuation) {
					ask, pending := explicit(c), c.Pending
					if style == "blocking" {
						ask, pending = blocking(c), func() bool { return false }
					}
					body(ctx, ask, pending, func() { effects++ })
				}
				o := b.round(h, "", nil)
				if key, _ := o.question(t); key != "k" || effects != 0 {
					t.Fatalf("asked %q, %d effects", key, effects)
				}
				if again := b.round(h, o.asked.State, map[string]any{}); again.asked == nil || effects != 0 {
					t.Fatalf("without an answer: %+v, %d effects", again, effects)
				}
				b.request.PrincipalErr = errors.New("no name") // a fault at the ask
				faulty := b.round(h, "", nil)
				wantFault(t, faulty.err, shim.CodeCaller)
				if effects != 0 {
					t.Fatalf("%d effects after a fault", effects)
				}
				b.request.PrincipalErr = nil
				if last := b.round(h, o.asked.State, map[string]any{"k": yes()}); last.err != nil || last.asked != nil || effects != 1 {
					t.Errorf("answered: %+v, %d effects", last, effects)
				}
			})
		}
	}
}

// The context of a suspended handler says why it ended, so that work under it
// stops.
func TestCommitmentCancels(t *testing.T) {
	b := newBench(t, shim.Limits{})
	o := b.round(func(ctx context.Context, c *shim.Continuation) {
		child, cancel := context.WithCancel(ctx)
		defer cancel()
		if ctx.Err() != nil {
			t.Error("cancelled before the ask")
		}
		c.Ask(child, elicit("k", "?"))
		if child.Err() == nil || context.Cause(child) != shim.ErrInputRequired {
			t.Errorf("cause %v", context.Cause(child))
		}
	}, "", nil)
	if o.asked == nil {
		t.Errorf("%+v", o)
	}
}

// A blocking ask that suspends runs deferred functions and nothing else, and a
// recover in them does not hold it up.
func TestBlockingUnwinds(t *testing.T) {
	b := newBench(t, shim.Limits{})
	var ran []string
	h := func(ctx context.Context, c *shim.Continuation) {
		defer func() { ran = append(ran, "outer") }()
		defer func() {
			if r := recover(); r != nil {
				t.Errorf("recovered %v", r)
			}
			defer func() { recover() }()
			panic("in a deferred function")
		}()
		c.AskBlocking(ctx, elicit("k", "?"))
		ran = append(ran, "after")
	}
	o := b.round(h, "", nil)
	if o.asked == nil || o.crash != nil || !slices.Equal(ran, []string{"outer"}) {
		t.Errorf("ran %q: %+v", ran, o)
	}
	ran = nil
	if o = b.round(h, o.asked.State, map[string]any{"k": yes()}); o.asked != nil || !slices.Equal(ran, []string{"after", "outer"}) {
		t.Errorf("ran %q: %+v", ran, o)
	}
}

// A deferred function of a suspended handler that asks gets neither an answer nor
// a question of its own, and must not take the refusal for one.
func TestAskDuringUnwinding(t *testing.T) {
	b := newBench(t, shim.Limits{})
	effects, released, refused := 0, false, error(nil)
	h := func(ctx context.Context, c *shim.Continuation) {
		defer func() { released = true }()
		defer func() { _, refused = c.Ask(ctx, elicit("explicit", "Tidy up?")) }()
		defer func() {
			if _, err := c.AskBlocking(ctx, elicit("late", "Tidy up?")); err != nil {
				effects++ // fails open
			}
		}()
		c.AskBlocking(ctx, elicit("k", "Sure?"))
	}
	o := b.round(h, "", nil)
	if key, _ := o.question(t); key != "k" || effects != 0 || !released {
		t.Errorf("asked %q, %d effects, released %v", key, effects, released)
	}
	wantFault(t, refused, shim.CodeUnwinding)
	if !b.log.has(shim.CodeUnwinding) {
		t.Error("not logged")
	}
	// Once k is answered, the deferred functions ask like any other code.
	o = b.round(h, o.asked.State, map[string]any{"k": yes()})
	if key, _ := o.question(t); key != "late" || effects != 0 {
		t.Errorf("asked %q, %d effects", key, effects)
	}
}

// On a goroutine that the handler started, a blocking ask returns: whoever waits
// for that goroutine must not wait for ever.
func TestConcurrentAsks(t *testing.T) {
	const n = 3
	shapes := map[string]func(ctx context.Context, ask func(context.Context, int) error) error{
		"errgroup": func(ctx context.Context, ask func(context.Context, int) error) error {
			g, ctx := errgroup.WithContext(ctx)
			for i := range n {
				g.Go(func() error { return ask(ctx, i) })
			}
			return g.Wait()
		},
		"waitgroup": func(ctx context.Context, ask func(context.Context, int) error) error {
			var wg sync.WaitGroup
			errs := make([]error, n)
			for i := range n {
				wg.Go(func() { errs[i] = ask(ctx, i) })
			}
			wg.Wait()
			return errors.Join(errs...)
		},
		"channel": func(ctx context.Context, ask func(context.Context, int) error) error {
			var errs []error
			for i := range n {
				ch := make(chan error)
				go func() { ch <- ask(ctx, i) }()
				errs = append(errs, <-ch)
			}
			return errors.Join(errs...)
		},
	}
	for name, shape := range shapes {
		for _, style := range []string{"explicit", "blocking"} {
			t.Run(name+"/"+style, func(t *testing.T) {
				b := newBench(t, shim.Limits{})
				effects := 0
				h := func(ctx context.Context, c *shim.Continuation) {
					ask := explicit(c)
					if style == "blocking" {
						ask = blocking(c)
					}
					err := shape(ctx, func(ctx context.Context, i int) error {
						_, err := ask(ctx, elicit(shim.Key("k", i), fmt.Sprintf("Sure of %d?", i)))
						return err
					})
					if err == nil {
						effects++
					}
				}
				keys, last := b.play(h, func(string, string) any { return yes() })
				if last.err != nil || effects != 1 || len(keys) != n {
					t.Errorf("asked %q, %d effects: %+v", keys, effects, last)
				}
				slices.Sort(keys)
				if len(slices.Compact(keys)) != n {
					t.Errorf("asked %q", keys)
				}
				if style == "blocking" && !b.log.has(shim.CodeReturned) {
					t.Error("no warning that the handler returned after it was suspended")
				}
			})
		}
	}
}

func TestPanics(t *testing.T) {
	b := newBench(t, shim.Limits{})
	var nilAnswer *struct{ Action string }
	h := func(ctx context.Context, c *shim.Continuation) {
		c.Ask(ctx, elicit("k", "?"))
		_ = nilAnswer.Action // an ignored error, and no answer
	}
	o := b.round(h, "", nil)
	if o.asked == nil || o.crash != nil || !b.log.has(shim.CodePanicked) {
		t.Errorf("with a question pending: %+v", o)
	}
	o = b.round(func(context.Context, *shim.Continuation) { panic("bug") }, "", nil)
	if o.asked != nil || o.err != nil || o.crash == nil || o.crash.Value != "bug" || len(o.crash.Stack) == 0 {
		t.Errorf("with nothing pending: %+v", o)
	}
}

func TestForeignGoexit(t *testing.T) {
	b := newBench(t, shim.Limits{})
	o := b.round(func(context.Context, *shim.Continuation) { runtime.Goexit() }, "", nil)
	wantFault(t, o.err, shim.CodeForeignGoexit)
	o = b.round(func(ctx context.Context, c *shim.Continuation) {
		c.Ask(ctx, elicit("k", "?"))
		runtime.Goexit()
	}, "", nil)
	if o.asked == nil {
		t.Errorf("with a question pending: %+v", o)
	}
}

// Nothing of an operation stays in the process between rounds.
func TestNoGoroutineLeak(t *testing.T) {
	b := newBench(t, shim.Limits{})
	h := func(ctx context.Context, c *shim.Continuation) {
		done := make(chan struct{})
		go func() { // ends with its handler's context, as code under a deadline does
			defer close(done)
			<-ctx.Done()
		}()
		c.AskBlocking(ctx, elicit("k", "?"))
	}
	b.round(h, "", nil)
	before := runtime.NumGoroutine()
	for range 2000 {
		if o := b.round(h, "", nil); o.asked == nil {
			t.Fatalf("%+v", o)
		}
	}
	deadline := time.Now().Add(10 * time.Second)
	for runtime.NumGoroutine() > before && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines before, %d after 2000 abandoned questions", before, after)
	}
}
