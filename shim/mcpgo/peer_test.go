package mcpgo_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/server"

	mrtr "github.com/mrtr-migrate/mrtr-migrate/shim/mcpgo"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// What these tests assert about the wire they assert on raw JSON: the peers of
// this file are no SDK's client, and do nothing that a test did not say.

// A frame is one message that a peer received.
type frame struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
		Data    json.RawMessage
	}
	text string
}

// A reply answers a live question of the server with the text of a result.
type reply func(ask frame) string

// A wire carries one request and returns its response. status is that of HTTP,
// 0 elsewhere; others are the notifications before it.
type wire interface {
	exchange(t *testing.T, id any, method, message string, answer reply) (response frame, others []frame, status int)
}

// transports are the two ways to serve.
var transports = map[string]func(*testing.T, *mrtr.Binding, *server.MCPServer) wire{"stdio": overStdio, "http": overHTTP}

type stdioWire struct {
	out io.Writer
	in  *bufio.Reader
}

// overStdio serves s on pipes until the test ends. The SDK has one stdio session
// in a process, so that only one may be served at a time.
func overStdio(t *testing.T, b *mrtr.Binding, s *server.MCPServer) wire {
	t.Helper()
	fromPeer, toServer := io.Pipe()
	fromServer, toPeer := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if b == nil {
			_ = server.NewStdioServer(s).Listen(ctx, fromPeer, toPeer)
			return
		}
		_ = b.Listen(ctx, server.NewStdioServer(s), fromPeer, toPeer)
	}()
	t.Cleanup(func() {
		cancel()
		toServer.Close()
		fromServer.Close()
		<-ended
	})
	return &stdioWire{toServer, bufio.NewReader(fromServer)}
}

func (w *stdioWire) exchange(t *testing.T, id any, _, message string, answer reply) (frame, []frame, int) {
	t.Helper()
	w.write(t, message)
	var others []frame
	for id != nil {
		line, err := w.in.ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		f := parse(t, line)
		switch {
		case f.Method == "":
			return f, others, 0
		case f.ID != nil:
			if answer == nil {
				t.Fatalf("the server asked: %s", line)
			}
			w.write(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, f.ID, answer(f)))
		default:
			others = append(others, f)
		}
	}
	return frame{}, others, 0
}

func (w *stdioWire) write(t *testing.T, text string) {
	t.Helper()
	if _, err := io.WriteString(w.out, text+"\n"); err != nil {
		t.Fatal(err)
	}
}

func parse(t *testing.T, text []byte) frame {
	t.Helper()
	var f frame
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatalf("not JSON: %q", text)
	}
	f.text = string(bytes.TrimSpace(text))
	return f
}

type httpWire struct {
	url, session string
	header       http.Header
}

func overHTTP(t *testing.T, b *mrtr.Binding, s *server.MCPServer) wire {
	t.Helper()
	var h http.Handler = server.NewStreamableHTTPServer(s)
	if b != nil {
		h = b.NewStreamableHTTPServer(s)
	}
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return &httpWire{url: srv.URL + "/mcp", header: http.Header{}}
}

func (w *httpWire) post(t *testing.T, method, message string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.url, strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(req.Header, w.header)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if w.session != "" {
		req.Header.Set("Mcp-Session-Id", w.session)
	}
	var m struct {
		Params struct {
			Name, URI string
			Meta      map[string]any `json:"_meta"`
		}
	}
	_ = json.Unmarshal([]byte(message), &m)
	if v, _ := m.Params.Meta[protocol.MetaProtocolVersion].(string); v != "" {
		req.Header.Set("Mcp-Protocol-Version", v)
		req.Header.Set("Mcp-Method", method)
		if name := m.Params.Name + m.Params.URI; name != "" {
			req.Header.Set("Mcp-Name", name)
		}
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if id := res.Header.Get("Mcp-Session-Id"); id != "" {
		w.session = id
	}
	return res
}

func (w *httpWire) exchange(t *testing.T, id any, method, message string, answer reply) (response frame, others []frame, status int) {
	t.Helper()
	res := w.post(t, method, message)
	defer res.Body.Close()
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		if id != nil {
			response = parse(t, body)
		}
		return response, nil, res.StatusCode
	}
	in := bufio.NewReader(res.Body)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			t.Fatalf("the stream ended without a response: %v", err)
		}
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		f := parse(t, []byte(data))
		switch {
		case f.Method == "":
			return f, others, res.StatusCode
		case f.ID != nil:
			if answer == nil {
				t.Fatalf("the server asked: %s", data)
			}
			w.post(t, "", fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, f.ID, answer(f))).Body.Close()
		default:
			others = append(others, f)
		}
	}
}

// A peer makes requests on a wire.
type peer struct {
	t    *testing.T
	wire wire
	caps string // client capabilities of each request
	id   int
	asks []frame // live questions of the last call
}

// allCaps declares everything that a server may ask.
const allCaps = `{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{}}`

func connect(t *testing.T, transport string, b *mrtr.Binding, s *server.MCPServer) *peer {
	t.Helper()
	return &peer{t: t, wire: transports[transport](t, b, s), caps: allCaps}
}

// raw sends params as they stand.
func (p *peer) raw(method, params string, answer reply) round {
	p.t.Helper()
	p.id++
	p.asks = nil
	var counted reply
	if answer != nil {
		counted = func(f frame) string {
			p.asks = append(p.asks, f)
			return answer(f)
		}
	}
	message := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, p.id, method, params)
	f, others, status := p.wire.exchange(p.t, p.id, method, message, counted)
	if string(f.ID) != fmt.Sprint(p.id) {
		p.t.Fatalf("id %s for %d: %s", f.ID, p.id, f.text)
	}
	return roundOf(p.t, f, others, status)
}

func roundOf(t *testing.T, f frame, others []frame, status int) round {
	t.Helper()
	r := round{frame: f, others: others, status: status}
	if f.Result != nil {
		if err := json.Unmarshal(f.Result, &r); err != nil {
			t.Fatalf("%s: %v", f.Result, err)
		}
		if err := json.Unmarshal(f.Result, &r.members); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// modern makes a request of a 2026-07-28 peer. A question on the wire while it
// runs fails the test (rule 1).
func (p *peer) modern(method string, params map[string]any, retries ...retry) round {
	p.t.Helper()
	return p.raw(method, p.params(params, retries...), nil)
}

func (p *peer) params(params map[string]any, retries ...retry) string {
	p.t.Helper()
	all := map[string]any{"_meta": map[string]any{
		protocol.MetaProtocolVersion:    protocol.Revision20260728,
		protocol.MetaClientCapabilities: json.RawMessage(p.caps),
		protocol.MetaClientInfo:         map[string]any{"name": "peer", "version": "1"},
	}}
	maps.Copy(all, params)
	for _, r := range retries {
		if r.state != nil {
			all["requestState"] = r.state
		}
		if r.responses != nil {
			all["inputResponses"] = r.responses
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(text)
}

// initialize makes the peer one of an older revision.
func (p *peer) initialize(version string) {
	p.t.Helper()
	r := p.raw("initialize", fmt.Sprintf(`{"protocolVersion":%q,"clientInfo":{"name":"peer","version":"1"},"capabilities":%s}`, version, p.caps), nil)
	if r.Error != nil || r.ResultType != "" {
		p.t.Fatal(r.text)
	}
	p.wire.exchange(p.t, nil, "", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil)
}

// legacy makes a request of an older peer.
func (p *peer) legacy(method string, params map[string]any, answer reply) round {
	p.t.Helper()
	text, err := json.Marshal(params)
	if err != nil {
		p.t.Fatal(err)
	}
	return p.raw(method, string(text), answer)
}

// A round is the response to one request.
type round struct {
	frame
	others     []frame
	status     int
	ResultType string `json:"resultType"`
	Requests   map[string]struct {
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	} `json:"inputRequests"`
	State    *string `json:"requestState"`
	IsError  bool    `json:"isError"`
	Content  []struct{ Text string }
	Contents []struct{ Text string }
	Messages []struct {
		Content struct{ Text string }
	}
	members map[string]json.RawMessage
}

// said returns the text of a finished result of any of the three kinds.
func (r round) said() string {
	switch {
	case len(r.Content) > 0:
		return r.Content[0].Text
	case len(r.Contents) > 0:
		return r.Contents[0].Text
	case len(r.Messages) > 0:
		return r.Messages[0].Content.Text
	}
	return ""
}

// A retry is what a client adds to its request in a later round.
type retry struct {
	state     any // string, or something that is none
	responses any
}

// answer returns the retry that answers the only question of r.
func (r round) answer(value any) retry {
	responses := map[string]any{}
	for key := range r.Requests {
		responses[key] = value
	}
	if r.State == nil {
		return retry{responses: responses}
	}
	return retry{*r.State, responses}
}

// wantQuestion checks that r ends with the one question, and holds nothing that
// a finished result has.
func wantQuestion(t *testing.T, r round, key, method string) {
	t.Helper()
	if r.ResultType != protocol.ResultInputRequired || r.State == nil || len(r.Requests) != 1 || r.Requests[key].Method != method {
		t.Fatalf("no question %q: %s", key, r.text)
	}
	if len(r.members) != 3 {
		t.Fatalf("more beside the question: %s", r.text)
	}
	if r.status != 0 && r.status != http.StatusOK {
		t.Fatalf("status %d", r.status)
	}
}

func wantComplete(t *testing.T, r round, said string) {
	t.Helper()
	if r.ResultType != protocol.ResultComplete || r.said() != said || r.State != nil || r.Requests != nil {
		t.Fatalf("not complete with %q: %s", said, r.text)
	}
}

func wantError(t *testing.T, r round, code int, data string, status int) {
	t.Helper()
	if r.Error == nil || r.Error.Code != code || string(r.Error.Data) != data {
		t.Fatalf("no error %d %s: %s", code, data, r.text)
	}
	if r.status != 0 && r.status != status {
		t.Fatalf("status %d, want %d", r.status, status)
	}
}

func accept(content map[string]any) map[string]any {
	return map[string]any{"action": "accept", "content": content}
}
