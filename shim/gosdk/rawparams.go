package gosdk

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mrtr-migrate/mrtr-migrate/internal/rawrpc"
	"github.com/mrtr-migrate/mrtr-migrate/shim/internal/binding"
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
	p, refusal := binding.SplitParams(method, params, MetaState, MetaResponses)
	if refusal != nil {
		return nil, (*jsonrpc.Error)(refusal)
	}
	if !p.Changed() {
		return params, nil
	}
	var added []rawrpc.Member
	if p.State != nil {
		added = append(added, rawrpc.Member{Name: MetaState, Value: rawrpc.String(string(p.State))})
	}
	if p.Responses != nil {
		added = append(added, rawrpc.Member{Name: MetaResponses, Value: rawrpc.String(string(p.Responses))})
	}
	return p.Encode(added...), nil
}
