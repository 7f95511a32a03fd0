package legacyadapter_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

const (
	plainParams = `{"name":"plain","arguments":{}}`
	version     = "MCP-Protocol-Version"
)

// Rules 20, 29, 37 and 38: what a modern request's headers and body must agree
// on, and how a body that is no request is answered.
func TestHTTPRefusals(t *testing.T) {
	modernPlain := modern(`"name":"plain","arguments":{}`, noCaps)
	as := func(v string) string { return strings.Replace(modernPlain, protocol.Revision20260728, v, 1) }
	tests := []struct {
		name   string
		body   string // "" means a tools/call with params
		params string
		header map[string]string // differences from what the params call for
		status int
		code   int // 0 means a result, or no JSON-RPC
	}{
		{name: "as it should be", params: modernPlain, status: 200},
		{name: "no version header", params: modernPlain, header: map[string]string{version: ""}, status: 400, code: -32020},
		{name: "an older version header", params: modernPlain, header: map[string]string{version: "2025-11-25"}, status: 400, code: -32020},
		{name: "a version header of no revision", params: modernPlain, header: map[string]string{version: "1999-01-01"}, status: 400, code: -32020},
		{name: "an older version in the body", params: as("2025-11-25"), header: map[string]string{version: "2026-07-28"}, status: 400, code: -32020},
		{name: "an older version in both", params: as("2025-11-25"), status: 400, code: -32022},
		{name: "an unknown version in both", params: as("2026-01-01"), status: 400, code: -32022},
		{name: "a later version in both", params: as("2099-01-01"), status: 400, code: -32022},
		{name: "no version in the body", params: plainParams, header: map[string]string{version: "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "plain"}, status: 400, code: -32602},
		{name: "no capabilities", params: strings.Replace(modernPlain, "clientCapabilities", "other", 1), status: 400, code: -32602},
		{name: "a number for a version", params: strings.Replace(modernPlain, `"2026-07-28"`, `5`, 1), header: map[string]string{version: "2026-07-28"}, status: 400, code: -32602},
		{name: "no method header", params: modernPlain, header: map[string]string{"Mcp-Method": ""}, status: 400, code: -32020},
		{name: "another method header", params: modernPlain, header: map[string]string{"Mcp-Method": "tools/list"}, status: 400, code: -32020},
		{name: "no name header", params: modernPlain, header: map[string]string{"Mcp-Name": ""}, status: 400, code: -32020},
		{name: "another name header", params: modernPlain, header: map[string]string{"Mcp-Name": "confirm"}, status: 400, code: -32020},
		{name: "an encoded name header", params: modernPlain, header: map[string]string{"Mcp-Name": "=?base64?cGxhaW4=?="}, status: 200},
		{name: "another encoded name header", params: modernPlain, header: map[string]string{"Mcp-Name": "=?base64?b3RoZXI=?="}, status: 400, code: -32020},
		{name: "a badly encoded name header", params: modernPlain, header: map[string]string{"Mcp-Name": "=?base64?plain?="}, status: 400, code: -32020},
		{name: "a name that a header cannot hold", params: modern(`"name":"später","arguments":{}`, noCaps), header: map[string]string{"Mcp-Name": "=?base64?c3DDpHRlcg==?="}, status: 200},
		{name: "a session id and an event id are ignored", params: modernPlain, header: map[string]string{"Mcp-Session-Id": "x", "Last-Event-ID": "y_1"}, status: 200},

		{name: "no body", body: " ", status: 400, code: -32700},
		{name: "not JSON", body: `{"jsonrpc":"2.0"`, status: 400, code: -32700},
		{name: "text after the message", body: message(1, "ping", "") + "x", status: 400, code: -32700},
		{name: "not a message", body: `"ping"`, status: 400, code: -32600},
		{name: "an empty batch", body: `[]`, status: 400, code: -32600},
		{name: "a batch with a modern request", body: `[` + message(1, "ping", "") + `,` + message(2, "tools/call", modernPlain) + `]`, header: map[string]string{version: "2026-07-28"}, status: 400, code: -32600},
		{name: "two methods", body: `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":` + modernPlain + `}`, status: 400, code: -32600},
		{name: "two _meta", params: `{"name":"plain","_meta":{},` + modernPlain[1:], header: map[string]string{version: "2026-07-28"}, status: 400, code: -32602},
		{name: "too long", body: `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x", 5000) + `"}}`, status: 413},
		{name: "too long to look at", body: strings.Repeat("x", 4097), status: 413},
		{name: "a media type that is not JSON", params: modernPlain, header: map[string]string{"Content-Type": "text/plain"}, status: 415},
		{name: "a client that takes no stream", params: modernPlain, header: map[string]string{"Accept": "application/json"}, status: 400},
		{name: "an unknown method", body: message(1, "no/such", modernPlain), header: map[string]string{version: "2026-07-28", "Mcp-Method": "no/such"}, status: 404, code: -32601},
	}
	d := newDesk(t)
	p := overHTTP(t, d.server, &mcp.StreamableHTTPOptions{MaxRequestBodyBytes: 4096})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			id := ids.Add(1)
			body, header := tt.body, map[string]string{}
			if body == "" {
				body = message(id, "tools/call", tt.params)
				for name, value := range standardHeaders("tools/call", tt.params) {
					header[name] = value
				}
			}
			for name, value := range tt.header {
				header[name] = value
			}
			p.t = t
			x := p.exchange(p.request("POST", body, header), id, nil)
			code := 0
			if x.Error != nil {
				code = x.Error.Code
			} else if tt.code != 0 { // the id may be null, or another
				var f frame
				if json.Unmarshal([]byte(x.frames[0].text), &f) == nil && f.Error != nil {
					code = f.Error.Code
				}
			}
			if x.status != tt.status || code != tt.code {
				t.Errorf("status %d, code %d: %s", x.status, code, x.text)
			}
		})
	}
}

// Rule 34, and the sessions of older peers: GET and DELETE are for these.
func TestHTTPMethods(t *testing.T) {
	d := newDesk(t)
	p := overHTTP(t, d.server, nil)
	initialize(t, p, `"2025-11-25"`, allCaps)
	session := p.session
	tests := []struct {
		name, method string
		header       map[string]string
		status       int
	}{
		{"GET of a modern peer", "GET", map[string]string{version: "2026-07-28", "Mcp-Session-Id": ""}, 405},
		{"GET of a modern peer with a session", "GET", map[string]string{version: "2026-07-28"}, 405},
		{"GET of nobody", "GET", map[string]string{version: "", "Mcp-Session-Id": ""}, 405},
		{"DELETE of a modern peer", "DELETE", map[string]string{version: "2026-07-28"}, 405},
		{"DELETE without a session", "DELETE", map[string]string{"Mcp-Session-Id": ""}, 405},
		{"PUT", "PUT", nil, 405},
		{"GET of another session", "GET", map[string]string{"Mcp-Session-Id": "other"}, 404},
		{"DELETE of another session", "DELETE", map[string]string{"Mcp-Session-Id": "other"}, 404},
		{"GET of a session", "GET", nil, 200},
		{"DELETE of a session", "DELETE", nil, 204},
		{"GET of a session that is gone", "GET", nil, 404},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p.t, p.session = t, session
			res := p.do(p.request(tt.method, "", tt.header))
			res.Body.Close()
			if res.StatusCode != tt.status {
				t.Errorf("status %d, want %d", res.StatusCode, tt.status)
			}
			if res.StatusCode == 405 && res.Header.Get("Allow") == "" {
				t.Error("405 without Allow")
			}
		})
	}
}

// Older peers may send batches up to 2025-03-26, and not after.
func TestHTTPBatches(t *testing.T) {
	batch := `[` + message(1, "ping", "") + `,` + message(2, "tools/call", plainParams) + `]`
	for revision, status := range map[string]int{protocol.Revision20250326: 200, protocol.Revision20250618: 400} {
		d := newDesk(t)
		p := overHTTP(t, d.server, &mcp.StreamableHTTPOptions{JSONResponse: true})
		initialize(t, p, `"`+revision+`"`, allCaps)
		x := p.exchange(p.request("POST", batch, nil), 1, nil)
		if x.status != status {
			t.Errorf("%s: status %d: %s", revision, x.status, x.text)
		}
		if status == 200 && (!strings.Contains(x.text, `"id":1`) || !strings.Contains(x.text, "plain")) {
			t.Errorf("%s: %s", revision, x.text)
		}
	}
}

// A session of an older peer lives as long as it is used, and its idle time is
// bounded. Modern peers have none that could end.
func TestHTTPSessionTimeout(t *testing.T) {
	d := newDesk(t)
	p := overHTTP(t, d.server, &mcp.StreamableHTTPOptions{SessionTimeout: time.Second})
	initialize(t, p, `"2025-11-25"`, allCaps)
	x := p.call("tools/call", `{"name":"steps","arguments":{"n":2}}`, says(`{"word":"w"}`))
	if got := text(t, x); got != "w w" {
		t.Errorf("result %q", got)
	}
	deadline := time.Now().Add(10 * time.Second)
	for len(sessions(d.server)) > 0 {
		if time.Now().After(deadline) {
			t.Fatal("the idle session does not end")
		}
		time.Sleep(5 * time.Millisecond)
	}
	if x = p.exchange(p.request("POST", message(1, "ping", ""), nil), 1, nil); x.status != http.StatusNotFound {
		t.Errorf("status %d for a session that ended", x.status)
	}
	p.session = ""
	if x = p.call("tools/call", modern(`"name":"plain","arguments":{}`, noCaps), nil); x.status != 200 {
		t.Errorf("a modern request: %d %s", x.status, x.text)
	}
}

func sessions(server *mcp.Server) []*mcp.ServerSession {
	var all []*mcp.ServerSession
	for s := range server.Sessions() {
		all = append(all, s)
	}
	return all
}

// A program that had no sessions has none now: older peers are served as they
// were, and cannot be asked, and modern ones can.
func TestHTTPStateless(t *testing.T) {
	d := newDesk(t)
	p := overHTTP(t, d.server, &mcp.StreamableHTTPOptions{Stateless: true})
	initialize(t, p, `"2025-11-25"`, allCaps)
	if p.session != "" {
		t.Error("a session")
	}
	if got := text(t, p.call("tools/call", plainParams, nil)); got != "plain" {
		t.Errorf("result %q", got)
	}
	x := p.call("tools/call", `{"name":"confirm","arguments":{"what":"x"}}`, nil)
	checkOld(t, x)
	if x.Error == nil || len(d.done()) > 0 {
		t.Errorf("asked without a session: %s", x.text)
	}
	all := rounds(t, "tools/call", `"name":"confirm","arguments":{"what":"x"}`, allCaps, says(`{"word":"w"}`), p)
	if got := all[len(all)-1].Content[0].Text; got != "did x: w" {
		t.Errorf("result %q", got)
	}
}

// With JSON responses a modern result is one JSON body.
func TestHTTPJSONResponse(t *testing.T) {
	d := newDesk(t)
	p := overHTTP(t, d.server, &mcp.StreamableHTTPOptions{JSONResponse: true})
	params := modern(`"name":"confirm","arguments":{"what":"x"}`, allCaps)
	res := p.do(p.request("POST", message(1, "tools/call", params), standardHeaders("tools/call", params)))
	defer res.Body.Close()
	if got := res.Header.Get("Content-Type"); got != "application/json" {
		t.Errorf("content type %q", got)
	}
	all := rounds(t, "tools/call", `"name":"confirm","arguments":{"what":"x"}`, allCaps, says(`{"word":"w"}`), p)
	checkAsked(t, all[0])
	checkComplete(t, all[1])
}

// Rule 40: a modern client that goes away cancels its request. An older one
// does not.
func TestHTTPDisconnect(t *testing.T) {
	for _, isModern := range []bool{true, false} {
		name := map[bool]string{true: "modern", false: "older"}[isModern]
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			p := overHTTP(t, d.server, nil)
			params := `{"name":"wait","arguments":{}}`
			if isModern {
				params = modern(`"name":"wait","arguments":{}`, allCaps)
			} else {
				initialize(t, p, `"2025-11-25"`, allCaps)
			}
			req := p.request("POST", message(ids.Add(1), "tools/call", params), standardHeaders("tools/call", params))
			ctx, leave := context.WithCancel(t.Context())
			gone := make(chan struct{})
			go func() {
				defer close(gone)
				if res, err := http.DefaultClient.Do(req.WithContext(ctx)); err == nil {
					_, _ = io.Copy(io.Discard, res.Body) // ends when the client leaves
					res.Body.Close()
				}
			}()
			defer close(d.release)
			defer leave()
			var handler context.Context
			select {
			case handler = <-d.entered:
			case <-gone:
				t.Fatal("the request ended before its handler began")
			}
			leave()
			<-gone
			if isModern {
				select {
				case <-handler.Done():
				case <-time.After(10 * time.Second):
					t.Error("the handler goes on for a client that has left")
				}
				return
			}
			// The session still answers, and the handler still runs.
			if x := p.call("ping", "", nil); x.Error != nil {
				t.Errorf("ping: %s", x.text)
			}
			if err := handler.Err(); err != nil {
				t.Errorf("a broken stream cancelled an older peer's request: %v", err)
			}
		})
	}
}
