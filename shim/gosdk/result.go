package gosdk

import (
	"bytes"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/mrtr-migrate/mrtr-migrate/internal/rawrpc"
	"github.com/mrtr-migrate/mrtr-migrate/shim"
	"github.com/mrtr-migrate/mrtr-migrate/shim/internal/binding"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// An inputRequired is the result of a round that needs input. It holds nothing
// that a finished result has: no content and no cache hints.
type inputRequired struct {
	mcp.ResultBase
	ResultType    string                       `json:"resultType"`
	InputRequests map[string]shim.InputRequest `json:"inputRequests"`
	RequestState  string                       `json:"requestState"`
}

func newInputRequired(r *shim.InputRequired) *inputRequired {
	return &inputRequired{ResultType: protocol.ResultInputRequired, InputRequests: r.Requests, RequestState: r.State}
}

// A stamped result is a finished result with its resultType. The SDK leaves the
// type out where the session was initialised by an older revision, although the
// request is a modern one.
type stamped struct {
	mcp.Result
}

// MarshalJSON adds the type to what the result is without it.
func (s *stamped) MarshalJSON() ([]byte, error) {
	raw, err := json.Marshal(s.Result)
	if err != nil {
		return nil, err
	}
	var has struct {
		ResultType *string `json:"resultType"`
	}
	if err := json.Unmarshal(raw, &has); err != nil {
		return nil, err
	}
	body := bytes.TrimSpace(raw)
	if has.ResultType != nil || len(body) < 2 || body[0] != '{' {
		return raw, nil
	}
	out := []byte(`{"resultType":"` + protocol.ResultComplete + `"`)
	if rest := bytes.TrimSpace(body[1:]); rest[0] != '}' {
		out = append(out, ',')
	}
	return append(out, body[1:]...), nil
}

// stamp returns res with its type on the wire. The result keeps its Go type
// where the SDK writes the resultType itself.
func stamp(req mcp.Request, res mcp.Result) mcp.Result {
	ss, ok := req.GetSession().(*mcp.ServerSession)
	if !ok || res == nil {
		return res
	}
	if p := ss.InitializeParams(); p == nil || p.ProtocolVersion >= protocol.Revision20260728 {
		return res
	}
	return &stamped{res}
}

// errNoResult answers for a handler that returned neither a result nor an error,
// which the SDK would not survive on a modern request.
var errNoResult = &jsonrpc.Error{Code: protocol.CodeInternal, Message: "the handler returned no result"}

// isNil reports whether res is no result.
func isNil(res mcp.Result) bool {
	switch r := res.(type) {
	case nil:
		return true
	case *mcp.CallToolResult:
		return r == nil
	case *mcp.GetPromptResult:
		return r == nil
	case *mcp.ReadResourceResult:
		return r == nil
	}
	return false
}

// native reports whether res asks by the SDK's own fields. The SDK takes a map
// that is empty for a request to be called again.
func native(res mcp.Result) bool {
	switch r := res.(type) {
	case *mcp.CallToolResult:
		return r != nil && (r.InputRequests != nil || r.RequestState != "")
	case *mcp.GetPromptResult:
		return r != nil && (r.InputRequests != nil || r.RequestState != "")
	case *mcp.ReadResourceResult:
		return r != nil && (r.InputRequests != nil || r.RequestState != "")
	}
	return false
}

// failure returns the error behind a result or an error of the handler. Typed
// handlers keep theirs on the result.
func failure(res mcp.Result, err error) error {
	if r, ok := res.(*mcp.CallToolResult); ok && r != nil && err == nil {
		return r.GetError()
	}
	return err
}

// wireError returns what the SDK sends as a JSON-RPC error, nil for nil.
func wireError(e *rawrpc.Error) error {
	if e == nil {
		return nil
	}
	return (*jsonrpc.Error)(e)
}

func capabilityError(err error) error { return wireError(binding.CapabilityError(err)) }

func faultError(err error) error { return wireError(binding.FaultError(err)) }

func openError(err error) error { return wireError(binding.OpenError(err)) }
