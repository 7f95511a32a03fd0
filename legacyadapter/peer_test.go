package legacyadapter_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mrtr-migrate/mrtr-migrate/legacyadapter"
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
	text string // the message as it came
}

// An exchange is what came back while one request was served.
type exchange struct {
	frame          // the response
	asks   []frame // requests that the server made meanwhile
	frames []frame // all of it, the response last
	status int     // of HTTP
}

// A reply answers a request of the server: the text of the response's result,
// or of its error after "error:", or "" for no response.
type reply func(ask frame) string

// A peer sends requests and waits for their responses.
type peer interface {
	// call sends a request with the given params.
	call(method, params string, answer reply) exchange
	// notify sends a notification.
	notify(method, params string)
}

var ids atomic.Int64

func message(id int64, method, params string) string {
	if params == "" {
		params = "{}"
	}
	if id == 0 {
		return fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
}

func response(ask frame, answer string) string {
	if text, ok := strings.CutPrefix(answer, "error:"); ok {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":%s}`, ask.ID, text)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, ask.ID, answer)
}

// add records a frame and reports whether it is the response to id. send sends
// what answer has to say to a request of the server.
func (x *exchange) add(t *testing.T, text string, id int64, answer reply, send func(string)) bool {
	t.Helper()
	var f frame
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		t.Fatalf("not JSON: %s", text)
	}
	f.text = text
	x.frames = append(x.frames, f)
	switch {
	case f.Method != "" && f.ID != nil:
		x.asks = append(x.asks, f)
		if answer == nil {
			t.Fatalf("the server asked: %s", text)
		}
		if said := answer(f); said != "" {
			send(response(f, said))
		}
	case f.Method == "" && string(f.ID) == fmt.Sprint(id):
		x.frame = f
		return true
	}
	return false
}

// A pipePeer is connected as over standard input and output.
type pipePeer struct {
	t   *testing.T
	out io.Writer
	in  *bufio.Scanner
}

// overPipes serves server to a new peer over pipes.
func overPipes(t *testing.T, server *mcp.Server) *pipePeer {
	t.Helper()
	return overPipesWith(t, server, legacyadapter.Transport)
}

func overPipesWith(t *testing.T, server *mcp.Server, wrap func(mcp.Transport) mcp.Transport) *pipePeer {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	session, err := server.Connect(t.Context(), wrap(&mcp.IOTransport{Reader: in, Writer: out}), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		toServer.Close()
		fromServer.Close()
		session.Wait()
	})
	scanner := bufio.NewScanner(fromServer)
	scanner.Buffer(nil, 1<<20)
	return &pipePeer{t: t, out: toServer, in: scanner}
}

func (p *pipePeer) send(text string) {
	p.t.Helper()
	if _, err := io.WriteString(p.out, text+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

func (p *pipePeer) call(method, params string, answer reply) exchange {
	p.t.Helper()
	id := ids.Add(1)
	p.send(message(id, method, params))
	var x exchange
	for p.in.Scan() {
		if x.add(p.t, p.in.Text(), id, answer, p.send) {
			return x
		}
	}
	p.t.Fatalf("the connection ended: %v", p.in.Err())
	return x
}

func (p *pipePeer) notify(method, params string) {
	p.t.Helper()
	p.send(message(0, method, params))
}

// An httpPeer posts to an endpoint.
type httpPeer struct {
	t       *testing.T
	url     string
	header  http.Header // of every request
	session string      // once an older peer has one
}

// overHTTP serves a server to a new peer on an endpoint of its own.
func overHTTP(t *testing.T, server *mcp.Server, opts *mcp.StreamableHTTPOptions) *httpPeer {
	t.Helper()
	return &httpPeer{t: t, url: endpoint(t, server, opts)}
}

func endpoint(t *testing.T, server *mcp.Server, opts *mcp.StreamableHTTPOptions) string {
	t.Helper()
	ts := httptest.NewServer(legacyadapter.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, opts))
	t.Cleanup(ts.Close)
	return ts.URL
}

// request makes an HTTP request; a header that is given as "" is left out.
func (p *httpPeer) request(method, body string, header map[string]string) *http.Request {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), method, p.url, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for name, values := range p.header {
		req.Header[name] = values
	}
	if p.session != "" {
		req.Header.Set("Mcp-Session-Id", p.session)
	}
	for name, value := range header {
		req.Header.Del(name)
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	return req
}

func (p *httpPeer) do(req *http.Request) *http.Response {
	p.t.Helper()
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	return res
}

// standardHeaders are those that a modern client derives from its request.
func standardHeaders(method, params string) map[string]string {
	var named struct {
		Name, URI string
		Meta      map[string]any `json:"_meta"`
	}
	_ = json.Unmarshal([]byte(params), &named) // a test may send what is no params
	version, _ := named.Meta[protocol.MetaProtocolVersion].(string)
	if version == "" {
		return nil
	}
	header := map[string]string{"MCP-Protocol-Version": version, "Mcp-Method": method, "Mcp-Name": named.Name}
	if method == protocol.MethodReadResource {
		header["Mcp-Name"] = named.URI
	}
	return header
}

func (p *httpPeer) call(method, params string, answer reply) exchange {
	p.t.Helper()
	id := ids.Add(1)
	return p.exchange(p.request("POST", message(id, method, params), standardHeaders(method, params)), id, answer)
}

// exchange sends a POST and reads what comes back.
func (p *httpPeer) exchange(req *http.Request, id int64, answer reply) exchange {
	p.t.Helper()
	res := p.do(req)
	defer res.Body.Close()
	if session := res.Header.Get("Mcp-Session-Id"); session != "" {
		p.session = session
	}
	x := exchange{status: res.StatusCode}
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		text, err := io.ReadAll(res.Body)
		if err != nil {
			p.t.Fatal(err)
		}
		if json.Valid(text) && bytes.HasPrefix(text, []byte("{")) {
			x.add(p.t, string(text), id, answer, nil)
		} else {
			x.text = string(text)
		}
		return x
	}
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		text, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok || text == "" {
			continue
		}
		if x.add(p.t, text, id, answer, func(text string) {
			res := p.do(p.request("POST", text, nil))
			res.Body.Close()
			if res.StatusCode != http.StatusAccepted {
				p.t.Errorf("status %d for an answer", res.StatusCode)
			}
		}) {
			return x
		}
	}
	p.t.Fatalf("the stream ended without the response: %v", lines.Err())
	return x
}

func (p *httpPeer) notify(method, params string) {
	p.t.Helper()
	res := p.do(p.request("POST", message(0, method, params), nil))
	res.Body.Close()
	if res.StatusCode != http.StatusAccepted {
		p.t.Errorf("status %d for a notification", res.StatusCode)
	}
}

// Capabilities that peers declare.
const (
	allCaps  = `{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{}}`
	formOnly = `{"elicitation":{"form":{}}}`
	noCaps   = `{}`
)

// initialize makes the peer one that asked for version, and returns the one
// that it got.
func initialize(t *testing.T, p peer, version, capabilities string) string {
	t.Helper()
	x := p.call("initialize", fmt.Sprintf(`{"protocolVersion":%s,"capabilities":%s,"clientInfo":{"name":"raw","version":"1"}}`, version, capabilities), nil)
	var res struct{ ProtocolVersion string }
	if x.Error != nil || json.Unmarshal(x.Result, &res) != nil {
		t.Fatalf("initialize: %s", x.text)
	}
	if h, ok := p.(*httpPeer); ok {
		h.header = http.Header{"Mcp-Protocol-Version": {res.ProtocolVersion}}
	}
	p.notify("notifications/initialized", "")
	return res.ProtocolVersion
}

// modern returns params as a 2026-07-28 client sends them: members are those
// of the object, without _meta.
func modern(members, capabilities string) string {
	return fmt.Sprintf(`{%s,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1"},"io.modelcontextprotocol/clientCapabilities":%s}}`, members, capabilities)
}

// A round is a result of a modern request.
type round struct {
	exchange
	ResultType    string
	InputRequests map[string]struct {
		Method string
		Params json.RawMessage
	}
	RequestState *string
	Content      []struct{ Text string }
	IsError      bool
	members      map[string]json.RawMessage
}

func asRound(t *testing.T, x exchange) round {
	t.Helper()
	if x.Error != nil || x.Result == nil {
		t.Fatalf("no result: %d %s", x.status, x.text)
	}
	r := round{exchange: x}
	if err := json.Unmarshal(x.Result, &r); err != nil {
		t.Fatalf("%s: %v", x.text, err)
	}
	if err := json.Unmarshal(x.Result, &r.members); err != nil {
		t.Fatal(err)
	}
	return r
}

// retry returns the members of the request that follows r: those of the first
// one, every question answered, and the state as it came.
func (r round) retry(members string, answer reply) string {
	answers := map[string]json.RawMessage{}
	for key, q := range r.InputRequests {
		if said := answer(frame{Method: q.Method, Params: q.Params}); said != "" {
			answers[key] = json.RawMessage(said)
		}
	}
	text, err := json.Marshal(answers)
	if err != nil {
		panic(err)
	}
	members += `,"inputResponses":` + string(text)
	if r.RequestState != nil {
		state, _ := json.Marshal(*r.RequestState)
		members += `,"requestState":` + string(state)
	}
	return members
}

// rounds drives a modern call to its end, taking the peers in turn, and returns
// the results.
func rounds(t *testing.T, method, members, capabilities string, answer reply, peers ...peer) []round {
	t.Helper()
	var all []round
	next := members
	for i := 0; ; i++ {
		r := asRound(t, peers[i%len(peers)].call(method, modern(next, capabilities), nil))
		all = append(all, r)
		if r.ResultType != protocol.ResultInputRequired {
			return all
		}
		if i == 20 {
			t.Fatalf("still asked after %d rounds: %s", i, r.text)
		}
		next = r.retry(members, answer)
	}
}

// text returns the text of a tool's result.
func text(t *testing.T, x exchange) string {
	t.Helper()
	r := asRound(t, x)
	if len(r.Content) == 0 {
		t.Fatalf("no content: %s", x.text)
	}
	return r.Content[0].Text
}

// question returns the text that an ask shows.
func question(ask frame) string {
	var p struct {
		Message  string
		Messages []struct{ Content json.RawMessage }
	}
	if json.Unmarshal(ask.Params, &p) != nil {
		return ""
	}
	if p.Message != "" || len(p.Messages) == 0 {
		return p.Message
	}
	return string(p.Messages[0].Content)
}

// says returns a reply that accepts forms with the content.
func says(content string) reply {
	return func(frame) string { return `{"action":"accept","content":` + content + `}` }
}
