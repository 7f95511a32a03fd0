package mcpgo_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	mrtr "github.com/mrtr-migrate/mrtr-migrate/shim/mcpgo"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// Calls at a time on one connection do not mix, whatever order they end in.
func TestManyAtATime(t *testing.T) {
	const many = 40
	d := newDesk(t, nil)
	d.s.AddTool(mcp.NewTool("echo"), func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		n := req.GetInt("n", 0)
		if _, err := mrtr.RequestElicitation(ctx, d.s, "confirm", form(fmt.Sprintf("Echo %d?", n))); err != nil {
			return mrtr.InputRequired(ctx), nil
		}
		return mcp.NewToolResultText(fmt.Sprint(n)), nil
	})
	p := connect(t, "stdio", d.b, d.s)
	w := p.wire.(*stdioWire)
	states := map[int]string{}
	for round := range 2 {
		var writers sync.WaitGroup
		writers.Go(func() {
			for n := range many {
				args := map[string]any{"name": "echo", "arguments": map[string]any{"n": n}}
				params := p.params(args)
				if round == 1 {
					params = p.params(args, retry{states[n], map[string]any{"confirm": yes}})
				}
				w.write(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":"%d","method":"tools/call","params":%s}`, n, params))
			}
		})
		got := make(map[int]string, many)
		for range many {
			line, err := w.in.ReadBytes('\n')
			if err != nil {
				t.Fatal(err)
			}
			r := roundOf(t, parse(t, line), nil, 0)
			var n int
			if _, err := fmt.Sscanf(string(r.ID), `"%d"`, &n); err != nil {
				t.Fatal(err)
			}
			if round == 1 {
				wantComplete(t, r, fmt.Sprint(n))
				continue
			}
			wantQuestion(t, r, "confirm", protocol.MethodElicit)
			if !strings.Contains(string(r.Requests["confirm"].Params), fmt.Sprintf("Echo %d?", n)) {
				t.Fatalf("another's question: %s", r.text)
			}
			got[n] = *r.State
		}
		writers.Wait()
		if round == 0 {
			states = got
		}
	}
	if n := d.b.Serving(); n != 0 {
		t.Errorf("%d calls are kept", n)
	}
}

// A client that goes away cancels its request, and nothing is asked after it.
func TestCancellation(t *testing.T) {
	d := newDesk(t, nil)
	began, asked := make(chan bool), make(chan error)
	d.add("wait", func(ctx context.Context) error {
		began <- true
		<-ctx.Done()
		_, err := mrtr.RequestElicitation(ctx, d.s, "k", form("?"))
		asked <- err
		return err
	})
	p := connect(t, "http", d.b, d.s)
	url := p.wire.(*httpWire).url
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error)
	go func() {
		message := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + p.params(map[string]any{"name": "wait"}) + `}`
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(message))
		if err != nil {
			gone <- err
			return
		}
		req.Header = http.Header{
			"Content-Type": {"application/json"}, "Mcp-Protocol-Version": {protocol.Revision20260728},
			"Mcp-Method": {"tools/call"}, "Mcp-Name": {"wait"}, "Accept": {"application/json, text/event-stream"},
		}
		res, err := http.DefaultClient.Do(req)
		if err == nil {
			res.Body.Close()
		}
		gone <- err
	}()
	<-began
	cancel()
	if err := <-gone; err == nil {
		t.Error("a response")
	}
	if err := <-asked; err == nil || err == mrtr.ErrInputRequired {
		t.Errorf("a question after the end: %v", err)
	}
	wantNoneServed(t, d)
}

// A handler's panic ends its request as it did without the binding.
func TestPanic(t *testing.T) {
	everyTransport(t, func(t *testing.T, transport string) {
		d := newDesk(t, nil)
		d.add("panic", func(context.Context) error { panic("oh") })
		p := connect(t, transport, d.b, d.s)
		if transport == "stdio" {
			if r := p.modern("tools/call", map[string]any{"name": "panic"}); r.Error == nil || r.Error.Code != protocol.CodeInternal {
				t.Errorf("%s", r.text)
			}
		} else {
			message := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + p.params(map[string]any{"name": "panic"}) + `}`
			req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, p.wire.(*httpWire).url, strings.NewReader(message))
			req.Header = http.Header{
				"Content-Type": {"application/json"}, "Mcp-Protocol-Version": {protocol.Revision20260728},
				"Mcp-Method": {"tools/call"}, "Mcp-Name": {"panic"},
			}
			if res, err := http.DefaultClient.Do(req); err == nil {
				res.Body.Close()
				t.Errorf("status %d", res.StatusCode)
			}
		}
		wantNoneServed(t, d)
		wantQuestion(t, p.modern("tools/call", deskRequests[0].params), "confirm", protocol.MethodElicit)
	})
}

// wantNoneServed waits until every call has ended.
func wantNoneServed(t *testing.T, d *desk) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); d.b.Serving() != 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d calls are kept", d.b.Serving())
		}
	}
}

// Functions of the options that misbehave refuse the request.
func TestOptionsPanic(t *testing.T) {
	bad := func(string, string) bool { panic(canary) }
	for name, opts := range map[string]*mrtr.Options{
		"principal": {Principal: func(context.Context, http.Header) (string, error) { panic(canary) }},
		"reserve":   {Reserve: bad},
		"native":    {Native: bad},
	} {
		d := newDesk(t, opts)
		p := connect(t, "http", d.b, d.s)
		r := p.modern("tools/call", deskRequests[0].params)
		if r.Error == nil || r.Error.Code != protocol.CodeInternal || strings.Contains(r.text, canary) {
			t.Errorf("%s: %s", name, r.text)
		}
		d.want(t, 0)
		wantNoneServed(t, d)
	}
}

func TestBodyLimit(t *testing.T) {
	d := newDesk(t, &mrtr.Options{MaxBodyBytes: 2000})
	p := connect(t, "http", d.b, d.s)
	wantQuestion(t, p.modern("tools/call", deskRequests[0].params), "confirm", protocol.MethodElicit)
	text, _ := json.Marshal(strings.Repeat("x", 2000))
	res := p.wire.(*httpWire).post(t, "tools/call", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":`+string(text)+`}}`)
	res.Body.Close()
	if res.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("status %d", res.StatusCode)
	}
}
