package binding

import (
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/mrtr-migrate/mrtr-migrate/internal/rawrpc"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// Names of the fields that the filter reads.
const (
	fieldMeta      = "_meta"
	fieldResponses = "inputResponses"
	fieldState     = "requestState"
)

// maxDepth is how deeply an SDK's decoder lets params nest at least; deeper ones
// it may refuse with an error that quotes them.
const maxDepth = 1000

// Params are the params of a tools/call, prompts/get or resources/read without
// the two fields of a retry, taken apart before an SDK decodes them.
type Params struct {
	// Version is the revision that the request's own _meta names; Declared tells
	// whether it names one. A value that is not a string is "".
	Version  string
	Declared bool
	// State and Responses are the texts of the two fields on a request of
	// revision 2026-07-28, nil when absent or null. On any other request they
	// have no meaning and are dropped.
	State, Responses json.RawMessage

	members []rawrpc.Member // without the two fields
	meta    *metadata
	taken   bool // something was left out
}

// Modern reports whether the request is one of revision 2026-07-28.
func (p *Params) Modern() bool { return p.Version == protocol.Revision20260728 }

// SplitParams takes params apart. Members of _meta that are named in reserved
// are those that only the filter may put there; a peer's own are left out.
//
// It returns an error, to be sent as the request's response, for params that
// are not an object, for a repeated _meta, inputResponses, requestState or
// protocolVersion, and for a requestState that is not a string (the one answer
// that every bad state gets), inputResponses that are not an object or name a
// key twice, and whatever a decoder would refuse of a request that carries
// either. No error quotes the request.
func SplitParams(method string, params json.RawMessage, reserved ...string) (*Params, *rawrpc.Error) {
	members, err := rawrpc.Members(params)
	if err != nil {
		return nil, InvalidParams("params must be an object")
	}
	meta, refusal := readMeta(members, reserved)
	if refusal != nil {
		return nil, refusal
	}
	p := &Params{Version: meta.version, Declared: meta.declared, meta: meta}
	p.members = make([]rawrpc.Member, 0, len(members))
	for _, m := range members {
		if m.Name != fieldResponses && m.Name != fieldState {
			p.members = append(p.members, m)
		}
	}
	retry := len(p.members) != len(members)
	p.taken = retry || meta.forged
	if p.Modern() && p.taken {
		if p.State, p.Responses, refusal = retryFields(members); refusal != nil {
			return nil, refusal
		}
		if !decodable(method, p.members) {
			return nil, InvalidParams("params are malformed")
		}
	}
	return p, nil
}

// Changed reports whether the SDK must not see the params as they came.
func (p *Params) Changed() bool { return p.taken }

// Members are the members of the params without the two fields of a retry.
func (p *Params) Members() []rawrpc.Member { return p.members }

// Encode returns the params for the SDK, with added members in their _meta. All
// other values stay as they were sent.
func (p *Params) Encode(added ...rawrpc.Member) json.RawMessage {
	out := slices.Clone(p.members)
	for i := range out {
		if out[i].Name == fieldMeta && p.meta.object {
			out[i].Value = rawrpc.Object(append(slices.Clone(p.meta.members), added...))
		}
	}
	return rawrpc.Object(out)
}

// Meta returns the value of a member of the request's _meta, nil when it is
// absent, and an error when it is there twice.
func (p *Params) Meta(name string) (json.RawMessage, error) { return rawrpc.Find(p.meta.members, name) }

// DeclaredVersion returns the revision that the _meta of params names, and
// whether it names one, see [Params]. Of params that SplitParams refuses it says
// nothing of use.
func DeclaredVersion(params json.RawMessage) (version string, ok bool) {
	members, err := rawrpc.Members(params)
	if err != nil {
		return "", false
	}
	meta, refusal := readMeta(members, nil)
	if refusal != nil {
		return "", false
	}
	return meta.version, meta.declared
}

// metadata is what a request's _meta says.
type metadata struct {
	object   bool            // _meta is there and is an object
	members  []rawrpc.Member // without what only the filter may put there
	forged   bool            // something was left out of members
	declared bool            // a protocol version is named
	version  string          // it, when it is a string
}

func readMeta(params []rawrpc.Member, reserved []string) (*metadata, *rawrpc.Error) {
	text, err := rawrpc.Find(params, fieldMeta)
	if err != nil {
		return nil, InvalidParams("_meta is repeated")
	}
	m := &metadata{object: rawrpc.IsObject(text)}
	if !m.object {
		return m, nil
	}
	all, err := rawrpc.Members(text)
	if err != nil {
		return nil, InvalidParams("_meta is malformed")
	}
	version, err := rawrpc.Find(all, protocol.MetaProtocolVersion)
	if err != nil {
		return nil, InvalidParams("the protocol version in _meta is repeated")
	}
	if m.declared = !rawrpc.IsNull(version); m.declared {
		_ = json.Unmarshal(version, &m.version) // not a string: none that we know
	}
	for _, member := range all {
		if slices.Contains(reserved, member.Name) {
			m.forged = true
			continue
		}
		m.members = append(m.members, member)
	}
	return m, nil
}

// retryFields returns the texts of a modern request's two fields.
func retryFields(members []rawrpc.Member) (state, responses json.RawMessage, refusal *rawrpc.Error) {
	state, err := rawrpc.Find(members, fieldState)
	if err != nil {
		return nil, nil, InvalidState()
	}
	responses, err = rawrpc.Find(members, fieldResponses)
	if err != nil {
		return nil, nil, InvalidParams("inputResponses is repeated")
	}
	if rawrpc.IsNull(state) {
		state = nil
	} else if !rawrpc.IsString(state) || !utf8.Valid(state) {
		return nil, nil, InvalidState()
	}
	if rawrpc.IsNull(responses) {
		return state, nil, nil
	}
	entries, err := rawrpc.Members(responses)
	if err != nil || !utf8.Valid(responses) {
		return nil, nil, InvalidParams("inputResponses must be an object")
	}
	seen := make(map[string]bool, len(entries))
	for _, e := range entries {
		if seen[e.Name] {
			return nil, nil, InvalidParams("inputResponses names a key twice")
		}
		seen[e.Name] = true
	}
	return state, responses, nil
}

// decodable reports whether an SDK will be able to decode the params that
// remain. It asks only for requests that carry a state or answers, which the
// SDK's error would quote.
func decodable(method string, members []rawrpc.Member) bool {
	want := map[string]any{}
	switch method {
	case protocol.MethodCallTool:
		want["name"] = new(string)
	case protocol.MethodGetPrompt:
		want["name"], want["arguments"] = new(string), new(map[string]string)
	case protocol.MethodReadResource:
		want["uri"] = new(string)
	}
	for _, m := range members {
		if into := want[m.Name]; into != nil && json.Unmarshal(m.Value, into) != nil {
			return false
		}
		if rawrpc.Depth(m.Value) >= maxDepth {
			return false
		}
	}
	return true
}
