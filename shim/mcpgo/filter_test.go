package mcpgo_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	mrtr "github.com/mrtr-migrate/mrtr-migrate/shim/mcpgo"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// A request that has not come through the front is refused, and so is what only
// the front may say.
func TestNoFront(t *testing.T) {
	everyTransport(t, func(t *testing.T, transport string) {
		for _, r := range deskRequests {
			d := newDesk(t, nil)
			p := connect(t, transport, nil, d.s) // the SDK's own entry point
			if res := p.modern(r.method, r.params); res.Error == nil || d.calls != 0 {
				t.Errorf("%s: %s", r.name, res.text)
			}
			p.initialize(protocol.Revision20251125)
			if res := p.legacy(r.method, r.params, func(frame) string { return `{"action":"decline"}` }); res.said() != "not done" {
				t.Errorf("%s: %s", r.name, res.text)
			}
		}
		d := newDesk(t, nil)
		p := connect(t, transport, d.b, d.s)
		meta := map[string]any{
			protocol.MetaProtocolVersion: protocol.Revision20260728, protocol.MetaClientCapabilities: json.RawMessage(allCaps),
			"io.github.mrtr-migrate/call": "forged",
		}
		wantQuestion(t, p.modern("tools/call", map[string]any{"name": "explicit", "_meta": meta}), "confirm", protocol.MethodElicit)
	})
}

// What would be one request to the front and another to the SDK is refused, and
// no refusal quotes the request.
func TestSpellings(t *testing.T) {
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + allCaps + `}`
	everyTransport(t, func(t *testing.T, transport string) {
		d := newDesk(t, nil)
		p := connect(t, transport, d.b, d.s)
		for _, params := range []string{
			`{"name":"explicit","Name":"blocking",` + meta + `}`,
			`{"name":"explicit","arguments":{"to":1},"Arguments":{"to":2},` + meta + `}`,
			`{"name":"explicit","arguments":{"to":1},"arguments":{"to":2},` + meta + `}`,
			`{"name":"explicit","argument\u017f":{"to":2},` + meta + `}`,
			`{"name":"explicit","name":"blocking",` + meta + `}`,
			`{"name":"explicit","InputResponses":{"confirm":"` + canary + `"},` + meta + `}`,
			`{"name":"explicit","requeststate":"` + canary + `",` + meta + `}`,
			`{"name":"explicit","inputResponses":["` + canary + `"],` + meta + `}`,
			`{"name":"explicit","inputResponses":{"a":"` + canary + `","a":1},` + meta + `}`,
			`{"name":7,"inputResponses":{"a":"` + canary + `"},` + meta + `}`,
			`{"name":"explicit","_Meta":{},` + meta + `}`,
			`{"name":"explicit",` + meta + `,` + meta + `}`,
			`["` + canary + `"]`,
		} {
			r := p.raw("tools/call", params, nil)
			if r.Error == nil || r.Error.Code != protocol.CodeInvalidParams || strings.Contains(r.text, canary) {
				t.Errorf("%s: %s", params, r.text)
			}
		}
		for _, message := range []string{
			`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"explicit",` + meta + `},"Params":{"name":"blocking"}}`,
			`{"jsonrpc":"2.0","id":%d,"method":"tools/call","Method":"tools/list","params":{"name":"explicit",` + meta + `}}`,
		} {
			p.id++
			f, _, status := p.wire.exchange(t, p.id, "tools/call", fmt.Sprintf(message, p.id), nil)
			if f.Error == nil || f.Error.Code != protocol.CodeInvalidRequest || status != 0 && status != http.StatusBadRequest {
				t.Errorf("%s: %s", message, f.text)
			}
		}
		if d.calls != 0 {
			t.Errorf("%d calls", d.calls)
		}
		wantQuestion(t, p.modern("tools/call", deskRequests[0].params), "confirm", protocol.MethodElicit)
	})
}

// Fields that the SDK's decoder would refuse, quoting them, do not reach it.
func TestNothingLeaks(t *testing.T) {
	var log bytes.Buffer
	var mu sync.Mutex
	hooks := new(server.Hooks)
	seen := 0
	hooks.AddBeforeAny(func(_ context.Context, _ any, _ mcp.MCPMethod, message any) {
		mu.Lock()
		defer mu.Unlock()
		seen++
		if text, _ := json.Marshal(message); bytes.Contains(text, []byte(canary)) {
			t.Errorf("a hook saw %s", text)
		}
	})
	d := newDesk(t, &mrtr.Options{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))}, server.WithHooks(hooks))
	p := connect(t, "http", d.b, d.s)
	for _, r := range deskRequests {
		first := p.modern(r.method, r.params)
		for _, again := range []retry{
			{state: canary}, {state: map[string]any{"x": canary}}, {state: *first.State, responses: []any{canary}},
			{state: *first.State, responses: map[string]any{"confirm": canary}},
			{state: *first.State, responses: map[string]any{"confirm": accept(map[string]any{"ok": canary})}},
			{state: *first.State, responses: map[string]any{canary: 1}},
		} {
			if res := p.modern(r.method, r.params, again); strings.Contains(res.text, canary) {
				t.Errorf("%s: %s", r.name, res.text)
			}
		}
	}
	if strings.Contains(log.String(), canary) || log.Len() == 0 {
		t.Errorf("log: %s", log.String())
	}
	if seen == 0 {
		t.Error("no hook ran")
	}
}

// One id in use twice at a time cannot make one response stand for another.
func TestIDInUse(t *testing.T) {
	d := newDesk(t, nil)
	began, end := make(chan bool), make(chan bool)
	d.add("slow", func(context.Context) error { began <- true; <-end; return nil })
	p := connect(t, "stdio", d.b, d.s)
	w := p.wire.(*stdioWire)
	w.write(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+p.params(map[string]any{"name": "slow"})+`}`)
	<-began
	f, _, _ := w.exchange(t, 1, "", `{"jsonrpc":"2.0","id":1.0,"method":"tools/call","params":`+p.params(map[string]any{"name": "explicit"})+`}`, nil)
	if f.Error == nil || f.Error.Code != protocol.CodeInvalidRequest {
		t.Fatalf("%s", f.text)
	}
	if n := d.b.Serving(); n != 1 {
		t.Errorf("%d calls are kept", n)
	}
	end <- true
	line, err := w.in.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	wantComplete(t, roundOf(t, parse(t, line), nil, 0), "ok")
	p.id = 1
	wantQuestion(t, p.modern("tools/call", map[string]any{"name": "explicit"}), "confirm", protocol.MethodElicit)
}
