package mcpgo_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mrtr-migrate/mrtr-migrate/shim"
	mrtr "github.com/mrtr-migrate/mrtr-migrate/shim/mcpgo"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// Code that passes over errors comes to no effect, in either style.
func TestFailOpen(t *testing.T) {
	everyTransport(t, func(t *testing.T, transport string) {
		effects := 0
		d := newDesk(t, nil, server.WithRecovery(), server.WithResourceRecovery())
		tools := map[string]func(context.Context){
			"blocking": func(ctx context.Context) {
				res, _ := mrtr.Blocking(d.s, "k").RequestElicitation(ctx, form("?"))
				if res == nil || res.Action == "accept" {
					effects++
				}
			},
			"recovers": func(ctx context.Context) {
				func() {
					defer func() { _ = recover() }()
					_, _ = mrtr.Blocking(d.s, "k").RequestElicitation(ctx, form("?"))
				}()
				effects++
			},
			"explicit": func(ctx context.Context) {
				_, _ = mrtr.RequestElicitation(ctx, d.s, "k", form("?"))
				if mrtr.Pending(ctx) {
					return
				}
				effects++
			},
			"panics": func(ctx context.Context) {
				if _, err := mrtr.RequestElicitation(ctx, d.s, "k", form("?")); err != nil {
					panic(err)
				}
				effects++
			},
		}
		for name, f := range tools {
			d.add(name, func(ctx context.Context) error { f(ctx); return nil })
		}
		p := connect(t, transport, d.b, d.s)
		for name := range tools {
			effects = 0
			call := map[string]any{"name": name}
			first := p.modern("tools/call", call)
			wantQuestion(t, first, "k", protocol.MethodElicit)
			if effects != 0 {
				t.Fatalf("%s: an effect without an answer", name)
			}
			wantComplete(t, p.modern("tools/call", call, first.answer(yes)), "ok")
			if effects != 1 {
				t.Fatalf("%s: %d effects", name, effects)
			}
		}
	})
}

// A context that is kept beyond its request asks nobody.
func TestClosedContinuation(t *testing.T) {
	d := newDesk(t, nil)
	var kept context.Context
	d.add("keep", func(ctx context.Context) error { kept = ctx; return nil })
	p := connect(t, "http", d.b, d.s)
	wantComplete(t, p.modern("tools/call", map[string]any{"name": "keep"}), "ok")
	if _, err := mrtr.RequestElicitation(kept, d.s, "k", form("?")); err == nil || !mrtr.Pending(kept) {
		t.Errorf("a question after the end: %v", err)
	}
	if r := mrtr.InputRequired(kept); !r.IsError {
		t.Error("no error result")
	}
}

// A call that runs as a task cannot ask, and one that does not ask runs.
func TestTask(t *testing.T) {
	d := newDesk(t, nil, server.WithTaskCapabilities(true, true, true))
	done := make(chan error, 2)
	ask := false
	d.s.AddTool(mcp.NewTool("task", mcp.WithTaskSupport(mcp.TaskSupportOptional)), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var err error
		if ask {
			_, err = mrtr.RequestElicitation(ctx, d.s, "k", form("?"))
			if err != nil && !mrtr.Pending(ctx) {
				err = nil // the test fails
			}
		}
		done <- err
		return mcp.NewToolResultText("ok"), nil
	})
	p := connect(t, "http", d.b, d.s)
	call := map[string]any{"name": "task", "task": map[string]any{}}
	if r := p.modern("tools/call", call); r.Error != nil || r.Requests != nil {
		t.Fatalf("%s", r.text)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	ask = true
	if r := p.modern("tools/call", call, retry{responses: map[string]any{"k": yes}}); r.Error != nil || r.Requests != nil {
		t.Fatalf("%s", r.text)
	}
	if err := <-done; err == nil {
		t.Fatal("a task could ask")
	}
	// A tool that runs at once, whatever the client wants, has a context that goes on.
	d.add("plain", func(ctx context.Context) error { return ctx.Err() })
	if r := p.modern("tools/call", map[string]any{"name": "plain", "task": map[string]any{}}); r.Error != nil || !r.IsError {
		t.Errorf("%s", r.text)
	}
	delete(call, "task")
	wantQuestion(t, p.modern("tools/call", call), "k", protocol.MethodElicit)
	<-done
}

// Results that ask by hand, or that stand for a question when there is none.
func TestMisuse(t *testing.T) {
	everyTransport(t, func(t *testing.T, transport string) {
		d := newDesk(t, &mrtr.Options{Native: func(_, target string) bool { return target == "native" }})
		native := func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if res := server.ElicitationResponse(req.Params.InputResponses, "n"); res != nil && req.Params.RequestState == "s" {
				return mcp.NewToolResultText(string(res.Action)), nil
			}
			return server.NewInputRequestBuilder("s").Elicit("n", form("Native?").Params).ToolResult(), nil
		}
		d.s.AddTool(mcp.NewTool("native"), native)
		d.s.AddTool(mcp.NewTool("by hand"), native)
		d.s.AddTool(mcp.NewTool("nothing"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mrtr.InputRequired(ctx), nil
		})
		d.s.AddPrompt(mcp.NewPrompt("nothing"), func(ctx context.Context, _ mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return mrtr.PromptInputRequired(ctx), nil
		})
		d.s.AddResource(mcp.NewResource("desk://nothing", "n"), func(ctx context.Context, _ mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			return mrtr.ResourceInputRequired(ctx), nil
		})
		p := connect(t, transport, d.b, d.s)
		call := func(name string) map[string]any { return map[string]any{"name": name} }
		wantError(t, p.modern("tools/call", call("by hand")), protocol.CodeInternal, `{"code":"MRTR1018"}`, http.StatusOK)
		first := p.modern("tools/call", call("native"))
		if first.Requests["n"].Method != protocol.MethodElicit || *first.State != "s" {
			t.Fatalf("%s", first.text)
		}
		wantComplete(t, p.modern("tools/call", call("native"), first.answer(map[string]any{"action": "decline"})), "decline")
		if r := p.modern("tools/call", call("nothing")); !r.IsError || !strings.Contains(r.said(), "MRTR1005") {
			t.Errorf("%s", r.text)
		}
		wantError(t, p.modern("prompts/get", call("nothing")), protocol.CodeInternal, `{"code":"MRTR1005"}`, http.StatusOK)
		wantError(t, p.modern("resources/read", map[string]any{"uri": "desk://nothing"}), protocol.CodeInternal, `{"code":"MRTR1005"}`, http.StatusOK)

		p.initialize(protocol.Revision20251125)
		if r := p.legacy("prompts/get", call("nothing"), nil); r.Error == nil {
			t.Errorf("%s", r.text)
		}
		if r := p.legacy("resources/read", map[string]any{"uri": "desk://nothing"}, nil); r.Error == nil {
			t.Errorf("%s", r.text)
		}
		if r := p.legacy("tools/call", call("nothing"), nil); !r.IsError {
			t.Errorf("%s", r.text)
		}
		decline := func(frame) string { return `{"action":"decline"}` }
		if r := p.legacy("tools/call", call("by hand"), decline); r.said() != "decline" && r.Error == nil {
			t.Errorf("%s", r.text)
		}
	})
}

// An effect before a question runs once, a loop has a question for each element,
// and the helper's call site is part of the key.
func TestOnceKeyAt(t *testing.T) {
	d := newDesk(t, nil)
	effects, removed := 0, []string{}
	d.add("prune", func(ctx context.Context) error {
		n, err := mrtr.Once(ctx, "count", func(context.Context) (int, error) { effects++; return effects, nil })
		if err != nil || n != 1 {
			return fmt.Errorf("%d: %w", n, err)
		}
		for _, name := range []string{"a", "b"} {
			res, err := mrtr.RequestElicitation(mrtr.At(ctx, "helper"), d.s, mrtr.Key("remove", name), form("Remove?"))
			if mrtr.Pending(ctx) || err != nil {
				return err
			}
			if res.Action == "accept" {
				removed = append(removed, name)
			}
		}
		return nil
	})
	p := connect(t, "http", d.b, d.s)
	call := map[string]any{"name": "prune"}
	r := p.modern("tools/call", call)
	keys := map[string]bool{}
	for range 2 {
		for key := range r.Requests {
			keys[key] = strings.HasPrefix(key, "helper.remove.")
		}
		removed = nil
		r = p.modern("tools/call", call, r.answer(yes))
	}
	wantComplete(t, r, "ok")
	if effects != 1 || len(removed) != 2 || len(keys) != 2 {
		t.Errorf("%d effects, removed %v, keys %v", effects, removed, keys)
	}
	for key, ok := range keys {
		if !ok {
			t.Errorf("key %q", key)
		}
	}
}

// Too many rounds are a fault with its code, and nothing of what it was about.
func TestFaultOnTheWire(t *testing.T) {
	d := newDesk(t, &mrtr.Options{Limits: shim.Limits{Rounds: 3}})
	d.add("endless", func(ctx context.Context) error {
		for i := 0; ; i++ {
			if _, err := mrtr.RequestElicitation(ctx, d.s, mrtr.Key("secret", i), form("?")); err != nil || mrtr.Pending(ctx) {
				return err
			}
		}
	})
	p := connect(t, "http", d.b, d.s)
	r := p.modern("tools/call", map[string]any{"name": "endless"})
	rounds := 1
	for ; r.Error == nil && rounds < 9; rounds++ {
		r = p.modern("tools/call", map[string]any{"name": "endless"}, r.answer(yes))
	}
	wantError(t, r, protocol.CodeInternal, `{"code":"MRTR1010"}`, http.StatusOK)
	if rounds != 4 || strings.Contains(r.Error.Message, "secret") {
		t.Errorf("%d rounds: %s", rounds, r.text)
	}
}
