package shim_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mrtr-migrate/mrtr-migrate/shim"
)

// A program is a random handler. It is run twice: once as it was written for a
// client that answers while it waits, and once by replay.
type program []stmt

// A stmt is one statement of a program.
type stmt struct {
	kind  string // ask, once, helper, loop, if
	name  string
	chain bool // the question's text repeats the answers so far
	items []string
	then  program
	other program
}

// A machine runs a program. What it can do is given by its two ways to run.
type machine struct {
	ask    func(ctx context.Context, key, text, fact string) (action string, stop bool)
	once   func(ctx context.Context, key string) (stop bool)
	effect func(name string)
	seen   []string // actions so far
}

func (m *machine) run(ctx context.Context, p program, item string) (stop bool) {
	for _, s := range p {
		switch s.kind {
		case "ask":
			text := s.name + "?"
			if s.chain {
				text += " after " + strings.Join(m.seen, ",")
			}
			action, stop := m.ask(ctx, shim.Key(s.name, item), text, item)
			if stop {
				return true
			}
			m.seen = append(m.seen, action)
		case "once":
			if m.once(ctx, shim.Key(s.name, item)) {
				return true
			}
		case "helper":
			for i := range 2 {
				if m.run(shim.At(ctx, s.name, i), s.then, item) {
					return true
				}
			}
		case "loop":
			for _, it := range s.items {
				if m.run(shim.At(ctx, s.name, it), s.then, item+"/"+it) {
					return true
				}
			}
		case "if":
			branch := s.other
			if len(m.seen) > 0 && m.seen[len(m.seen)-1] == "accept" {
				branch = s.then
			}
			if m.run(ctx, branch, item) {
				return true
			}
		}
	}
	return false
}

// genProgram draws a program with unique names.
func genProgram(t *rapid.T, depth int, next *int) program {
	kinds := []string{"ask", "ask", "once"}
	if depth > 0 {
		kinds = append(kinds, "helper", "loop", "if", "if")
	}
	var p program
	for range rapid.IntRange(1, 3).Draw(t, "statements") {
		*next++
		s := stmt{kind: rapid.SampledFrom(kinds).Draw(t, "kind"), name: fmt.Sprint("n", *next)}
		switch s.kind {
		case "ask":
			s.chain = rapid.Bool().Draw(t, "chain")
		case "loop":
			s.items = rapid.SampledFrom([][]string{nil, {"a"}, {"a", "b"}}).Draw(t, "items")
			s.then = genProgram(t, depth-1, next)
		case "helper":
			s.then = genProgram(t, depth-1, next)
		case "if":
			s.then, s.other = genProgram(t, depth-1, next), genProgram(t, depth-1, next)
		}
		p = append(p, s)
	}
	return p
}

// A transcript is what an observer sees of a run that came to its end.
type transcript struct {
	questions []string // key and text, without repetitions of an unanswered one
	effects   []string
	actions   []string
}

// TestReplayEqualsBlocking compares a program that waits with the same program
// replayed, under lost answers, answers that are none, rounds that are sent twice
// and another instance for each round.
func TestReplayEqualsBlocking(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		next := 0
		p := genProgram(t, 2, &next)
		actions := rapid.SliceOfN(rapid.SampledFrom([]string{"accept", "accept", "decline", "cancel"}), 1, 8).Draw(t, "actions")
		answerTo := func(question string) string {
			sum := 0
			for _, c := range question {
				sum += int(c)
			}
			return actions[sum%len(actions)]
		}

		var want transcript
		m := machine{effect: func(name string) { want.effects = append(want.effects, name) }}
		m.ask = func(_ context.Context, key, text, _ string) (string, bool) {
			want.questions = append(want.questions, text)
			return answerTo(text), false
		}
		m.once = func(_ context.Context, key string) bool { m.effect(key); return false }
		m.run(context.Background(), p, "")
		m.effect("end")
		want.actions = m.seen

		got := replay(t, p, answerTo, rapid.Bool().Draw(t, "blocking"))
		if !slices.Equal(got.questions, want.questions) {
			t.Fatalf("questions\n got %q\nwant %q", got.questions, want.questions)
		}
		if !slices.Equal(got.effects, want.effects) {
			t.Fatalf("effects\n got %q\nwant %q", got.effects, want.effects)
		}
		if !slices.Equal(got.actions, want.actions) {
			t.Fatalf("actions\n got %q\nwant %q", got.actions, want.actions)
		}
	})
}

// replay runs p in rounds over a hostile network and returns what was seen.
func replay(t *rapid.T, p program, answerTo func(string) string, block bool) transcript {
	limits := shim.Limits{Rounds: 5000, AsksPerOperation: 5000, Entries: 5000, Sealed: 1 << 20, Inbound: 1 << 20, SealedWarn: 1 << 20}
	var got transcript
	h := func(ctx context.Context, c *shim.Continuation) {
		m := machine{effect: func(name string) { got.effects = append(got.effects, name) }}
		m.ask = func(ctx context.Context, key, text, fact string) (string, bool) {
			ask := c.Ask
			if block {
				ask = c.AskBlocking
			}
			raw, err := ask(ctx, elicit(key, text, fact))
			if !block && c.Pending() {
				return "", true
			}
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			return actionOf(raw), false
		}
		m.once = func(ctx context.Context, key string) bool {
			_, err := shim.Once(ctx, key, func(context.Context) (string, error) { m.effect(key); return key, nil })
			if err != nil && !c.Pending() {
				t.Fatal(err)
			}
			return err != nil
		}
		if m.run(ctx, p, "") {
			return
		}
		m.effect("end")
		got.actions = m.seen
	}

	b := newBench(t, limits)
	token, responses := "", map[string]any(nil)
	last, refused := "", 0
	for {
		effects := len(got.effects)
		o := b.round(h, token, responses)
		if o.err != nil || o.crash != nil {
			t.Fatalf("%+v", o)
		}
		if o.asked == nil {
			return got
		}
		if rapid.IntRange(0, 4).Draw(t, "twice") == 0 {
			// The response is lost, and the client sends the round again. What
			// that round did for the first time is done again: nobody but a
			// store could know.
			got.effects = got.effects[:effects]
			if o = b.round(h, token, responses); o.err != nil {
				t.Fatal(o.err)
			}
		}
		if rapid.Bool().Draw(t, "instance") {
			b = newBench(t, limits)
		}
		key, params := o.question(t)
		text := messageOf(params)
		if key+text != last {
			got.questions, last, refused = append(got.questions, text), key+text, 0
		}
		token = o.asked.State
		switch rapid.IntRange(0, 6).Draw(t, "network") {
		case 0:
			responses = nil // lost
		case 1:
			responses = map[string]any{"n1": yes(), "other": yes()} // for somebody else
			delete(responses, key)
		case 2:
			responses = map[string]any{key: accept("no boolean")}
			if refused++; refused > 2 {
				responses[key] = answer(answerTo(text))
			}
		default:
			responses = map[string]any{key: answer(answerTo(text))}
		}
	}
}

func answer(action string) any {
	if action == "accept" {
		return yes()
	}
	return map[string]any{"action": action}
}
