package gosdk_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	mrtr "github.com/mrtr-migrate/mrtr-migrate/shim/gosdk"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// The sessions of the SDK are what the asks take.
var (
	_ mrtr.Elicitor    = (*mcp.ServerSession)(nil)
	_ mrtr.Sampler     = (*mcp.ServerSession)(nil)
	_ mrtr.ToolSampler = (*mcp.ServerSession)(nil)
	_ mrtr.RootsLister = (*mcp.ServerSession)(nil)
)

// addTool adds an untyped tool whose handler returns a text or an error.
func addTool(s *mcp.Server, name string, h func(ctx context.Context, s *mcp.ServerSession) (string, error)) {
	s.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		text, err := h(ctx, req.Session)
		if mrtr.Pending(ctx) {
			return mrtr.InputRequired(ctx), nil
		}
		if err != nil {
			return nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
	})
}

// play calls a tool until it ends, with one answer for each question.
func (p *peer) play(name string, answer func(key string, params json.RawMessage) any) (keys []string, last round) {
	p.t.Helper()
	r := p.tool(name, nothing{})
	for range 12 {
		if r.ResultType != protocol.ResultInputRequired {
			return keys, r
		}
		responses := map[string]any{}
		for key, q := range r.Requests {
			keys = append(keys, key)
			responses[key] = answer(key, q.Params)
		}
		r = p.tool(name, nothing{}, retry{state: *r.State, responses: responses})
	}
	p.t.Fatal("the tool does not end")
	return nil, r
}

// Blocking handlers stay linear: later questions use earlier answers, an effect
// comes once, in its place, and an ignored error does not let it come earlier.
func TestBlockingHandler(t *testing.T) {
	s := newServer(t, nil)
	effects := 0
	mcp.AddTool(s, &mcp.Tool{Name: "tool"}, func(ctx context.Context, req *mcp.CallToolRequest, _ nothing) (*mcp.CallToolResult, done, error) {
		name, _ := mrtr.Blocking(req.Session, "name").Elicit(ctx, &mcp.ElicitParams{Message: "Name?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`)})
		model, _ := mrtr.Blocking(req.Session, "model").CreateMessage(ctx, &mcp.CreateMessageParams{MaxTokens: 9, Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: "Greet " + name.Content["name"].(string)}}}})
		tools, _ := mrtr.Blocking(req.Session, "tools").CreateMessageWithTools(ctx, &mcp.CreateMessageWithToolsParams{MaxTokens: 9})
		roots, err := mrtr.Blocking(req.Session, "roots").ListRoots(ctx, nil)
		effects++
		return nil, done{fmt.Sprint(model.Content.(*mcp.TextContent).Text, " ", len(tools.Content), " ", roots.Roots[0].URI, " ", err)}, nil
	})
	p := connect(t, s)
	keys, last := p.play("tool", func(key string, params json.RawMessage) any {
		switch key {
		case "name":
			return accept(map[string]any{"name": "Ada"})
		case "model":
			if !strings.Contains(string(params), "Greet Ada") {
				t.Errorf("question %s", params)
			}
			return map[string]any{"role": "assistant", "model": "m", "content": map[string]any{"type": "text", "text": "Hello, Ada"}}
		case "tools":
			return map[string]any{"role": "assistant", "model": "m", "content": []any{map[string]any{"type": "text", "text": "a"}, map[string]any{"type": "tool_use", "id": "1", "name": "t", "input": map[string]any{}}}}
		}
		return map[string]any{"roots": []any{map[string]any{"uri": "file:///a"}}}
	})
	if fmt.Sprint(keys) != "[name model tools roots]" || !strings.Contains(string(last.Result), "Hello, Ada 2 file:///a ") || effects != 1 {
		t.Errorf("%q, %d effects: %s", keys, effects, last.Result)
	}
}

// CreateMessage gives its old type and keeps its rule of one block, however the
// content arrives.
func TestCreateMessageContent(t *testing.T) {
	block := func(text string) any { return map[string]any{"type": "text", "text": text} }
	tests := []struct {
		name    string
		content any
		want    string
	}{
		{"single", block("a"), "text a"},
		{"array of one", []any{block("a")}, "text a"},
		{"empty array", []any{}, "none"},
		{"two", []any{block("a"), block("b")}, "error CreateMessage result has 2 content blocks; use CreateMessageWithTools for multiple content"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, nil)
			addTool(s, "tool", func(ctx context.Context, s *mcp.ServerSession) (string, error) {
				res, err := mrtr.CreateMessage(ctx, s, "k", &mcp.CreateMessageParams{MaxTokens: 1})
				switch {
				case err != nil:
					return "error " + err.Error(), nil
				case res.Content == nil:
					return "none", nil
				}
				if res.Model != "m" || res.Role != "assistant" || res.StopReason != "endTurn" {
					t.Errorf("%+v", res)
				}
				return "text " + res.Content.(*mcp.TextContent).Text, nil
			})
			_, last := connect(t, s).play("tool", func(string, json.RawMessage) any {
				return map[string]any{"role": "assistant", "model": "m", "stopReason": "endTurn", "content": tt.content}
			})
			if last.text() != tt.want {
				t.Errorf("%s", last.Result)
			}
		})
	}
}

// What the SDK's decoder cannot read is no answer, although it has the shape.
func TestUndecodableAnswer(t *testing.T) {
	s := newServer(t, nil)
	addTool(s, "tool", func(ctx context.Context, s *mcp.ServerSession) (string, error) {
		res, err := mrtr.CreateMessageWithTools(ctx, s, "k", nil)
		if err != nil {
			return "", err
		}
		return fmt.Sprint(len(res.Content)), nil
	})
	n := 0
	keys, last := connect(t, s).play("tool", func(string, json.RawMessage) any {
		data := "***"
		if n++; n == 2 {
			data = "aGk="
		}
		return map[string]any{"role": "assistant", "model": "m", "content": map[string]any{"type": "image", "mimeType": "image/png", "data": data}}
	})
	if len(keys) != 2 || last.text() != "1" {
		t.Errorf("%q: %s", keys, last.Result)
	}
}

// A handler that hands on the error of a question that the client cannot be
// asked fails with -32021; one that does without goes on as before.
func TestCapabilityOnTheWire(t *testing.T) {
	elicit := func(ctx context.Context, s *mcp.ServerSession) error {
		_, err := mrtr.Elicit(ctx, s, "k", &mcp.ElicitParams{Message: "?"})
		return err
	}
	url := func(ctx context.Context, s *mcp.ServerSession) error {
		_, err := mrtr.Blocking(s, "k").Elicit(ctx, &mcp.ElicitParams{Message: "?", URL: "https://example.com"})
		return err
	}
	tools := func(ctx context.Context, s *mcp.ServerSession) error {
		_, err := mrtr.CreateMessageWithTools(ctx, s, "k", &mcp.CreateMessageWithToolsParams{Tools: []*mcp.Tool{{Name: "t"}}})
		return err
	}
	tests := []struct {
		caps     string
		ask      func(context.Context, *mcp.ServerSession) error
		required string
	}{
		{`{}`, elicit, `{"elicitation":{"form":{}}}`},
		{`{"elicitation":{}}`, url, `{"elicitation":{"url":{}}}`},
		{`{"elicitation":{"url":{}}}`, elicit, `{"elicitation":{"form":{}}}`},
		{`{"sampling":{}}`, tools, `{"sampling":{"tools":{}}}`},
	}
	wraps := map[string]func(error) error{
		"returned": func(err error) error { return err },
		"%w":       func(err error) error { return fmt.Errorf("asking: %w", err) },
		"joined":   func(err error) error { return errors.Join(errors.New("a"), err) },
	}
	for _, tt := range tests {
		for name, wrap := range wraps {
			t.Run(tt.caps+"/"+name, func(t *testing.T) {
				s := newServer(t, nil)
				mcp.AddTool(s, &mcp.Tool{Name: "typed"}, func(ctx context.Context, req *mcp.CallToolRequest, _ nothing) (*mcp.CallToolResult, any, error) {
					return nil, nil, wrap(tt.ask(ctx, req.Session))
				})
				mcp.AddTool(s, &mcp.Tool{Name: "fallback"}, func(ctx context.Context, req *mcp.CallToolRequest, _ nothing) (*mcp.CallToolResult, done, error) {
					if err := tt.ask(ctx, req.Session); err != nil {
						return nil, done{"without: " + err.Error()}, nil
					}
					return nil, done{"with"}, nil
				})
				addTool(s, "untyped", func(ctx context.Context, s *mcp.ServerSession) (string, error) { return "", wrap(tt.ask(ctx, s)) })
				s.AddPrompt(&mcp.Prompt{Name: "prompt"}, func(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
					return nil, wrap(tt.ask(ctx, req.Session))
				})
				s.AddResource(&mcp.Resource{URI: "desk://one", Name: "one"}, func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
					return nil, wrap(tt.ask(ctx, req.Session))
				})
				p := connect(t, s)
				p.caps = tt.caps
				for _, r := range []round{
					p.tool("typed", nothing{}), p.tool("untyped", nothing{}),
					p.modern(protocol.MethodGetPrompt, map[string]any{"name": "prompt"}),
					p.modern(protocol.MethodReadResource, map[string]any{"uri": "desk://one"}),
				} {
					if r.Error == nil || r.Error.Code != protocol.CodeMissingClientCapability || string(r.Error.Data) != `{"requiredCapabilities":`+tt.required+`}` {
						t.Errorf("%s %+v", r.Result, r.Error)
					}
				}
				if r := p.tool("fallback", nothing{}); r.ResultType != protocol.ResultComplete || !strings.Contains(r.text(), "without: client does not support") {
					t.Errorf("fallback: %s", r.Result)
				}
				p.caps = allCaps
				if r := p.tool("typed", nothing{}); r.ResultType != protocol.ResultInputRequired {
					t.Errorf("with the capability: %s", r.Result)
				}
			})
		}
	}
}

// Capabilities reads the very request on a modern peer, and initialize on an old
// one.
func TestCapabilitiesOfRequest(t *testing.T) {
	var got []*mcp.ClientCapabilities
	s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "tool"}, func(ctx context.Context, req *mcp.CallToolRequest, _ nothing) (*mcp.CallToolResult, any, error) {
		got = append(got, mrtr.Capabilities(req))
		silent := &mcp.CallToolRequest{Session: req.Session, Params: &mcp.CallToolParamsRaw{Meta: mcp.Meta{protocol.MetaProtocolVersion: protocol.Revision20260728}}}
		if c := mrtr.Capabilities(silent); c.RootsV2 != nil || c.Elicitation != nil {
			t.Errorf("a request that declares nothing has the session's %+v", c)
		}
		return nil, nil, nil
	})
	p := connect(t, s)
	p.caps = `{"roots":{}}`
	p.initialize(protocol.Revision20251125)
	p.call(protocol.MethodCallTool, map[string]any{"name": "tool", "arguments": nothing{}})
	p.caps = `{"elicitation":{"url":{}}}`
	p.tool("tool", nothing{})
	p.caps = `{}`
	p.tool("tool", nothing{})
	if len(got) != 3 || got[0].RootsV2 == nil || got[1].RootsV2 != nil || got[1].Elicitation == nil || got[1].Elicitation.URL == nil || got[2].Elicitation != nil {
		t.Errorf("%+v", got)
	}
	if c := mrtr.Capabilities(&mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{}}); c == nil || c.Elicitation != nil {
		t.Errorf("%+v", c)
	}
}

// Without a continuation each function is the session's own method.
func TestWithoutContinuation(t *testing.T) {
	f := new(fake)
	ctx := context.Background()
	mrtr.Elicit(ctx, f, "k", nil)
	mrtr.CreateMessage(ctx, f, "k", nil)
	mrtr.CreateMessageWithTools(ctx, f, "k", nil)
	mrtr.ListRoots(ctx, f, "k", nil)
	mrtr.Once(ctx, "k", func(context.Context) (int, error) { f.calls = append(f.calls, "Once"); return 1, nil })
	if fmt.Sprint(f.calls) != "[Elicit CreateMessage CreateMessageWithTools ListRoots Once]" || mrtr.Pending(ctx) {
		t.Errorf("%q", f.calls)
	}
	if mrtr.At(ctx, "a") == ctx {
		t.Error("At does nothing")
	}
}

type fake struct{ calls []string }

func (f *fake) Elicit(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	f.calls = append(f.calls, "Elicit")
	return nil, nil
}

func (f *fake) CreateMessage(context.Context, *mcp.CreateMessageParams) (*mcp.CreateMessageResult, error) {
	f.calls = append(f.calls, "CreateMessage")
	return nil, nil
}

func (f *fake) CreateMessageWithTools(context.Context, *mcp.CreateMessageWithToolsParams) (*mcp.CreateMessageWithToolsResult, error) {
	f.calls = append(f.calls, "CreateMessageWithTools")
	return nil, nil
}

func (f *fake) ListRoots(context.Context, *mcp.ListRootsParams) (*mcp.ListRootsResult, error) {
	f.calls = append(f.calls, "ListRoots")
	return nil, nil
}
