package mcpgo_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	mrtr "github.com/mrtr-migrate/mrtr-migrate/shim/mcpgo"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// A question to somebody else's session is not put to the peer whose request it
// is about.
func TestSomebodyElsesSession(t *testing.T) {
	d := newDesk(t, nil)
	other := server.NewInProcessSession("other", nil)
	elicit := func(ctx context.Context) (*mcp.ElicitationResult, error) {
		return mrtr.RequestElicitation(ctx, d.s, "k", form("?"))
	}
	url := func(ctx context.Context, session server.ClientSession) (*mcp.ElicitationResult, error) {
		return mrtr.RequestURLElicitation(ctx, d.s, "k", session, "", "https://example.com", "?")
	}
	for name, ask := range map[string]func(context.Context, server.ClientSession) (*mcp.ElicitationResult, error){
		"context": func(ctx context.Context, s server.ClientSession) (*mcp.ElicitationResult, error) {
			return elicit(d.s.WithContext(ctx, s))
		},
		"blocking context": func(ctx context.Context, s server.ClientSession) (*mcp.ElicitationResult, error) {
			return mrtr.Blocking(d.s, "k").RequestElicitation(d.s.WithContext(ctx, s), form("?"))
		},
		"parameter": url,
		"blocking parameter": func(ctx context.Context, s server.ClientSession) (*mcp.ElicitationResult, error) {
			return mrtr.Blocking(d.s, "k").RequestURLElicitation(ctx, s, "", "https://example.com", "?")
		},
	} {
		var session func(ctx context.Context) server.ClientSession
		d.add(name, func(ctx context.Context) error {
			if _, err := ask(ctx, session(ctx)); err != nil {
				return fmt.Errorf("asked: %w", err)
			}
			return nil
		})
		p := connect(t, "http", d.b, d.s)
		session = func(context.Context) server.ClientSession { return other }
		if r := p.modern("tools/call", map[string]any{"name": name}); r.Error == nil || r.Error.Code != protocol.CodeInternal {
			t.Errorf("%s: %s", name, r.text)
		}
		session = server.ClientSessionFromContext
		wantQuestion(t, p.modern("tools/call", map[string]any{"name": name}), "k", protocol.MethodElicit)
	}
}

// The SDK's own complaints about a question are what they were, on both eras.
func TestQuestionsThatTheSDKRefuses(t *testing.T) {
	d := newDesk(t, nil)
	d.add("ask", func(ctx context.Context) error {
		_, err := mrtr.RequestElicitation(ctx, d.s, "k", mcp.ElicitationRequest{Params: mcp.ElicitationParams{Message: "?"}})
		return err
	})
	p := connect(t, "http", d.b, d.s)
	modern := p.modern("tools/call", map[string]any{"name": "ask"})
	p.initialize(protocol.Revision20251125)
	legacy := p.legacy("tools/call", map[string]any{"name": "ask"}, nil)
	if modern.Error == nil || legacy.Error == nil || modern.Error.Message != legacy.Error.Message || modern.Error.Message != "requestedSchema is required for form elicitation" {
		t.Errorf("%s\n%s", modern.text, legacy.text)
	}
}

// Middleware that was put outside the binding's cannot run a handler after its
// round has been decided, nor pass off one request as another.
func TestOutsideMiddleware(t *testing.T) {
	twice := func(next server.ToolHandlerFunc) server.ToolHandlerFunc {
		return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if _, err := next(ctx, req); err == nil {
				return next(ctx, req)
			}
			return next(ctx, req)
		}
	}
	rename := func(next server.ToolHandlerFunc) server.ToolHandlerFunc {
		return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			req.Params.Name = "another"
			return next(ctx, req)
		}
	}
	legacy := func(next server.ToolHandlerFunc) server.ToolHandlerFunc {
		return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return next(server.WithRequestProtocolInfo(ctx, nil), req)
		}
	}
	build := func(mw server.ToolHandlerMiddleware) (*mrtr.Binding, *server.MCPServer, *int) {
		b, calls := newBinding(t, nil), new(int)
		s := server.NewMCPServer("outside", "1", server.WithToolHandlerMiddleware(mw), b.Option())
		s.AddTool(mcp.NewTool("ask"), func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			*calls++
			if f := req.Params.Meta.AdditionalFields["io.github.mrtr-migrate/call"]; f != nil {
				t.Errorf("the handler saw %v", f)
			}
			_, _ = mrtr.RequestElicitation(ctx, s, "k", form("?"))
			return mrtr.InputRequired(ctx), nil
		})
		return b, s, calls
	}
	b, s, calls := build(twice)
	wantQuestion(t, connect(t, "http", b, s).modern("tools/call", map[string]any{"name": "ask"}), "k", protocol.MethodElicit)
	if *calls != 1 {
		t.Errorf("the handler ran %d times", *calls)
	}
	for _, mw := range []server.ToolHandlerMiddleware{rename, legacy} {
		b, s, calls := build(mw)
		if r := connect(t, "http", b, s).modern("tools/call", map[string]any{"name": "ask"}); r.Error == nil || *calls != 0 {
			t.Errorf("%d calls: %s", *calls, r.text)
		}
	}
}

// Middleware of the program may ask, as a part of the handler.
func TestMiddlewareAsks(t *testing.T) {
	b := newBinding(t, nil)
	var s *server.MCPServer
	effects := 0
	s = server.NewMCPServer("inside", "1", b.Option(), server.WithToolHandlerMiddleware(func(next server.ToolHandlerFunc) server.ToolHandlerFunc {
		return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			res, err := mrtr.RequestElicitation(ctx, s, "gate", form("?"))
			if mrtr.Pending(ctx) {
				return mrtr.InputRequired(ctx), nil
			}
			if err != nil || res.Action != "accept" {
				return mcp.NewToolResultError("no"), err
			}
			return next(ctx, req)
		}
	}))
	s.AddTool(mcp.NewTool("do"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		effects++
		return mcp.NewToolResultText("done"), nil
	})
	p := connect(t, "http", b, s)
	first := p.modern("tools/call", map[string]any{"name": "do"})
	wantQuestion(t, first, "gate", protocol.MethodElicit)
	if effects != 0 {
		t.Fatal("an effect before the answer")
	}
	wantComplete(t, p.modern("tools/call", map[string]any{"name": "do"}, first.answer(yes)), "done")
}

// A modern client in the same process, which no front stands before, reaches
// handlers that use the SDK's own fields.
func TestInProcessNative(t *testing.T) {
	d := newDesk(t, nil)
	d.s.AddTool(mcp.NewTool("native"), func(_ context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if res := server.ElicitationResponse(req.Params.InputResponses, "n"); res != nil {
			return mcp.NewToolResultText(string(res.Action)), nil
		}
		return server.NewInputRequestBuilder("s").Elicit("n", form("?").Params).ToolResult(), nil
	})
	u := new(user)
	c := client.NewClient(transport.NewInProcessTransportWithOptions(d.s, transport.WithElicitationHandler(u)), client.WithElicitationHandler(u))
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var init mcp.InitializeRequest
	init.Params.ProtocolVersion = protocol.Revision20260728
	if _, err := c.Initialize(t.Context(), init); err != nil {
		t.Fatal(err)
	}
	var req mcp.CallToolRequest
	req.Params.Name = "native"
	res, err := c.CallTool(t.Context(), req)
	if err != nil || res.Content[0].(mcp.TextContent).Text != "accept" {
		t.Errorf("%v, %v", res, err)
	}
}

// A notification that looks like a call begins none, and is not answered.
func TestNotificationOfACall(t *testing.T) {
	d := newDesk(t, nil)
	p := connect(t, "stdio", d.b, d.s)
	w := p.wire.(*stdioWire)
	w.write(t, `{"jsonrpc":"2.0","method":"tools/call","params":`+p.params(map[string]any{"name": "explicit"})+`}`)
	w.write(t, `{"jsonrpc":"2.0","method":"tools/call","params":`+p.params(map[string]any{"name": "explicit", "Name": 1})+`}`)
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + p.params(map[string]any{"name": "explicit"}) + `}`
	for _, batch := range []string{`[]`, `[` + call + `]`, `[` + call + `,` + call + `]`} {
		w.write(t, batch)
		if line, err := w.in.ReadBytes('\n'); err != nil || parse(t, line).Error == nil || strings.Contains(string(line), "requestState") {
			t.Fatalf("a batch: %s %v", line, err)
		}
	}
	wantQuestion(t, p.modern("tools/call", deskRequests[0].params), "confirm", protocol.MethodElicit)
	if d.calls != 1 || d.b.Serving() != 0 {
		t.Errorf("%d calls, %d kept", d.calls, d.b.Serving())
	}
}

// What is not answered when the connection ends is not kept.
func TestEndOfInput(t *testing.T) {
	d := newDesk(t, nil)
	began := make(chan bool, 30)
	d.add("wait", func(ctx context.Context) error {
		began <- true
		<-ctx.Done()
		return ctx.Err()
	})
	t.Run("connection", func(t *testing.T) {
		p := connect(t, "stdio", d.b, d.s)
		const many = 30 // more than the SDK has workers for: it drops those that wait
		for i := range many {
			p.wire.(*stdioWire).write(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%s}`, i, p.params(map[string]any{"name": "wait"})))
		}
		<-began
		// The last line may still be on its way.
		for deadline := time.Now().Add(10 * time.Second); d.b.Serving() != many; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%d calls", d.b.Serving())
			}
		}
	})
	wantNoneServed(t, d)
}

// What the client can do is what this very request says.
func TestCapabilities(t *testing.T) {
	d := newDesk(t, nil)
	var got mcp.ClientCapabilities
	d.add("look", func(ctx context.Context) error { got = mrtr.Capabilities(ctx); return nil })
	everyTransport(t, func(t *testing.T, transport string) {
		p := connect(t, transport, d.b, d.s)
		p.initialize(protocol.Revision20251125)
		p.legacy("tools/call", map[string]any{"name": "look"}, nil)
		if got.Elicitation == nil || got.Sampling == nil || got.Roots == nil {
			t.Errorf("of initialize: %+v", got)
		}
		p.caps = `{"roots":{}}`
		if r := p.modern("tools/call", map[string]any{"name": "look"}); r.status != 0 && r.status != http.StatusOK {
			t.Errorf("status %d", r.status)
		}
		if got.Elicitation != nil || got.Sampling != nil || got.Roots == nil {
			t.Errorf("of the request: %+v", got)
		}
	})
}
