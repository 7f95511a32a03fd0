package gosdk_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	mrtr "github.com/mrtr-migrate/mrtr-migrate/shim/gosdk"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
	"github.com/mrtr-migrate/mrtr-migrate/shim/state"
)

// A peer is the other side of a stdio connection, driven by hand: it sends and
// receives raw JSON, so that what a test sees is what is on the wire.
type peer struct {
	t    *testing.T
	in   *bufio.Reader
	out  io.Writer
	id   int
	caps string // client capabilities of each request
}

// allCaps declares everything that a server may ask.
const allCaps = `{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{}}`

// connect serves server on a pipe until the test ends, with the raw filter in
// front of the SDK, as it is installed.
func connect(t *testing.T, server *mcp.Server) *peer {
	t.Helper()
	return connectBy(t, server, mrtr.FilterTransport)
}

// bare leaves the raw filter away: the SDK decodes the fields of a retry.
func bare(t mcp.Transport) mcp.Transport { return t }

func connectBy(t *testing.T, server *mcp.Server, transport func(mcp.Transport) mcp.Transport) *peer {
	t.Helper()
	fromPeer, toServer := io.Pipe()
	fromServer, toPeer := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		server.Run(ctx, transport(&mcp.IOTransport{Reader: fromPeer, Writer: toPeer}))
	}()
	t.Cleanup(func() {
		cancel()
		toServer.Close()
		fromServer.Close()
		<-ended
	})
	return &peer{t: t, in: bufio.NewReader(fromServer), out: toServer, caps: allCaps}
}

// A message is what the server sent, one member deep.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

func (p *peer) send(v any) {
	p.t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := p.out.Write(append(raw, '\n')); err != nil {
		p.t.Fatal(err)
	}
}

func (p *peer) receive() message {
	p.t.Helper()
	line, err := p.in.ReadBytes('\n')
	if err != nil {
		p.t.Fatal(err)
	}
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		p.t.Fatalf("%s: %v", line, err)
	}
	return m
}

// call sends a request and returns the next message, which must be its response:
// a request from the server in between fails the test (rule 1).
func (p *peer) call(method string, params map[string]any) message {
	p.t.Helper()
	p.id++
	p.send(map[string]any{"jsonrpc": "2.0", "id": p.id, "method": method, "params": params})
	m := p.receive()
	if m.Method != "" {
		p.t.Fatalf("the server sent %s", m.Method)
	}
	return m
}

// initialize makes the session one of an older revision.
func (p *peer) initialize(version string) {
	p.t.Helper()
	m := p.call("initialize", map[string]any{
		"protocolVersion": version, "clientInfo": map[string]any{"name": "peer", "version": "1"},
		"capabilities": json.RawMessage(p.caps),
	})
	if m.Error != nil {
		p.t.Fatal(m.Error.Message)
	}
	p.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
}

// A round is the result of one modern request.
type round struct {
	message
	ResultType string `json:"resultType"`
	Requests   map[string]struct {
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	} `json:"inputRequests"`
	State   *string `json:"requestState"`
	IsError bool    `json:"isError"`
	Content []struct {
		Text string `json:"text"`
	} `json:"content"`
	members map[string]json.RawMessage
}

// text returns the text of a finished tool call.
func (r round) text() string {
	if len(r.Content) == 0 {
		return ""
	}
	return r.Content[0].Text
}

// A retry is what a client adds to its request in a later round.
type retry struct {
	state     any // string, or something that is none
	responses any
}

// modern sends a modern request.
func (p *peer) modern(method string, params map[string]any, again ...retry) round {
	p.t.Helper()
	params = maps.Clone(params)
	if _, ok := params["_meta"]; !ok {
		params["_meta"] = map[string]any{
			protocol.MetaProtocolVersion:    protocol.Revision20260728,
			protocol.MetaClientCapabilities: json.RawMessage(p.caps),
		}
	}
	for _, a := range again {
		if a.state != nil {
			params["requestState"] = a.state
		}
		if a.responses != nil {
			params["inputResponses"] = a.responses
		}
	}
	r := round{message: p.call(method, params)}
	if r.Result != nil {
		for _, into := range []any{&r, &r.members} {
			if err := json.Unmarshal(r.Result, into); err != nil {
				p.t.Fatalf("%s: %v", r.Result, err)
			}
		}
	}
	return r
}

// tool calls a tool with a modern request.
func (p *peer) tool(name string, arguments any, again ...retry) round {
	p.t.Helper()
	return p.modern(protocol.MethodCallTool, map[string]any{"name": name, "arguments": arguments}, again...)
}

// accept is an accepted answer with the given content.
func accept(content any) map[string]any {
	return map[string]any{"action": "accept", "content": content}
}

// answer returns the retry that answers every question of r alike.
func (r round) answer(with any) retry {
	responses := map[string]any{}
	for key := range r.Requests {
		responses[key] = with
	}
	return retry{state: *r.State, responses: responses}
}

// quiet is a logger for tests that do not look at the log.
func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// ring is shared by all servers of a test: they are instances of one server.
func ring(t *testing.T) *state.Ring {
	t.Helper()
	r, err := state.NewRing(state.Key{Secret: []byte("0123456789abcdef0123456789abcdef")})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// newServer returns a server with the middleware.
func newServer(t *testing.T, opts *mrtr.Options) *mcp.Server {
	t.Helper()
	if opts == nil {
		opts = new(mrtr.Options)
	}
	if opts.Logger == nil {
		opts.Logger = quiet()
	}
	m, err := mrtr.NewMiddleware(mrtr.KeyRing(ring(t)), opts)
	if err != nil {
		t.Fatal(err)
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	s.AddReceivingMiddleware(m)
	return s
}
