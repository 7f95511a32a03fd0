package gosdk

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// echoServer returns a server whose tool says which metadata it was called
// with and what the SDK's decoder made of a retry's fields.
func echoServer() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "echo", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "echo", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			text := fmt.Sprintf("state=%v responses=%v decoded=%q,%d arguments=%s",
				req.Params.Meta[MetaState], req.Params.Meta[MetaResponses],
				req.Params.RequestState, len(req.Params.InputResponses), req.Params.Arguments)
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
		})
	return server
}

// A wire is a raw peer of a server: one line of JSON a message.
type wire struct {
	t     *testing.T
	w     io.Writer
	lines *bufio.Scanner
}

func (p *wire) send(format string, args ...any) {
	p.t.Helper()
	if _, err := fmt.Fprintf(p.w, format+"\n", args...); err != nil {
		p.t.Fatal(err)
	}
}

// receive returns the next message, "" at the end of the stream.
func (p *wire) receive() string {
	if !p.lines.Scan() {
		return ""
	}
	return p.lines.Text()
}

// overPipes runs server behind a filtered stdio-like transport.
func overPipes(t *testing.T, server *mcp.Server) *wire {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	session, err := server.Connect(t.Context(), FilterTransport(&mcp.IOTransport{Reader: in, Writer: out}), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		toServer.Close()
		fromServer.Close()
		session.Wait()
	})
	return &wire{t: t, w: toServer, lines: bufio.NewScanner(fromServer)}
}

func TestFilterTransport(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"n":9007199254740993},%s,"_meta":{` + modernMeta + `}}}`
	tests := []struct {
		name, fields string
		want, not    string
	}{
		{"both fields", `"requestState":"s","inputResponses":{"x":[1.10]}`,
			`state=\"s\" responses={\"x\":[1.10]} decoded=\"\",0 arguments={\"n\":9007199254740993}`, ""},
		{"state of another type", `"requestState":{"secret":1}`, protocol.InvalidStateMessage, "secret"},
		{"answers of another type", `"inputResponses":["secret"]`, "inputResponses must be an object", "secret"},
		{"a peer's own keys", `"requestState":null,"ignored":{"io.github.mrtr-migrate/requestState":"x"}`, "state=<nil> responses=<nil>", ""},
	}
	p := overPipes(t, echoServer())
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p.send(call, i+1, tt.fields)
			var res struct {
				ID     int
				Error  json.RawMessage
				Result struct{ Content []struct{ Text string } }
			}
			line := p.receive()
			if err := json.Unmarshal([]byte(line), &res); err != nil {
				t.Fatal(err)
			}
			got := string(res.Error)
			if len(res.Result.Content) > 0 {
				got = strings.ReplaceAll(res.Result.Content[0].Text, `"`, `\"`)
			}
			if res.ID != i+1 || !strings.Contains(got, tt.want) {
				t.Errorf("got %s, want %s", line, tt.want)
			}
			if tt.not != "" && strings.Contains(line, tt.not) {
				t.Errorf("%q leaves in %s", tt.not, line)
			}
		})
	}
}

// A refused notification has no response; the connection goes on.
func TestFilterTransportNotification(t *testing.T) {
	p := overPipes(t, echoServer())
	p.send(`{"jsonrpc":"2.0","method":"tools/call","params":[]}`)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	if got, want := p.receive(), `{"jsonrpc":"2.0","id":1,"result":{}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The SDK ends a connection whose peer sends a batch after it agreed on a
// revision without batches, and the filter must not lose that.
func TestFilterTransportBatches(t *testing.T) {
	for version, allowed := range map[string]bool{
		protocol.Revision20250326: true,
		protocol.Revision20250618: false,
		protocol.Revision20251125: false,
	} {
		t.Run(version, func(t *testing.T) {
			p := overPipes(t, echoServer())
			p.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"[{","version":"\"["}}}`, version)
			if got := p.receive(); !strings.Contains(got, version) {
				t.Fatalf("initialize: %s", got)
			}
			go fmt.Fprintln(p.w, `[{"jsonrpc":"2.0","id":2,"method":"ping"}]`)
			got := p.receive()
			if allowed && !strings.Contains(got, `"id":2`) || !allowed && got != "" {
				t.Errorf("batch answered with %q", got)
			}
		})
	}
}

func TestFilterTransportVersions(t *testing.T) {
	if !FilterTransport(&mcp.StdioTransport{}).(mcp.ProtocolVersionSupporter).SupportsProtocolVersion(protocol.Revision20260728) {
		t.Error("a transport that does not say which revisions it supports lost 2026-07-28")
	}
	if FilterTransport(&mcp.SSEServerTransport{}).(mcp.ProtocolVersionSupporter).SupportsProtocolVersion(protocol.Revision20260728) {
		t.Error("the HTTP+SSE transport gained 2026-07-28")
	}
}

func TestFilterHTTP(t *testing.T) {
	var got string
	h := FilterHTTP(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = string(body)
		if int64(len(body)) != r.ContentLength {
			t.Errorf("length %d, declared %d", len(body), r.ContentLength)
		}
	}), 400)
	const head = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t",`
	const tail = `"_meta":{` + modernMeta + `}}}`
	tests := []struct {
		name, body string
		status     int
		next       string // what the next handler reads, when it is reached
		answer     string
	}{
		{name: "passes", body: head + tail, status: 200, next: head + tail},
		{name: "moves", body: head + `"requestState":"s",` + tail, status: 200,
			next: head + `"_meta":{` + modernMeta + `,"io.github.mrtr-migrate/requestState":"\"s\""}}}`},
		{name: "refuses", body: head + `"requestState":1,` + tail, status: 400, answer: protocol.InvalidStateMessage},
		{name: "not JSON", body: `{`, status: 400, answer: `-32700`},
		{name: "not a message", body: `1`, status: 400, answer: `-32600`},
		{name: "a response", body: `{"jsonrpc":"2.0","id":1,"result":{}}`, status: 200, next: `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{name: "too long", body: head + `"pad":"` + strings.Repeat("x", 400) + `",` + tail, status: 413},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got = ""
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("POST", "/", strings.NewReader(tt.body)))
			if w.Code != tt.status || got != tt.next || !strings.Contains(w.Body.String(), tt.answer) {
				t.Errorf("status %d\nnext   %s\nanswer %s", w.Code, got, w.Body)
			}
		})
	}
}
