package shim_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mrtr-migrate/mrtr-migrate/shim"
	"github.com/mrtr-migrate/mrtr-migrate/shim/state"
)

// A context that is kept beyond its request is of no use, not even within
// another request of the same tool.
func TestClosedContinuation(t *testing.T) {
	b := newBench(t, shim.Limits{})
	var kept context.Context
	first := b.round(func(ctx context.Context, c *shim.Continuation) {
		kept = ctx
		c.Ask(ctx, elicit("k", "Sure?"))
	}, "", nil)
	answers := map[string]any{"k": yes()}
	uses := map[string]func(*shim.Continuation) error{
		"ask": func(c *shim.Continuation) error { _, err := c.Ask(kept, elicit("k", "Sure?")); return err },
		"blocking ask": func(c *shim.Continuation) error {
			_, err := c.AskBlocking(kept, elicit("k", "Sure?"))
			return err
		},
		"effect": func(*shim.Continuation) error {
			_, err := shim.Once(kept, "e", func(context.Context) (int, error) { t.Error("the effect ran"); return 0, nil })
			return err
		},
		"close": func(c *shim.Continuation) error { _, err := c.Close(); return err },
		"err":   func(c *shim.Continuation) error { return c.Err() },
	}
	for name, use := range uses {
		t.Run(name, func(t *testing.T) {
			var err error
			o := b.round(func(ctx context.Context, own *shim.Continuation) {
				old := shim.FromContext(kept)
				if own == old {
					t.Fatal("the kept context leads to this request's continuation")
				}
				err = use(old)
				if !old.Pending() {
					t.Error("a closed continuation is not pending")
				}
				if own.Pending() {
					t.Error("the other request is affected")
				}
			}, first.asked.State, answers)
			wantFault(t, err, shim.CodeClosed)
			if !errors.Is(err, shim.ErrClosed) {
				t.Errorf("%v is not ErrClosed", err)
			}
			if o.err != nil || o.asked != nil {
				t.Errorf("%+v", o)
			}
		})
	}
}

// The pending check is true from the first unanswered question on, and in no
// finished round; of a request that has ended it is true whatever it ended with.
func TestPendingCheck(t *testing.T) {
	b := newBench(t, shim.Limits{})
	var kept *shim.Continuation
	h := func(ctx context.Context, c *shim.Continuation) {
		kept = c
		if c.Pending() {
			t.Error("pending at the start")
		}
		raw, err := c.Ask(ctx, elicit("k", "?"))
		if c.Pending() != errors.Is(err, shim.ErrInputRequired) || c.Pending() == approved(raw, err) {
			t.Errorf("pending is %v after %v", c.Pending(), err)
		}
	}
	o := b.round(h, "", nil)
	if o.asked == nil || !kept.Pending() {
		t.Errorf("%+v", o)
	}
	if o = b.round(h, o.asked.State, map[string]any{"k": yes()}); o.asked != nil || o.err != nil || !kept.Pending() {
		t.Errorf("%+v", o)
	}
}

// After a fault nothing goes on, and the first fault is the result.
func TestAfterAFault(t *testing.T) {
	b := newBench(t, shim.Limits{})
	o := b.round(func(ctx context.Context, c *shim.Continuation) {
		if c.Err() != nil || c.Pending() {
			t.Error("pending at the start")
		}
		_, err := c.Ask(ctx, elicit("not a key", "?"))
		wantFault(t, err, shim.CodeKey)
		if !c.Pending() || c.Err() == nil {
			t.Error("not pending after a fault")
		}
		var f *shim.Fault
		if !errors.As(context.Cause(ctx), &f) {
			t.Errorf("cause %v", context.Cause(ctx))
		}
		_, err = c.Ask(ctx, elicit("k", "?"))
		wantFault(t, err, shim.CodeKey)
		_, err = shim.Once(ctx, "e", func(context.Context) (int, error) { t.Error("the effect ran"); return 0, nil })
		wantFault(t, err, shim.CodeKey)
	}, "", nil)
	wantFault(t, o.err, shim.CodeKey)
}

func TestCancelledRequest(t *testing.T) {
	b := newBench(t, shim.Limits{})
	parent, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("the client has gone")
	ctx, c, err := b.rt.Open(parent, b.request)
	if err != nil {
		t.Fatal(err)
	}
	cancel(gone)
	if _, err := c.Ask(ctx, elicit("k", "?")); err != gone {
		t.Errorf("ask: %v", err)
	}
	_, err = shim.Once(ctx, "e", func(context.Context) (int, error) { t.Error("the effect ran"); return 0, nil })
	if err != gone {
		t.Errorf("effect: %v", err)
	}
	if asked, err := c.Close(); asked != nil || err != nil {
		t.Errorf("%+v, %v", asked, err)
	}
	// A context of the handler's own that has ended stops the ask, not the request.
	o := b.round(func(ctx context.Context, c *shim.Continuation) {
		short, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := c.Ask(short, elicit("k", "?")); !errors.Is(err, context.Canceled) {
			t.Errorf("ask: %v", err)
		}
		c.Ask(ctx, elicit("k", "?"))
	}, "", nil)
	if o.asked == nil {
		t.Errorf("%+v", o)
	}
}

func TestCapabilities(t *testing.T) {
	form := shim.Ask{Key: "k", Kind: shim.Elicitation, Params: []byte(`{"message":"?"}`)}
	url := shim.Ask{Key: "k", Kind: shim.Elicitation, Params: []byte(`{"message":"?","url":"https://example.com","elicitationId":"x"}`)}
	sampling := shim.Ask{Key: "k", Kind: shim.Sampling, Params: []byte(`{"messages":null,"maxTokens":1}`)}
	noTools := shim.Ask{Key: "k", Kind: shim.Sampling, Params: []byte(`{"messages":[],"maxTokens":1,"tools":[]}`)}
	tools := shim.Ask{Key: "k", Kind: shim.Sampling, Params: []byte(`{"messages":[],"maxTokens":1,"tools":[{"name":"t"}]}`)}
	choice := shim.Ask{Key: "k", Kind: shim.Sampling, Params: []byte(`{"messages":[],"maxTokens":1,"toolChoice":{"mode":"auto"}}`)}
	roots := shim.Ask{Key: "k", Kind: shim.Roots}
	const (
		needForm, needURL       = `{"elicitation":{"form":{}}}`, `{"elicitation":{"url":{}}}`
		needSampling, needTools = `{"sampling":{}}`, `{"sampling":{"tools":{}}}`
		needRoots               = `{"roots":{}}`
		noElicitation           = "client does not support elicitation"
	)
	tests := []struct {
		caps     string
		ask      shim.Ask
		required string // empty: the question goes out
		text     string
	}{
		{``, form, needForm, noElicitation},
		{`null`, form, needForm, noElicitation},
		{`{}`, form, needForm, noElicitation},
		{`{"elicitation":true}`, form, needForm, noElicitation},
		{`{"elicitation":null}`, form, needForm, noElicitation},
		{`{"elicitation":{}}`, form, "", ""},
		{`{"elicitation":{"form":{}}}`, form, "", ""},
		{`{"elicitation":{"url":{}}}`, form, needForm, `client does not support "form" elicitation`},
		{`{"elicitation":{"form":{},"url":{}}}`, form, "", ""},
		{`{}`, url, needURL, noElicitation},
		{`{"elicitation":{}}`, url, needURL, `client does not support "url" elicitation`},
		{`{"elicitation":{"form":{}}}`, url, needURL, `client does not support "url" elicitation`},
		{`{"elicitation":{"url":{}}}`, url, "", ""},
		{`{"elicitation":{"form":{},"url":{}}}`, url, "", ""},
		{`{"elicitation":{"form":{}}}`, sampling, needSampling, "client does not support CreateMessage"},
		{`{"sampling":{}}`, sampling, "", ""},
		{`{"sampling":{}}`, noTools, "", ""},
		{`{"sampling":{}}`, tools, needTools, "client does not support CreateMessage with tools"},
		{`{"sampling":{}}`, choice, needTools, "client does not support CreateMessage with tools"},
		{`{"sampling":{"tools":{}}}`, tools, "", ""},
		{`{"sampling":{"tools":{}}}`, choice, "", ""},
		{`{"sampling":{"tools":{}}}`, roots, needRoots, "client does not support roots"},
		{`{"roots":{}}`, roots, "", ""},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s/%s", tt.caps, tt.ask.Params), func(t *testing.T) {
			b := newBench(t, shim.Limits{})
			b.request.Capabilities = json.RawMessage(tt.caps)
			var err error
			o := b.round(func(ctx context.Context, c *shim.Continuation) {
				_, err = c.Ask(ctx, tt.ask)
				if tt.required != "" && (c.Pending() || ctx.Err() != nil) {
					t.Error("a handler that could do without is stopped")
				}
			}, "", nil)
			if tt.required == "" {
				key, params := o.question(t)
				if key != "k" || strings.Contains(params, "elicitationId") {
					t.Errorf("asked %s %s", key, params)
				}
				return
			}
			var missing *shim.CapabilityError
			if !errors.As(err, &missing) || string(missing.Required) != tt.required || err.Error() != tt.text {
				t.Errorf("error %v", err)
			}
			if o.asked != nil || o.err != nil {
				t.Errorf("%+v", o)
			}
		})
	}
}

// Capabilities belong to each request: what an earlier one declared covers no
// question of a later one, and an answer once given needs none.
func TestCapabilitiesOfEachRequest(t *testing.T) {
	b := newBench(t, shim.Limits{})
	var errs []error
	h := func(ctx context.Context, c *shim.Continuation) {
		errs = nil
		for _, key := range []string{"a", "b"} {
			_, err := c.Ask(ctx, elicit(key, "?"))
			errs = append(errs, err)
			if c.Pending() {
				return
			}
		}
	}
	o := b.round(h, "", nil)
	b.request.Capabilities = []byte(`{}`)
	o = b.round(h, o.asked.State, map[string]any{"a": yes()})
	var missing *shim.CapabilityError
	if o.asked != nil || len(errs) != 2 || errs[0] != nil || !errors.As(errs[1], &missing) {
		t.Errorf("%v: %+v", errs, o)
	}
}

func TestWireForms(t *testing.T) {
	tests := []struct {
		kind         shim.Kind
		params, want string
	}{
		{shim.Elicitation, `{"message":"?"}`, `{"message":"?","mode":"form","requestedSchema":{"type":"object","properties":{}}}`},
		{shim.Elicitation, `{"mode":"","message":"?","requestedSchema":null,"_meta":{"a":1},"task":{}}`, `{"message":"?","mode":"form","requestedSchema":{"type":"object","properties":{}}}`},
		{shim.Elicitation, `{"message":"?","url":"https://example.com"}`, `{"message":"?","mode":"url","url":"https://example.com"}`},
		{shim.Elicitation, `{"message":"?","mode":"form","url":""}`, `{"message":"?","mode":"form","requestedSchema":{"type":"object","properties":{}},"url":""}`},
		{shim.Sampling, `{"maxTokens":1,"_meta":{}}`, `{"maxTokens":1,"messages":[]}`},
		{shim.Roots, ``, `{}`},
		{shim.Roots, `{"_meta":{"progressToken":1}}`, `{}`},
		{shim.Roots, `{"_meta":{"progressToken":1,"a":2}}`, `{"_meta":{"a":2}}`},
	}
	for _, tt := range tests {
		b := newBench(t, shim.Limits{})
		o := b.round(func(ctx context.Context, c *shim.Continuation) {
			c.Ask(ctx, shim.Ask{Key: "k", Kind: tt.kind, Params: []byte(tt.params)})
		}, "", nil)
		_, params := o.question(t)
		var got, want any
		json.Unmarshal([]byte(params), &got)
		json.Unmarshal([]byte(tt.want), &want)
		g, _ := json.Marshal(got)
		w, _ := json.Marshal(want)
		if !bytes.Equal(g, w) || o.asked.Requests["k"].Method != tt.kind.Method() {
			t.Errorf("%s\n got %s\nwant %s", tt.params, g, w)
		}
	}
}

func TestBadQuestions(t *testing.T) {
	tests := []struct {
		ask  shim.Ask
		code shim.Code
	}{
		{shim.Ask{Key: "k", Kind: shim.Elicitation, Params: []byte(`!`)}, shim.CodeQuestion},
		{shim.Ask{Key: "k", Kind: shim.Elicitation, Params: []byte(`[]`)}, shim.CodeQuestion},
		{shim.Ask{Key: "k", Kind: shim.Elicitation, Params: []byte(`{"mode":"voice"}`)}, shim.CodeQuestion},
		{shim.Ask{Key: "k", Kind: shim.Elicitation, Params: []byte(`{"mode":1}`)}, shim.CodeQuestion},
		{shim.Ask{Key: "k", Kind: 9, Params: []byte(`{}`)}, shim.CodeQuestion},
		{shim.Ask{Key: "k", Kind: shim.Roots, Facts: []json.RawMessage{[]byte(`!`)}}, shim.CodeNotSerialisable},
		{shim.Ask{Key: "k", Kind: shim.Elicitation, Params: []byte(`{"message":"\ud800"}`)}, shim.CodeNotSerialisable},
		{shim.Ask{Key: "", Kind: shim.Roots}, shim.CodeKey},
		{shim.Ask{Key: "a b", Kind: shim.Roots}, shim.CodeKey},
		{shim.Ask{Key: shim.Key("k", func() {}), Kind: shim.Roots}, shim.CodeKey},
	}
	for _, tt := range tests {
		b := newBench(t, shim.Limits{})
		o := b.round(func(ctx context.Context, c *shim.Continuation) { c.Ask(ctx, tt.ask) }, "", nil)
		wantFault(t, o.err, tt.code)
	}
}

// A request that cannot be tied to its answers is served as long as it asks
// nothing.
func TestAmbiguousArguments(t *testing.T) {
	b := newBench(t, shim.Limits{})
	b.request.Arguments = []byte(`{"a":1,"a":2}`)
	if o := b.round(func(context.Context, *shim.Continuation) {}, "", nil); o.err != nil || o.asked != nil {
		t.Errorf("%+v", o)
	}
	o := b.round(func(ctx context.Context, c *shim.Continuation) { c.Ask(ctx, elicit("k", "?")) }, "", nil)
	if f := wantFault(t, o.err, shim.CodeRequest); !f.Diagnostic().Peer {
		t.Error("the peer is to blame")
	}
}

func TestDiagnostics(t *testing.T) {
	seen := map[shim.Code]bool{}
	last := shim.Code("")
	for _, d := range shim.Diagnostics() {
		if seen[d.Code] || d.Title == "" || d.Meaning == "" || d.Do == "" || d.Title != strings.ToLower(d.Title[:1])+d.Title[1:] {
			t.Errorf("%+v", d)
		}
		if d.Code <= last {
			t.Errorf("%s after %s", d.Code, last)
		}
		seen[d.Code], last = true, d.Code
	}
	f := &shim.Fault{Code: shim.CodeDivergence, Key: "k", Recorded: []string{"a"}, Requested: []string{"b"}}
	if want := `MRTR1001: the handler no longer does what its journal records (key "k"): recorded ["a"], this run ["b"]`; f.Error() != want {
		t.Errorf("%q", f.Error())
	}
}

func TestNewErrors(t *testing.T) {
	if _, err := shim.New(shim.Config{}); !errors.Is(err, state.ErrNoKey) {
		t.Errorf("without a ring: %v", err)
	}
	ring, err := state.EphemeralRing()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := shim.New(shim.Config{Ring: ring, Limits: shim.Limits{Rounds: -1}}); err == nil {
		t.Error("a negative limit is accepted")
	}
	if _, err := shim.New(shim.Config{Ring: ring}); err != nil {
		t.Error(err)
	}
}

// No answer, argument or token appears in the log or in a fault.
func TestNothingLeaks(t *testing.T) {
	b := newBench(t, shim.Limits{})
	b.request.Arguments = []byte(`{"password":"hunter2"}`)
	text := "Sure?"
	h := func(ctx context.Context, c *shim.Continuation) {
		c.Ask(ctx, elicit("a", text))
		c.Ask(ctx, elicit("b", "?"))
		if !c.Pending() {
			panic("hunter2 panics")
		}
		panic(errors.New("hunter2 panics"))
	}
	o := b.round(h, "", nil)
	token := o.asked.State
	o = b.round(h, token, map[string]any{"a": map[string]any{"action": "accept", "content": map[string]any{"ok": true, "note": "hunter2"}}})
	text = "Really sure?"
	o = b.round(h, o.asked.State, map[string]any{"a": "hunter2"})
	b.request.Arguments = []byte(`{"password":"hunter2","password":"x"}`)
	bad := b.round(h, "", nil)
	wantFault(t, bad.err, shim.CodeRequest)
	all := b.log.String() + bad.err.Error() + fmt.Sprint(o.err)
	if strings.Contains(all, "hunter2") || strings.Contains(all, token) || !b.log.has(shim.CodeQuestionChanged) || !b.log.has(shim.CodePanicked) {
		t.Error(all)
	}
}
