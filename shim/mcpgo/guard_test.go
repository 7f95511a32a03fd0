package mcpgo_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	mrtr "github.com/mrtr-migrate/mrtr-migrate/shim/mcpgo"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

const (
	invalidState = `{"reason":"invalid_request_state"}`
	canary       = "canary-4711"
)

var yes = accept(map[string]any{"ok": true})

// A first call that brings answers gets the question.
func TestForgedFirstCall(t *testing.T) {
	everyTransport(t, func(t *testing.T, transport string) {
		for _, r := range deskRequests {
			d := newDesk(t, nil)
			p := connect(t, transport, d.b, d.s)
			first := p.modern(r.method, r.params, retry{responses: map[string]any{"confirm": yes}})
			wantQuestion(t, first, "confirm", protocol.MethodElicit)
			d.want(t, 0)
			wantComplete(t, p.modern(r.method, r.params, first.answer(yes)), "done")
			d.want(t, 1)
		}
	})
}

// A state that is not accepted has one answer, whatever is wrong with it.
func TestBadState(t *testing.T) {
	everyTransport(t, func(t *testing.T, transport string) {
		var who = "alice"
		d := newDesk(t, &mrtr.Options{Principal: func(context.Context, http.Header) (string, error) { return who, nil }})
		p := connect(t, transport, d.b, d.s)
		args := func(to json.RawMessage) map[string]any {
			return map[string]any{"name": "explicit", "arguments": map[string]any{"to": to}}
		}
		// Two numbers that are one to the SDK's decoder.
		const to, near = `9007199254740993`, `9007199254740992`
		first := p.modern("tools/call", args(json.RawMessage(to)))
		wantQuestion(t, first, "confirm", protocol.MethodElicit)
		good := first.answer(yes)
		token := *first.State
		flipped := token[:40] + map[bool]string{true: "B", false: "A"}[token[40] == 'A'] + token[41:]
		for name, send := range map[string]func() round{
			"bit flip": func() round { return p.modern("tools/call", args(json.RawMessage(to)), retry{flipped, good.responses}) },
			"garbage":  func() round { return p.modern("tools/call", args(json.RawMessage(to)), retry{"x", good.responses}) },
			"empty":    func() round { return p.modern("tools/call", args(json.RawMessage(to)), retry{"", good.responses}) },
			"number":   func() round { return p.modern("tools/call", args(json.RawMessage(to)), retry{7, good.responses}) },
			"object": func() round {
				return p.modern("tools/call", args(json.RawMessage(to)), retry{map[string]any{"a": canary}, good.responses})
			},
			"other tool":      func() round { return p.modern("tools/call", map[string]any{"name": "blocking"}, good) },
			"other method":    func() round { return p.modern("prompts/get", map[string]any{"name": "explicit"}, good) },
			"other arguments": func() round { return p.modern("tools/call", args(json.RawMessage(near)), good) },
			"other user": func() round {
				who = "bob"
				defer func() { who = "alice" }()
				return p.modern("tools/call", args(json.RawMessage(to)), good)
			},
		} {
			t.Run(name, func(t *testing.T) {
				r := send()
				wantError(t, r, protocol.CodeInvalidParams, invalidState, http.StatusBadRequest)
				if r.Error.Message != protocol.InvalidStateMessage || strings.Contains(r.text, canary) {
					t.Errorf("%s", r.text)
				}
				d.want(t, 0)
			})
		}
		wantComplete(t, p.modern("tools/call", args(json.RawMessage(`9007199254740993.0`)), good), "done")
		d.want(t, 1)
	})
}

// Answers to what was not asked are ignored, and what is missing or wrong is
// asked for again, with the reason, until the ask fails as it did before.
func TestAnswersAreJudged(t *testing.T) {
	everyTransport(t, func(t *testing.T, transport string) {
		d := newDesk(t, nil)
		p := connect(t, transport, d.b, d.s)
		call := map[string]any{"name": "explicit"}
		first := p.modern("tools/call", call)
		odd := map[string]any{"other": 7, "Confirm": yes, "x": map[string]any{"y": canary}}
		again := p.modern("tools/call", call, retry{*first.State, odd})
		wantQuestion(t, again, "confirm", protocol.MethodElicit)
		d.want(t, 0)
		for _, wrong := range []any{
			7, nil, map[string]any{"action": "maybe"}, map[string]any{"roots": []any{}}, map[string]any{"action": "accept"},
			accept(map[string]any{"ok": "true"}), accept(map[string]any{}),
		} {
			r := p.modern("tools/call", call, again.answer(wrong))
			wantQuestion(t, r, "confirm", protocol.MethodElicit)
			if !strings.Contains(string(r.Requests["confirm"].Params), "was not accepted") {
				t.Errorf("%v: no reason: %s", wrong, r.text)
			}
			r = p.modern("tools/call", call, r.answer(wrong))
			wantQuestion(t, r, "confirm", protocol.MethodElicit)
			if r = p.modern("tools/call", call, r.answer(wrong)); r.Error == nil || r.Error.Code != protocol.CodeInternal {
				t.Errorf("%v: %s", wrong, r.text)
			}
			d.want(t, 0)
		}
		odd["confirm"] = yes
		wantComplete(t, p.modern("tools/call", call, retry{*again.State, odd}), "done")
		d.want(t, 1)
	})
}

// An older peer's answer is held to the same.
func TestLiveAnswersAreJudged(t *testing.T) {
	everyTransport(t, func(t *testing.T, transport string) {
		for _, r := range deskRequests {
			d := newDesk(t, nil)
			p := connect(t, transport, d.b, d.s)
			p.initialize(protocol.Revision20251125)
			for _, wrong := range []string{`{"action":"maybe"}`, `{"action":"accept"}`, `{"action":"accept","content":{"ok":"true"}}`, `{"roots":[]}`} {
				if res := p.legacy(r.method, r.params, func(frame) string { return wrong }); res.Error == nil {
					t.Errorf("%s: %s: %s", r.name, wrong, res.text)
				}
				d.want(t, 0)
			}
			if res := p.legacy(r.method, r.params, func(frame) string { return `{"action":"accept","content":{"ok":true}}` }); res.said() != "done" {
				t.Errorf("%s", res.text)
			}
		}
	})
}

// The question and its facts are what was answered: an answer to another one
// does not count.
func TestQuestionDigest(t *testing.T) {
	for _, change := range []string{"message", "fact"} {
		t.Run(change, func(t *testing.T) {
			d := newDesk(t, nil)
			amount, effects := 10, 0
			d.add("pay", func(ctx context.Context) error {
				message := "Pay?"
				if change == "message" {
					message = fmt.Sprintf("Pay %d?", amount)
				}
				res, err := mrtr.RequestElicitation(ctx, d.s, "pay", form(message), amount)
				if mrtr.Pending(ctx) || err != nil {
					return err
				}
				if res.Action == mcp.ElicitationResponseActionAccept {
					effects += amount
				}
				return nil
			})
			p := connect(t, "http", d.b, d.s)
			call := map[string]any{"name": "pay"}
			first := p.modern("tools/call", call)
			wantQuestion(t, first, "pay", protocol.MethodElicit)
			amount = 1000
			second := p.modern("tools/call", call, first.answer(yes))
			wantQuestion(t, second, "pay", protocol.MethodElicit)
			if effects != 0 {
				t.Fatalf("paid %d", effects)
			}
			wantComplete(t, p.modern("tools/call", call, second.answer(yes)), "ok")
			if effects != 1000 {
				t.Fatalf("paid %d", effects)
			}
		})
	}
}

// The capabilities of the very request decide.
func TestCapabilityGate(t *testing.T) {
	tests := []struct{ name, caps, required string }{
		{"form", `{}`, `{"requiredCapabilities":{"elicitation":{"form":{}}}}`},
		{"form", `{"elicitation":{"url":{}}}`, `{"requiredCapabilities":{"elicitation":{"form":{}}}}`},
		{"form", `{"elicitation":{}}`, ""},
		{"url", `{"elicitation":{}}`, `{"requiredCapabilities":{"elicitation":{"url":{}}}}`},
		{"url", `{"elicitation":{"url":{}}}`, ""},
		{"sampling", `{"elicitation":{}}`, `{"requiredCapabilities":{"sampling":{}}}`},
		{"tools", `{"sampling":{}}`, `{"requiredCapabilities":{"sampling":{"tools":{}}}}`},
		{"tools", `{"sampling":{"tools":{}}}`, ""},
		{"roots", `{}`, `{"requiredCapabilities":{"roots":{}}}`},
		{"sdk", `{}`, `{"requiredCapabilities":{"elicitation":{}}}`},
	}
	everyTransport(t, func(t *testing.T, transport string) {
		d := newDesk(t, nil)
		asks := map[string]func(context.Context) error{
			"form": func(ctx context.Context) error {
				_, err := mrtr.RequestElicitation(ctx, d.s, "k", form("?"))
				return err
			},
			"url": func(ctx context.Context) error {
				_, err := mrtr.RequestElicitation(ctx, d.s, "k", mcp.ElicitationRequest{Params: mcp.ElicitationParams{Mode: "url", URL: "https://example.com"}})
				return err
			},
			"sampling": func(ctx context.Context) error {
				_, err := mrtr.RequestSampling(ctx, d.s, "k", mcp.CreateMessageRequest{})
				return err
			},
			"tools": func(ctx context.Context) error {
				req := mcp.CreateMessageRequest{}
				req.Tools = []mcp.Tool{mcp.NewTool("t")}
				_, err := mrtr.RequestSampling(ctx, d.s, "k", req)
				return err
			},
			"roots": func(ctx context.Context) error {
				_, err := mrtr.RequestRoots(ctx, d.s, "k", mcp.ListRootsRequest{})
				return err
			},
			"sdk": func(context.Context) error {
				return mcp.MissingRequiredClientCapabilityError{Capability: "elicitation"}
			},
		}
		for name, ask := range asks {
			d.add(name, func(ctx context.Context) error {
				if err := ask(ctx); err != nil && !mrtr.Pending(ctx) {
					return fmt.Errorf("cannot: %w", err)
				}
				return nil
			})
		}
		fallback := 0
		d.add("fallback", func(ctx context.Context) error {
			if err := asks["form"](ctx); err != nil && !mrtr.Pending(ctx) {
				fallback++
			}
			return nil
		})
		p := connect(t, transport, d.b, d.s)
		for _, tt := range tests {
			p.caps = tt.caps
			r := p.modern("tools/call", map[string]any{"name": tt.name})
			if tt.required == "" {
				if r.ResultType != protocol.ResultInputRequired {
					t.Errorf("%s with %s: %s", tt.name, tt.caps, r.text)
				}
				continue
			}
			wantError(t, r, protocol.CodeMissingClientCapability, tt.required, http.StatusBadRequest)
		}
		p.caps = `{}`
		wantComplete(t, p.modern("tools/call", map[string]any{"name": "fallback"}), "ok")
		if fallback != 1 {
			t.Error("the handler could not do without")
		}
		p.caps = allCaps // an earlier request's say nothing
		wantQuestion(t, p.modern("tools/call", map[string]any{"name": "fallback"}), "k", protocol.MethodElicit)
	})
}

// A caller that is authenticated but has no name cannot be tied to an answer.
func TestNamelessCaller(t *testing.T) {
	d := newDesk(t, nil)
	p := connect(t, "http", d.b, d.s)
	anonymous := p.modern("tools/call", deskRequests[0].params)
	wantQuestion(t, anonymous, "confirm", protocol.MethodElicit)
	p.wire.(*httpWire).header.Set("Authorization", "Bearer x")
	wantError(t, p.modern("tools/call", deskRequests[0].params), protocol.CodeInternal, `{"code":"MRTR1015"}`, http.StatusOK)
	wantError(t, p.modern("tools/call", deskRequests[0].params, anonymous.answer(yes)), protocol.CodeInvalidParams, invalidState, http.StatusBadRequest)
	d.want(t, 0)
	p.wire.(*httpWire).header.Del("Authorization")
	wantComplete(t, p.modern("tools/call", deskRequests[0].params, anonymous.answer(yes)), "done")
}
