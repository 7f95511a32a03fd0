package shim_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/mrtr-migrate/mrtr-migrate/shim"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
	"github.com/mrtr-migrate/mrtr-migrate/shim/state"
)

const allCaps = `{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{}}`

// A tester is what testing and rapid share.
type tester interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// A bench is a server and its client, without a wire: it opens, runs and closes
// rounds of one tool.
type bench struct {
	t       tester
	rt      *shim.Runtime
	request shim.Request
	log     *logBuffer
	clock   *time.Time
}

func newBench(t tester, limits shim.Limits) *bench {
	t.Helper()
	ring, err := state.NewRing(state.Key{Secret: bytes.Repeat([]byte{7}, 32)})
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, log: new(logBuffer), clock: new(time.Time)}
	*b.clock = time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC)
	b.rt, err = shim.New(shim.Config{
		Ring: ring, Limits: limits, Now: func() time.Time { return *b.clock },
		Logger: slog.New(slog.NewTextHandler(b.log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	b.request = shim.Request{
		Method: protocol.MethodCallTool, Target: "tool", Arguments: json.RawMessage(`{"n":1}`),
		Capabilities: json.RawMessage(allCaps),
	}
	return b
}

// A logBuffer collects the log of several goroutines.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (l *logBuffer) has(code shim.Code) bool { return strings.Contains(l.String(), string(code)) }

// A handler is what a test lets the bench run.
type handler func(ctx context.Context, c *shim.Continuation)

// An outcome is how a round ended.
type outcome struct {
	asked *shim.InputRequired
	err   error // of Open or of Close
	crash *shim.Panic
}

// round plays one request.
func (b *bench) round(h handler, token string, responses any) outcome {
	b.t.Helper()
	req := b.request
	if token != "" {
		req.State = mustJSON(b.t, token)
	}
	if responses != nil {
		req.Responses = mustJSON(b.t, responses)
	}
	ctx, c, err := b.rt.Open(context.Background(), req)
	if err != nil {
		return outcome{err: err}
	}
	var o outcome
	if !c.Reserved() {
		o.crash = c.Run(func() { h(ctx, c) })
	}
	o.asked, o.err = c.Close()
	return o
}

// question returns the round's only question.
func (o outcome) question(t tester) (key string, params string) {
	t.Helper()
	if o.err != nil || o.asked == nil || len(o.asked.Requests) != 1 {
		t.Fatalf("want one question, got %+v", o)
	}
	for k, r := range o.asked.Requests {
		key, params = k, string(r.Params)
	}
	return key, params
}

// play runs rounds until the handler finishes, answering each question with
// answer(key), and returns the questions asked, as keys.
func (b *bench) play(h handler, answer func(key, params string) any) (keys []string, last outcome) {
	b.t.Helper()
	o := b.round(h, "", nil)
	for range 40 {
		if o.err != nil || o.asked == nil {
			return keys, o
		}
		responses := map[string]any{}
		for key, r := range o.asked.Requests {
			keys = append(keys, key)
			if a := answer(key, string(r.Params)); a != nil {
				responses[key] = a
			}
		}
		o = b.round(h, o.asked.State, responses)
	}
	b.t.Fatal("the operation does not end")
	return nil, o
}

func mustJSON(t tester, v any) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// elicit builds a question with a required yes or no.
func elicit(key, message string, facts ...string) shim.Ask {
	a := shim.Ask{Key: key, Kind: shim.Elicitation, Params: json.RawMessage(
		`{"message":` + quote(message) + `,"requestedSchema":{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}}`)}
	for _, f := range facts {
		a.Facts = append(a.Facts, json.RawMessage(quote(f)))
	}
	return a
}

func quote(s string) string {
	raw, _ := json.Marshal(s)
	return string(raw)
}

func yes() any     { return accept(true) }
func decline() any { return map[string]any{"action": "decline"} }
func accept(ok any) any {
	return map[string]any{"action": "accept", "content": map[string]any{"ok": ok}}
}

// approved reports whether an answer accepts with ok.
func approved(raw json.RawMessage, err error) bool {
	var a struct {
		Action  string
		Content struct{ OK bool }
	}
	return err == nil && json.Unmarshal(raw, &a) == nil && a.Action == "accept" && a.Content.OK
}

// wantFault checks that err is a fault with that code.
func wantFault(t tester, err error, code shim.Code) *shim.Fault {
	t.Helper()
	var f *shim.Fault
	if !errors.As(err, &f) || f.Code != code {
		t.Fatalf("got %v, want %s", err, code)
	}
	return f
}

func actionOf(raw json.RawMessage) string {
	var a struct{ Action string }
	json.Unmarshal(raw, &a)
	return a.Action
}

// messageOf returns the text of an elicitation without what a repetition adds.
func messageOf(params string) string {
	var p struct{ Message string }
	json.Unmarshal([]byte(params), &p)
	text, _, _ := strings.Cut(p.Message, "\n\n")
	return text
}
