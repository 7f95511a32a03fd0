package gosdk

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mrtr-migrate/mrtr-migrate/internal/rawrpc"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// Keys of a request's _meta under which the raw filter hands the text of a
// retry's two fields to the middleware. A peer's own values never arrive under
// them; nothing is trusted because it stands there.
const (
	// MetaState holds the text of requestState, with its quotes.
	MetaState = "io.github.mrtr-migrate/requestState"
	// MetaResponses holds the text of inputResponses.
	MetaResponses = "io.github.mrtr-migrate/inputResponses"
)

// Names of the fields that the filter reads.
const (
	fieldMeta      = "_meta"
	fieldResponses = "inputResponses"
	fieldState     = "requestState"
)

// maxDepth is how deeply the SDK's decoder lets params nest; deeper ones it
// refuses with an error that quotes them.
const maxDepth = 1000

// FilterParams prepares the params of a tools/call, prompts/get or
// resources/read for the SDK's decoder, which guesses the type of each entry
// of inputResponses from its shape, refuses the whole request for an entry
// that it does not know, and quotes all of it in the error. Params of other
// methods are returned as they are.
//
// On a request whose own _meta names revision 2026-07-28, the text of
// inputResponses moves to _meta under MetaResponses and that of requestState
// under MetaState, every byte of it kept; an explicit null is the same as an
// absent field. On a request of any other peer both are dropped, as they have
// no meaning there. Either way a peer's own MetaResponses and MetaState go.
// All other values stay as they were sent, and params that need no change are
// returned themselves.
//
// It returns an error, to be sent as the request's response, for params that
// are not an object, for a repeated _meta, inputResponses, requestState or
// protocolVersion, and for a requestState that is not a string (the one answer
// that every bad state gets), inputResponses that are not an object or name a
// key twice, and whatever the SDK's decoder would refuse of a request that
// carries either. No error quotes the request.
func FilterParams(method string, params json.RawMessage) (json.RawMessage, *jsonrpc.Error) {
	if !protocol.Multiround(method) || rawrpc.IsNull(params) {
		return params, nil
	}
	members, err := rawrpc.Members(params)
	if err != nil {
		return nil, invalidParams("params must be an object")
	}
	meta, refusal := readMeta(members)
	if refusal != nil {
		return nil, refusal
	}
	rest := make([]rawrpc.Member, 0, len(members))
	for _, m := range members {
		if m.Name != fieldResponses && m.Name != fieldState {
			rest = append(rest, m)
		}
	}
	if len(rest) == len(members) && !meta.forged {
		return params, nil
	}
	if meta.version == protocol.Revision20260728 {
		added, refusal := retryFields(members)
		if refusal != nil {
			return nil, refusal
		}
		if !decodable(method, rest) {
			return nil, invalidParams("params are malformed")
		}
		meta.members = append(meta.members, added...)
	}
	for i := range rest {
		if rest[i].Name == fieldMeta && meta.object {
			rest[i].Value = rawrpc.Object(meta.members)
		}
	}
	return rawrpc.Object(rest), nil
}

// metadata is what a request's _meta says.
type metadata struct {
	object   bool            // _meta is there and is an object
	members  []rawrpc.Member // without what only the filter may put there
	forged   bool            // something was left out of members
	declared bool            // a protocol version is named
	version  string          // it, when it is a string
}

func readMeta(params []rawrpc.Member) (*metadata, *jsonrpc.Error) {
	text, err := rawrpc.Find(params, fieldMeta)
	if err != nil {
		return nil, invalidParams("_meta is repeated")
	}
	m := &metadata{object: rawrpc.IsObject(text)}
	if !m.object {
		return m, nil
	}
	all, err := rawrpc.Members(text)
	if err != nil {
		return nil, invalidParams("_meta is malformed")
	}
	version, err := rawrpc.Find(all, protocol.MetaProtocolVersion)
	if err != nil {
		return nil, invalidParams("the protocol version in _meta is repeated")
	}
	if m.declared = !rawrpc.IsNull(version); m.declared {
		_ = json.Unmarshal(version, &m.version) // not a string: none that we know
	}
	for _, member := range all {
		if member.Name == MetaState || member.Name == MetaResponses {
			m.forged = true
			continue
		}
		m.members = append(m.members, member)
	}
	return m, nil
}

// retryFields returns what a modern request's two fields become in _meta.
func retryFields(members []rawrpc.Member) ([]rawrpc.Member, *jsonrpc.Error) {
	state, err := rawrpc.Find(members, fieldState)
	if err != nil {
		return nil, invalidState()
	}
	responses, err := rawrpc.Find(members, fieldResponses)
	if err != nil {
		return nil, invalidParams("inputResponses is repeated")
	}
	var added []rawrpc.Member
	if !rawrpc.IsNull(state) {
		if !rawrpc.IsString(state) || !utf8.Valid(state) {
			return nil, invalidState()
		}
		added = append(added, rawrpc.Member{Name: MetaState, Value: rawrpc.String(string(state))})
	}
	if !rawrpc.IsNull(responses) {
		entries, err := rawrpc.Members(responses)
		if err != nil || !utf8.Valid(responses) {
			return nil, invalidParams("inputResponses must be an object")
		}
		seen := make(map[string]bool, len(entries))
		for _, e := range entries {
			if seen[e.Name] {
				return nil, invalidParams("inputResponses names a key twice")
			}
			seen[e.Name] = true
		}
		added = append(added, rawrpc.Member{Name: MetaResponses, Value: rawrpc.String(string(responses))})
	}
	return added, nil
}

// decodable reports whether the SDK will be able to decode the params that
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

func invalidParams(what string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: protocol.CodeInvalidParams, Message: "invalid params: " + what}
}

// invalidState is the one answer to a requestState that is not accepted.
func invalidState() *jsonrpc.Error {
	return &jsonrpc.Error{
		Code:    protocol.CodeInvalidParams,
		Message: protocol.InvalidStateMessage,
		Data:    json.RawMessage(`{"reason":"` + protocol.ReasonInvalidState + `"}`),
	}
}
