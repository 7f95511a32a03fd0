package mcpgo

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/mrtr-migrate/mrtr-migrate/internal/rawrpc"
	"github.com/mrtr-migrate/mrtr-migrate/shim"
	"github.com/mrtr-migrate/mrtr-migrate/shim/internal/binding"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// metaCall is the key of a request's _meta under which the front tells the
// middleware which call it is. A peer's own value never arrives under it, and a
// value that names no call counts for nothing.
const metaCall = "io.github.mrtr-migrate/call"

// A call is one tools/call, prompts/get or resources/read of a modern peer, as it
// came over the wire.
type call struct {
	id     json.RawMessage
	token  string
	native bool
	req    shim.Request

	mu      sync.Mutex
	decided *outcome
}

// An outcome is what goes over the wire in the place of the SDK's response.
type outcome struct {
	result json.RawMessage // of a round that needs input
	err    *rawrpc.Error
}

// A wireError stands for an error response of the binding on its way through the
// SDK: hooks of the program see it, the peer gets what it holds.
type wireError struct{ err *rawrpc.Error }

func (e *wireError) Error() string { return e.err.Message }

// decide sets how the call ends.
func (c *call) decide(o outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.decided = &o
}

// finish ends a call whose response passes the front, and returns its outcome,
// nil if the SDK's response stands.
func (b *Binding) finish(c *call) *outcome {
	b.calls.Delete(c.token)
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.decided
}

// response returns the response of a call that was decided.
func (c *call) response(o *outcome) json.RawMessage {
	return respond(c.id, o)
}

func respond(id json.RawMessage, o *outcome) json.RawMessage {
	if id == nil {
		id = json.RawMessage("null")
	}
	members := []rawrpc.Member{{Name: "jsonrpc", Value: json.RawMessage(`"2.0"`)}, {Name: "id", Value: id}}
	if o.err != nil {
		members = append(members, rawrpc.Member{Name: "error", Value: binding.Marshal(o.err)})
	} else {
		members = append(members, rawrpc.Member{Name: "result", Value: o.result})
	}
	return rawrpc.Object(members)
}

// Names that the SDK's decoder takes in any case, as encoding/json does. What is
// spelled otherwise would be one thing here and another there.
var (
	messageNames = []string{"jsonrpc", "id", "method", "params", "result", "error"}
	paramsNames  = []string{"_meta", "name", "arguments", "uri", "task", "inputResponses", "requestState"}
)

func misspelled(members []rawrpc.Member, names []string) bool {
	return slices.ContainsFunc(members, func(m rawrpc.Member) bool {
		return slices.ContainsFunc(names, func(name string) bool { return m.Name != name && strings.EqualFold(m.Name, name) })
	})
}

// admit looks at a message before the SDK does. It returns the text to hand on,
// with the call that it begins, if it is one of a modern peer; or an error to
// answer it with, and the id to use.
//
// A batch is refused, of which the SDK has none.
func (b *Binding) admit(ctx context.Context, text []byte) (forward []byte, c *call, id json.RawMessage, refusal *rawrpc.Error) {
	messages, batch, err := rawrpc.Parse(text)
	if batch && err == nil {
		err = rawrpc.ErrShape
	}
	if err != nil {
		return nil, nil, nil, rawrpc.Malformed(err)
	}
	m := messages[0]
	members, err := rawrpc.Members(text)
	if err != nil || misspelled(members, messageNames) {
		return nil, nil, m.ID, rawrpc.Malformed(rawrpc.ErrShape)
	}
	if !m.IsRequest() || !protocol.Multiround(m.Method) || rawrpc.IsNull(m.Params) {
		return text, nil, m.ID, nil
	}
	params, c, refusal := b.begin(ctx, m)
	if refusal != nil {
		return nil, nil, m.ID, refusal
	}
	m.SetParams(params)
	return rawrpc.Encode(messages, false), c, m.ID, nil
}

// begin takes the params of a request apart, and notes a call of a modern peer.
func (b *Binding) begin(ctx context.Context, m *rawrpc.Message) (json.RawMessage, *call, *rawrpc.Error) {
	p, refusal := binding.SplitParams(m.Method, m.Params, metaCall)
	if refusal != nil {
		return nil, nil, refusal
	}
	if misspelled(p.Members(), paramsNames) {
		return nil, nil, binding.InvalidParams("a field is misspelled")
	}
	if !p.Modern() {
		if !p.Changed() {
			return m.Params, nil, nil
		}
		return p.Encode(), nil, nil
	}
	if !m.IsCall() {
		return p.Encode(), nil, nil
	}
	c := &call{id: m.ID, token: rand.Text()}
	c.req = shim.Request{Method: m.Method, State: p.State, Responses: p.Responses}
	if refusal := read(&c.req, p); refusal != nil {
		return nil, nil, refusal
	}
	if b.opts.Native != nil {
		native, err := safely(ctx, b, func() (bool, error) { return b.opts.Native(m.Method, c.req.Target), nil })
		if err != nil {
			return nil, nil, binding.Internal()
		}
		c.native = native
	}
	b.calls.Store(c.token, c)
	return p.Encode(rawrpc.Member{Name: metaCall, Value: rawrpc.String(c.token)}), c, nil
}

// read takes from params what the state of the operation is tied to, and what
// the client can do. The SDK must not see another value than is read here.
func read(r *shim.Request, p *binding.Params) *rawrpc.Error {
	field := "name"
	if r.Method == protocol.MethodReadResource {
		field = "uri"
	}
	target, err := rawrpc.Find(p.Members(), field)
	if err != nil || target != nil && json.Unmarshal(target, &r.Target) != nil {
		return binding.InvalidParams(field + " must be one string")
	}
	arguments, err := rawrpc.Find(p.Members(), "arguments")
	if err != nil {
		return binding.InvalidParams("arguments are repeated")
	}
	if !rawrpc.IsNull(arguments) {
		r.Arguments = arguments
	}
	caps, err := p.Meta(protocol.MetaClientCapabilities)
	if err != nil {
		return binding.InvalidParams("the client capabilities in _meta are repeated")
	}
	r.Capabilities = caps
	return nil
}
