package gosdk_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	mrtr "github.com/mrtr-migrate/mrtr-migrate/shim/gosdk"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// TestThreeMethods plays each request in a session of each era: nothing but the
// input_required result goes out, and the answer ends it. After initialize a
// modern request is still no reason for a live question.
func TestThreeMethods(t *testing.T) {
	for _, session := range []string{"modern session", protocol.Revision20251125, "without the raw filter"} {
		for _, r := range deskRequests {
			t.Run(session+"/"+r.name, func(t *testing.T) {
				d := new(desk)
				transport := mrtr.FilterTransport
				if session == "without the raw filter" {
					transport = bare
				}
				p := connectBy(t, d.server(t, nil), transport)
				if session == protocol.Revision20251125 {
					p.initialize(session)
				}
				first := p.modern(r.method, r.params)
				wantQuestion(t, first, "confirm", protocol.MethodElicit)
				if d.effects != 0 {
					t.Fatal("the effect ran before the answer")
				}
				last := p.modern(r.method, r.params, first.answer(accept(map[string]any{"ok": true})))
				if last.ResultType != protocol.ResultComplete || last.State != nil || last.Requests != nil || d.effects != 1 {
					t.Errorf("last round: %s, %d effects", last.Result, d.effects)
				}
				for _, no := range []any{map[string]any{"action": "decline"}, map[string]any{"action": "cancel", "content": nil}} {
					last = p.modern(r.method, r.params, first.answer(no))
					if last.ResultType != protocol.ResultComplete || last.IsError || d.effects != 1 {
						t.Errorf("%v: %s, %d effects", no, last.Result, d.effects)
					}
				}
				if len(d.seen) > 0 {
					t.Error("a handler saw unverified answers")
				}
			})
		}
	}
}

func TestQuestionsOnTheWire(t *testing.T) {
	tests := []struct {
		name, method, params string
		ask                  func(ctx context.Context, s *mcp.ServerSession) error
	}{
		{"form without schema", protocol.MethodElicit, `{"message":"Name?","mode":"form","requestedSchema":{"properties":{},"type":"object"}}`,
			func(ctx context.Context, s *mcp.ServerSession) error {
				_, err := mrtr.Elicit(ctx, s, "k", &mcp.ElicitParams{Message: "Name?"})
				return err
			}},
		{"form", protocol.MethodElicit, `{"message":"Go on?","mode":"form","requestedSchema":{"properties":{"ok":{"type":"boolean"}},"required":["ok"],"type":"object"}}`,
			func(ctx context.Context, s *mcp.ServerSession) error {
				_, err := mrtr.Elicit(ctx, s, "k", &mcp.ElicitParams{Message: "Go on?", RequestedSchema: yesNo, Meta: mcp.Meta{"progressToken": 1}})
				return err
			}},
		{"url", protocol.MethodElicit, `{"message":"Sign in","mode":"url","url":"https://example.com/in"}`,
			func(ctx context.Context, s *mcp.ServerSession) error {
				_, err := mrtr.Elicit(ctx, s, "k", &mcp.ElicitParams{Message: "Sign in", URL: "https://example.com/in", ElicitationID: "x"})
				return err
			}},
		{"sampling", protocol.MethodCreateMessage, `{"maxTokens":5,"messages":[{"content":{"text":"hi","type":"text"},"role":"user"}]}`,
			func(ctx context.Context, s *mcp.ServerSession) error {
				_, err := mrtr.CreateMessage(ctx, s, "k", &mcp.CreateMessageParams{MaxTokens: 5, Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: "hi"}}}})
				return err
			}},
		{"sampling without messages", protocol.MethodCreateMessage, `{"maxTokens":0,"messages":[]}`,
			func(ctx context.Context, s *mcp.ServerSession) error {
				_, err := mrtr.CreateMessage(ctx, s, "k", nil)
				return err
			}},
		{"sampling with tools", protocol.MethodCreateMessage, `{"maxTokens":5,"messages":[],"tools":[{"inputSchema":{"type":"object"},"name":"t"}]}`,
			func(ctx context.Context, s *mcp.ServerSession) error {
				_, err := mrtr.CreateMessageWithTools(ctx, s, "k", &mcp.CreateMessageWithToolsParams{MaxTokens: 5, Tools: []*mcp.Tool{{Name: "t", InputSchema: json.RawMessage(`{"type":"object"}`)}}})
				return err
			}},
		{"roots", protocol.MethodListRoots, `{}`,
			func(ctx context.Context, s *mcp.ServerSession) error {
				_, err := mrtr.ListRoots(ctx, s, "k", nil)
				return err
			}},
		{"blocking roots", protocol.MethodListRoots, `{}`,
			func(ctx context.Context, s *mcp.ServerSession) error {
				_, err := mrtr.Blocking(s, "k").ListRoots(ctx, nil)
				return err
			}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, nil)
			mcp.AddTool(s, &mcp.Tool{Name: "tool"}, func(ctx context.Context, req *mcp.CallToolRequest, _ nothing) (*mcp.CallToolResult, any, error) {
				return nil, nil, tt.ask(ctx, req.Session)
			})
			r := connect(t, s).tool("tool", nothing{})
			wantQuestion(t, r, "k", tt.method)
			var v any
			json.Unmarshal(r.Requests["k"].Params, &v)
			if got, _ := json.Marshal(v); string(got) != tt.params {
				t.Errorf("params\n got %s\nwant %s", got, tt.params)
			}
		})
	}
}

func TestStateOnlyRoundOnTheWire(t *testing.T) {
	d := new(desk)
	p := connect(t, d.server(t, &mrtr.Options{Reserve: func(method, target string) bool { return target == "typed" }}))
	first := p.tool("typed", nothing{}, retry{responses: map[string]any{"confirm": accept(map[string]any{"ok": true})}})
	if string(first.members["inputRequests"]) != `{}` || first.ResultType != protocol.ResultInputRequired || first.State == nil || first.members["content"] != nil || d.calls != 0 {
		t.Fatalf("first round, %d calls: %s", d.calls, first.Result)
	}
	second := p.tool("typed", nothing{}, retry{state: *first.State})
	wantQuestion(t, second, "confirm", protocol.MethodElicit)
	if last := p.tool("typed", nothing{}, second.answer(accept(map[string]any{"ok": true}))); last.ResultType != protocol.ResultComplete || d.effects != 1 {
		t.Errorf("last round: %s, %d effects", last.Result, d.effects)
	}
	if other := p.tool("untyped", nothing{}); len(other.Requests) != 1 {
		t.Errorf("a tool that reserves nothing: %s", other.Result)
	}
}

// Every finished result of a modern request has its type, also those that are
// errors and those of a session that was initialised by an older revision.
func TestResultTypeAlways(t *testing.T) {
	for _, session := range []string{"modern session", protocol.Revision20251125} {
		t.Run(session, func(t *testing.T) {
			s := newServer(t, nil)
			mcp.AddTool(s, &mcp.Tool{Name: "error"}, func(context.Context, *mcp.CallToolRequest, nothing) (*mcp.CallToolResult, any, error) {
				return nil, nil, errors.New("no")
			})
			mcp.AddTool(s, &mcp.Tool{Name: "empty"}, func(context.Context, *mcp.CallToolRequest, nothing) (*mcp.CallToolResult, any, error) {
				return nil, nil, nil
			})
			s.AddPrompt(&mcp.Prompt{Name: "prompt"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				return &mcp.GetPromptResult{Meta: mcp.Meta{"a": 1}}, nil
			})
			s.AddResource(&mcp.Resource{URI: "desk://one", Name: "one"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{Text: "x"}}}, nil
			})
			p := connect(t, s)
			if session == protocol.Revision20251125 {
				p.initialize(session)
			}
			results := []round{
				p.tool("error", nothing{}), p.tool("empty", nothing{}),
				p.modern(protocol.MethodGetPrompt, map[string]any{"name": "prompt"}),
				p.modern(protocol.MethodReadResource, map[string]any{"uri": "desk://one"}),
				p.modern("tools/list", map[string]any{}),
			}
			for i, r := range results {
				if r.ResultType != protocol.ResultComplete || r.members["_meta"] == nil {
					t.Errorf("%d: %s", i, r.Result)
				}
			}
			if !results[0].IsError || results[0].text() != "no" {
				t.Errorf("error result %s", results[0].Result)
			}
			var meta map[string]any
			json.Unmarshal(results[2].members["_meta"], &meta)
			if meta["a"] != 1.0 || meta[protocol.MetaServerInfo] == nil {
				t.Errorf("_meta %s", results[2].members["_meta"])
			}
		})
	}
}

// A state that is not accepted has one answer, whatever is wrong with it.
func TestBadStateOnTheWire(t *testing.T) {
	d := new(desk)
	who := "alice"
	p := connect(t, d.server(t, &mrtr.Options{Principal: func(mcp.Request) (string, error) { return who, nil }}))
	first := p.tool("untyped", map[string]any{"to": 1})
	good := first.answer(accept(map[string]any{"ok": true}))
	token := *first.State
	flip := strings.Replace(token, token[40:41], map[bool]string{true: "B", false: "A"}[token[40] == 'A'], 1)
	tests := map[string]func() round{
		"bit flip":        func() round { return p.tool("untyped", map[string]any{"to": 1}, retry{flip, good.responses}) },
		"garbage":         func() round { return p.tool("untyped", map[string]any{"to": 1}, retry{"x", good.responses}) },
		"other tool":      func() round { return p.tool("typed", map[string]any{"to": 1}, good) },
		"other arguments": func() round { return p.tool("untyped", map[string]any{"to": 2}, good) },
		"other method": func() round {
			return p.modern(protocol.MethodGetPrompt, map[string]any{"name": "prompt"}, good)
		},
		"other user": func() round {
			who = "bob"
			defer func() { who = "alice" }()
			return p.tool("untyped", map[string]any{"to": 1}, good)
		},
	}
	for name, send := range tests {
		r := send()
		if r.Error == nil || r.Error.Code != protocol.CodeInvalidParams || r.Error.Message != protocol.InvalidStateMessage || string(r.Error.Data) != `{"reason":"invalid_request_state"}` || d.effects != 0 {
			t.Errorf("%s: %+v, %d effects", name, r.Error, d.effects)
		}
	}
	if last := p.tool("untyped", map[string]any{"to": 1.0}, good); last.ResultType != protocol.ResultComplete || d.effects != 1 {
		t.Errorf("the state as it was: %s", last.Result)
	}
}

// Answers to what was not asked are ignored, whatever they are (rule 16), and an
// answer that is missing is asked for again (rule 17).
func TestUnexpectedAnswersOnTheWire(t *testing.T) {
	d := new(desk)
	p := connect(t, d.server(t, nil))
	first := p.tool("typed", nothing{})
	odd := map[string]any{"other": 7, "third": map[string]any{"x": 1}, "Confirm": accept(map[string]any{"ok": true})}
	again := p.tool("typed", nothing{}, retry{state: *first.State, responses: odd})
	wantQuestion(t, again, "confirm", protocol.MethodElicit)
	odd["confirm"] = accept(map[string]any{"ok": true})
	if last := p.tool("typed", nothing{}, retry{state: *again.State, responses: odd}); last.ResultType != protocol.ResultComplete || d.effects != 1 {
		t.Errorf("%s, %d effects", last.Result, d.effects)
	}
}

// A first call that brings answers gets the question.
func TestForgedFirstCallOnTheWire(t *testing.T) {
	for _, r := range deskRequests {
		d := new(desk)
		p := connect(t, d.server(t, nil))
		first := p.modern(r.method, r.params, retry{responses: map[string]any{"confirm": accept(map[string]any{"ok": true})}})
		wantQuestion(t, first, "confirm", protocol.MethodElicit)
		if d.effects != 0 {
			t.Errorf("%s: %d effects", r.name, d.effects)
		}
	}
}

// The raw texts that the filter hands on count in the place of the fields.
func TestRawFields(t *testing.T) {
	d := new(desk)
	p := connectBy(t, d.server(t, nil), bare)
	first := p.tool("typed", nothing{})
	meta := func(state, responses any) map[string]any {
		return map[string]any{"name": "typed", "arguments": nothing{}, "_meta": map[string]any{
			protocol.MetaProtocolVersion: protocol.Revision20260728, protocol.MetaClientCapabilities: json.RawMessage(p.caps),
			mrtr.MetaState: state, mrtr.MetaResponses: responses,
		}}
	}
	quoted, _ := json.Marshal(*first.State)
	yes := `{"confirm":{"action":"accept","content":{"ok":true}},"unknown":{"x":1}}`
	for _, tt := range []struct {
		state, responses any
		code             int
	}{
		{"7", yes, protocol.CodeInvalidParams}, {`""`, yes, protocol.CodeInvalidParams}, {string(quoted), "[]", protocol.CodeInvalidParams},
		{string(quoted), `{"confirm":1,"confirm":2}`, protocol.CodeInvalidParams},
	} {
		if r := p.modern(protocol.MethodCallTool, meta(tt.state, tt.responses)); r.Error == nil || r.Error.Code != tt.code || d.effects != 0 {
			t.Errorf("%v %v: %s", tt.state, tt.responses, r.Result)
		}
	}
	// What is no text has not been put there by the filter.
	if r := p.modern(protocol.MethodCallTool, meta(7, map[string]any{})); len(r.Requests) != 1 || d.effects != 0 {
		t.Errorf("no texts: %s", r.Result)
	}
	last := p.modern(protocol.MethodCallTool, meta(string(quoted), yes))
	if last.ResultType != protocol.ResultComplete || d.effects != 1 || len(d.seen) != 0 {
		t.Errorf("%s, %d effects, seen %v", last.Result, d.effects, d.seen)
	}
}

// A request that does not say that it is modern is refused.
func TestOldRequestIsRefused(t *testing.T) {
	d := new(desk)
	p := connect(t, d.server(t, nil))
	p.initialize(protocol.Revision20251125)
	m := p.call(protocol.MethodCallTool, map[string]any{"name": "typed", "arguments": nothing{}})
	if m.Error == nil || m.Error.Code != protocol.CodeInvalidParams || d.effects != 0 {
		t.Errorf("%s", m.Result)
	}
	if m = p.call("tools/list", map[string]any{}); m.Error != nil {
		t.Errorf("tools/list: %s", m.Error.Message)
	}
}

// Two operations of one tool at a time do not mix.
func TestCrossedAnswers(t *testing.T) {
	d := new(desk)
	p := connect(t, d.server(t, nil))
	a, b := p.tool("untyped", map[string]any{"n": 1}), p.tool("untyped", map[string]any{"n": 2})
	yes := accept(map[string]any{"ok": true})
	if r := p.tool("untyped", map[string]any{"n": 1}, b.answer(yes)); r.Error == nil || d.effects != 0 {
		t.Errorf("crossed: %s", r.Result)
	}
	for n, first := range map[int]round{1: a, 2: b} {
		if r := p.tool("untyped", map[string]any{"n": n}, first.answer(yes)); r.ResultType != protocol.ResultComplete {
			t.Errorf("%d: %s", n, r.Result)
		}
	}
	if d.effects != 2 {
		t.Errorf("%d effects", d.effects)
	}
}

// A fault is a protocol error with its code, and nothing of what it was about.
func TestFaultOnTheWire(t *testing.T) {
	s := newServer(t, nil)
	effects := 0
	mcp.AddTool(s, &mcp.Tool{Name: "endless"}, func(ctx context.Context, req *mcp.CallToolRequest, _ nothing) (*mcp.CallToolResult, any, error) {
		for i := 0; ; i++ {
			_, err := mrtr.Elicit(ctx, req.Session, mrtr.Key("secret", i), &mcp.ElicitParams{Message: "Again?"})
			if mrtr.Pending(ctx) {
				return mrtr.InputRequired(ctx), nil, nil
			}
			if err != nil {
				effects++
			}
		}
	})
	p := connect(t, s)
	r := p.tool("endless", nothing{})
	rounds := 1
	for ; r.Error == nil && rounds < 20; rounds++ {
		r = p.tool("endless", nothing{}, r.answer(accept(map[string]any{})))
	}
	if rounds != 9 || r.Error == nil || r.Error.Code != protocol.CodeInternal || string(r.Error.Data) != `{"code":"MRTR1010"}` || strings.Contains(r.Error.Message, "secret") || effects != 0 {
		t.Errorf("%d rounds: %s %+v", rounds, r.Result, r.Error)
	}
}
