package shim_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/mrtr-migrate/mrtr-migrate/shim"
)

// confirm is the handler of most tests: it asks under key and has its effect if
// the answer is yes. It has the explicit style's pending check.
func confirm(a shim.Ask, effect func()) handler {
	return func(ctx context.Context, c *shim.Continuation) {
		raw, err := c.Ask(ctx, a)
		if c.Pending() {
			return
		}
		if approved(raw, err) {
			effect()
		}
	}
}

func TestAskThenAnswer(t *testing.T) {
	b := newBench(t, shim.Limits{})
	effects := 0
	h := confirm(elicit("sure", "Sure?"), func() { effects++ })
	first := b.round(h, "", nil)
	key, params := first.question(t)
	if key != "sure" || !strings.Contains(params, `"mode":"form"`) || !strings.Contains(params, "requestedSchema") {
		t.Errorf("question %s %s", key, params)
	}
	if effects != 0 {
		t.Fatal("the effect ran without an answer")
	}
	if last := b.round(h, first.asked.State, map[string]any{"sure": yes()}); last.err != nil || last.asked != nil || effects != 1 {
		t.Errorf("%+v, %d effects", last, effects)
	}
	for _, no := range []any{decline(), map[string]any{"action": "cancel", "content": nil}, accept(false)} {
		if last := b.round(h, first.asked.State, map[string]any{"sure": no}); last.err != nil || last.asked != nil || effects != 1 {
			t.Errorf("%v: %+v, %d effects", no, last, effects)
		}
	}
}

// A request that brings answers but no state gets the question: nothing was asked.
func TestForgedFirstCall(t *testing.T) {
	b := newBench(t, shim.Limits{})
	effects := 0
	h := confirm(elicit("sure", "Sure?"), func() { effects++ })
	o := b.round(h, "", map[string]any{"sure": yes()})
	if key, _ := o.question(t); key != "sure" || effects != 0 {
		t.Errorf("asked %q, %d effects", key, effects)
	}
	if o = b.round(h, o.asked.State, map[string]any{"sure": yes()}); o.asked != nil || effects != 1 {
		t.Errorf("the answer to the question: %+v, %d effects", o, effects)
	}
}

// An answer counts only for a key that the verified state says was pending, even
// if the handler asks under that key later in the very same run.
func TestAnswerOnlyToPending(t *testing.T) {
	b := newBench(t, shim.Limits{})
	var got []bool
	h := func(ctx context.Context, c *shim.Continuation) {
		got = nil
		for _, key := range []string{"first", "second"} {
			raw, err := c.Ask(ctx, elicit(key, key+"?"))
			if c.Pending() {
				return
			}
			got = append(got, approved(raw, err))
		}
	}
	o := b.round(h, "", nil)
	o = b.round(h, o.asked.State, map[string]any{"first": yes(), "second": yes(), "third": yes()})
	if key, _ := o.question(t); key != "second" || !slices.Equal(got, []bool{true}) {
		t.Fatalf("asked %q after %v", key, got)
	}
	o = b.round(h, o.asked.State, map[string]any{"second": decline(), "first": decline()})
	if o.asked != nil || !slices.Equal(got, []bool{true, false}) {
		t.Errorf("finished with %v: %+v", got, o)
	}
}

// The digest ties an answer to the rendered question, its schema, its kind and
// its facts.
func TestQuestionDigest(t *testing.T) {
	base := elicit("k", "Delete a?", "a")
	tests := []struct {
		name string
		ask  shim.Ask
		same bool
	}{
		{"same", elicit("k", "Delete a?", "a"), true},
		{"other spelling", shim.Ask{Key: "k", Kind: shim.Elicitation, Facts: base.Facts, Params: []byte(
			`{ "requestedSchema": {"required":["ok"],"properties":{"ok":{"type":"boolean"}},"type":"object"}, "message":"Delete \u0061?", "mode":"form","_meta":{"progressToken":1}}`)}, true},
		{"other text", elicit("k", "Delete b?", "a"), false},
		{"other fact", elicit("k", "Delete a?", "b"), false},
		{"no fact", elicit("k", "Delete a?"), false},
		{"one more fact", elicit("k", "Delete a?", "a", "a"), false},
		{"other schema", shim.Ask{Key: "k", Kind: shim.Elicitation, Params: []byte(`{"message":"Delete a?"}`), Facts: base.Facts}, false},
		{"other kind", shim.Ask{Key: "k", Kind: shim.Roots, Facts: base.Facts}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, shim.Limits{})
			effects := 0
			first := b.round(confirm(base, func() { effects++ }), "", nil)
			o := b.round(confirm(tt.ask, func() { effects++ }), first.asked.State, map[string]any{"k": yes()})
			if tt.same && (o.asked != nil || effects != 1) {
				t.Errorf("not taken for the same question: %+v", o)
			}
			if !tt.same && (o.asked == nil || effects != 0) {
				t.Errorf("the answer moved to another question: %+v, %d effects", o, effects)
			}
		})
	}
}

// Once an earlier question has changed, an approval that came after it is worth
// nothing.
func TestChangedQuestionDropsLaterAnswers(t *testing.T) {
	b := newBench(t, shim.Limits{})
	target := "staging"
	effects := 0
	h := func(ctx context.Context, c *shim.Continuation) {
		for _, a := range []shim.Ask{elicit("where", "To "+target+"?"), elicit("sure", "Really?"), elicit("last", "Now?")} {
			raw, err := c.Ask(ctx, a)
			if c.Pending() || !approved(raw, err) {
				return
			}
		}
		effects++
	}
	o := b.round(h, "", nil)
	o = b.round(h, o.asked.State, map[string]any{"where": yes()})
	o = b.round(h, o.asked.State, map[string]any{"sure": yes()})
	if key, _ := o.question(t); key != "last" {
		t.Fatalf("asked %q", key)
	}
	// The positive path: nothing changed, nothing is dropped.
	if same := b.round(h, o.asked.State, map[string]any{"last": yes()}); same.asked != nil || effects != 1 {
		t.Fatalf("%+v, %d effects", same, effects)
	}
	target, effects = "production", 0
	keys := []string{}
	for range 3 {
		o = b.round(h, o.asked.State, map[string]any{"where": yes(), "sure": yes(), "last": yes()})
		key, _ := o.question(t)
		keys = append(keys, key)
		if len(keys) == 3 {
			break
		}
	}
	if !slices.Equal(keys, []string{"where", "sure", "last"}) || effects != 0 {
		t.Errorf("asked again: %q, %d effects", keys, effects)
	}
	if !b.log.has(shim.CodeQuestionChanged) {
		t.Error("no warning")
	}
	if o = b.round(h, o.asked.State, map[string]any{"last": yes()}); o.asked != nil || effects != 1 {
		t.Errorf("%+v, %d effects", o, effects)
	}
}

// A list that shrinks between rounds must not hand one element's approval to
// another, whether the element is in the key or only a fact.
func TestShrinkingList(t *testing.T) {
	styles := map[string]func(file string) shim.Ask{
		"key":  func(file string) shim.Ask { return elicit(shim.Key("more", file), "Continue?") },
		"fact": func(file string) shim.Ask { return elicit("more", "Continue?", file) },
	}
	for name, ask := range styles {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, shim.Limits{})
			files := []string{"a", "b", "c"}
			var removed []string
			h := func(ctx context.Context, c *shim.Continuation) {
				for _, f := range files {
					raw, err := c.Ask(ctx, ask(f))
					if c.Pending() {
						return
					}
					if approved(raw, err) {
						removed = append(removed, f)
					}
				}
			}
			o := b.round(h, "", nil)
			first, _ := o.question(t)
			o = b.round(h, o.asked.State, map[string]any{first: yes()}) // a is approved
			removed, files = nil, []string{"b", "c"}
			// The answer to b's question, which was pending, is lost on the way;
			// what a said must not count for b.
			o = b.round(h, o.asked.State, map[string]any{first: yes()})
			if o.asked == nil || len(removed) != 0 {
				t.Fatalf("removed %q without an approval", removed)
			}
			key, _ := o.question(t)
			o = b.round(h, o.asked.State, map[string]any{key: yes()}) // b is approved
			key, _ = o.question(t)
			removed = nil
			o = b.round(h, o.asked.State, map[string]any{key: decline()})
			if o.asked != nil || o.err != nil || !slices.Equal(removed, []string{"b"}) {
				t.Errorf("removed %q: %+v", removed, o)
			}
		})
	}
}

func TestPartialAnswers(t *testing.T) {
	b := newBench(t, shim.Limits{})
	var got []bool
	h := func(ctx context.Context, c *shim.Continuation) {
		answers, err := c.AskAll(ctx, elicit("a", "A?"), elicit("b", "B?"), elicit("c", "C?"))
		if c.Pending() {
			return
		}
		if err != nil {
			t.Error(err)
		}
		for _, raw := range answers {
			got = append(got, approved(raw, nil))
		}
	}
	o := b.round(h, "", nil)
	if len(o.asked.Requests) != 3 {
		t.Fatalf("asked %v", o.asked.Requests)
	}
	o = b.round(h, o.asked.State, map[string]any{"b": yes(), "nobody": yes()})
	if _, again := o.asked.Requests["b"]; again || len(o.asked.Requests) != 2 {
		t.Fatalf("asked %v", o.asked.Requests)
	}
	// A kept answer wins over one that is sent again.
	o = b.round(h, o.asked.State, map[string]any{"a": yes(), "b": decline(), "c": decline()})
	if o.asked != nil || !slices.Equal(got, []bool{true, true, false}) {
		t.Errorf("got %v: %+v", got, o)
	}
}

func TestInvalidAnswers(t *testing.T) {
	tests := []struct {
		name   string
		answer any
		reason string
		text   string
	}{
		{"wrong type", accept("yes"), `"ok" is no boolean`, "elicitation result content does not match requested schema"},
		{"missing field", map[string]any{"action": "accept", "content": map[string]any{}}, `"ok" is missing`, "elicitation result content does not match requested schema"},
		{"no content", map[string]any{"action": "accept"}, `"ok" is missing`, "elicitation result content does not match requested schema"},
		{"no action", map[string]any{"action": "maybe"}, "action", "action"},
		{"other kind", map[string]any{"roots": []any{}}, "action", "action"},
		{"number", 7, "object", "object"},
		{"too large", accept(strings.Repeat("x", 70<<10)), "too large", "too large"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, shim.Limits{})
			effects := 0
			var failed error
			h := func(ctx context.Context, c *shim.Continuation) {
				raw, err := c.Ask(ctx, elicit("k", "Sure?"))
				if c.Pending() {
					return
				}
				failed = err
				if approved(raw, err) {
					effects++
				}
				// The refusal is part of the journal: it does not come back as a
				// question when the handler goes on to another.
				c.Ask(ctx, elicit("next", "And now?"))
			}
			o := b.round(h, "", nil)
			for again := range 2 {
				o = b.round(h, o.asked.State, map[string]any{"k": tt.answer})
				key, params := o.question(t)
				if key != "k" || !strings.Contains(params, "Sure?") || !strings.Contains(params, strings.ReplaceAll(tt.reason, `"`, `\"`)) {
					t.Fatalf("repetition %d: %s %s", again+1, key, params)
				}
			}
			good := b.round(h, o.asked.State, map[string]any{"k": yes()})
			if key, _ := good.question(t); key != "next" || effects != 1 {
				t.Fatalf("a good answer at last: %q, %d effects", key, effects)
			}
			effects = 0
			for range 2 { // and again in the replay after the next question
				o = b.round(h, o.asked.State, map[string]any{"k": tt.answer})
				var refused *shim.AnswerError
				if key, _ := o.question(t); key != "next" || !errors.As(failed, &refused) || !strings.Contains(failed.Error(), tt.text) {
					t.Fatalf("asked %q, error %v", key, failed)
				}
			}
			if effects != 0 {
				t.Error("the effect ran")
			}
		})
	}
}

// A lost answer costs no repetition, and the reason is not made up.
func TestMissingAnswerIsNotInvalid(t *testing.T) {
	b := newBench(t, shim.Limits{})
	h := confirm(elicit("k", "Sure?"), func() {})
	o := b.round(h, "", nil)
	for range 4 {
		o = b.round(h, o.asked.State, map[string]any{})
		if _, params := o.question(t); strings.Contains(params, "not accepted") {
			t.Fatal(params)
		}
	}
	o = b.round(h, o.asked.State, map[string]any{"k": accept("x")})
	if _, params := o.question(t); !strings.Contains(params, `not accepted: \"ok\" is no boolean`) {
		t.Error(params)
	}
	o = b.round(h, o.asked.State, nil)
	if _, params := o.question(t); !strings.Contains(params, "not accepted.") {
		t.Error(params)
	}
}

// A schema that nothing can be checked against is the server's mistake: asking
// again would not help.
func TestUnusableSchema(t *testing.T) {
	b := newBench(t, shim.Limits{})
	var failed error
	h := func(ctx context.Context, c *shim.Continuation) {
		_, failed = c.Ask(ctx, shim.Ask{Key: "k", Kind: shim.Elicitation, Params: []byte(`{"message":"?","requestedSchema":{"type":"object","properties":{"a":{"type":"object"}}}}`)})
	}
	o := b.round(h, "", nil)
	o = b.round(h, o.asked.State, map[string]any{"k": map[string]any{"action": "accept", "content": map[string]any{"a": 1}}})
	if o.asked != nil || failed == nil || !strings.Contains(failed.Error(), `elicit schema property "a"`) {
		t.Errorf("%v: %+v", failed, o)
	}
}
