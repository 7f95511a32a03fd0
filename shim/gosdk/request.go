package gosdk

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/mrtr-migrate/mrtr-migrate/shim"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// target returns what a request names: a tool, a prompt or a resource.
func target(req mcp.Request) (string, bool) {
	switch p := req.GetParams().(type) {
	case *mcp.CallToolParamsRaw:
		if p != nil {
			return p.Name, true
		}
	case *mcp.GetPromptParams:
		if p != nil {
			return p.Name, true
		}
	case *mcp.ReadResourceParams:
		if p != nil {
			return p.URI, true
		}
	}
	return "", false
}

var errParams = errors.New("mrtr: parameters of an unknown type")

// takeRequest reads what the engine needs of req, and takes requestState and
// inputResponses out of it: a handler sees answers only once they are verified.
func (m *middleware) takeRequest(ctx context.Context, method string, req mcp.Request) (shim.Request, error) {
	r := shim.Request{Method: method}
	var state string
	var responses mcp.InputResponseMap
	switch p := req.GetParams().(type) {
	case *mcp.CallToolParamsRaw:
		r.Target, r.Arguments = p.Name, p.Arguments
		state, responses = p.RequestState, p.InputResponses
		p.RequestState, p.InputResponses = "", nil
	case *mcp.GetPromptParams:
		r.Target = p.Name
		if p.Arguments != nil {
			r.Arguments = marshal(p.Arguments)
		}
		state, responses = p.RequestState, p.InputResponses
		p.RequestState, p.InputResponses = "", nil
	case *mcp.ReadResourceParams:
		r.Target = p.URI
		state, responses = p.RequestState, p.InputResponses
		p.RequestState, p.InputResponses = "", nil
	default:
		return r, errParams
	}
	if state != "" {
		r.State = marshal(state)
	}
	if responses != nil {
		r.Responses = marshal(responses)
	}
	meta := meta(req)
	takeRaw(meta, MetaState, &r.State)
	takeRaw(meta, MetaResponses, &r.Responses)
	if caps, ok := meta[protocol.MetaClientCapabilities]; ok {
		r.Capabilities = capabilityText(caps)
	}
	r.Principal, r.PrincipalErr = safely(ctx, m, func() (string, error) { return m.principal(req) })
	if m.opts.Reserve == nil {
		return r, nil
	}
	var err error
	r.Reserve, err = safely(ctx, m, func() (bool, error) { return m.opts.Reserve(method, r.Target), nil })
	return r, err
}

// takeRaw moves the raw text of a field out of meta. What is there but no string
// was not put there by the filter: it stays what the filter's absence makes it,
// nothing.
func takeRaw(meta map[string]any, name string, raw *json.RawMessage) {
	v, ok := meta[name]
	if !ok {
		return
	}
	delete(meta, name)
	if text, ok := v.(string); ok {
		*raw = json.RawMessage(text)
	}
}

// putBack undoes what the raw filter did, for a handler that reads the SDK's own
// fields. Entries that the SDK cannot decode are left out (rule 16).
func putBack(req mcp.Request) {
	var rawState, rawResponses json.RawMessage
	meta := meta(req)
	takeRaw(meta, MetaState, &rawState)
	takeRaw(meta, MetaResponses, &rawResponses)
	var state string
	json.Unmarshal(rawState, &state)
	var entries map[string]json.RawMessage
	json.Unmarshal(rawResponses, &entries)
	responses := make(mcp.InputResponseMap, len(entries))
	for key, raw := range entries {
		var one mcp.InputResponseMap
		if json.Unmarshal(marshal(map[string]json.RawMessage{key: raw}), &one) == nil {
			responses[key] = one[key]
		}
	}
	switch p := req.GetParams().(type) {
	case *mcp.CallToolParamsRaw:
		restore(&p.RequestState, &p.InputResponses, state, responses)
	case *mcp.GetPromptParams:
		restore(&p.RequestState, &p.InputResponses, state, responses)
	case *mcp.ReadResourceParams:
		restore(&p.RequestState, &p.InputResponses, state, responses)
	}
}

func restore(toState *string, toResponses *mcp.InputResponseMap, state string, responses mcp.InputResponseMap) {
	if state != "" {
		*toState = state
	}
	if len(responses) > 0 {
		*toResponses = responses
	}
}

// capabilityText returns the JSON of the declared capabilities. A typed value
// occurs only in-process; its JSON shows roots even when they are not declared.
func capabilityText(v any) json.RawMessage {
	if c, ok := v.(*mcp.ClientCapabilities); ok && c != nil {
		shown := map[string]any{}
		if c.Elicitation != nil {
			shown["elicitation"] = c.Elicitation
		}
		if c.Sampling != nil {
			shown["sampling"] = c.Sampling
		}
		if c.RootsV2 != nil {
			shown["roots"] = c.RootsV2
		}
		return marshal(shown)
	}
	return marshal(v)
}

// native reports whether the handler of req is left to itself.
func (m *middleware) native(ctx context.Context, method string, req mcp.Request) (bool, error) {
	name, ok := target(req)
	if !ok || m.opts.Native == nil {
		return false, nil
	}
	return safely(ctx, m, func() (bool, error) { return m.opts.Native(method, name), nil })
}

// errOption is what a panic in a function of [Options] becomes.
var errOption = &jsonrpc.Error{Code: protocol.CodeInternal, Message: "internal error"}

// safely calls a function of the user's [Options]. They look at what a peer sent
// before anything is verified, so a panic in one refuses that request and does
// not end the process. What it panicked with may quote the peer and is not logged.
func safely[T any](ctx context.Context, m *middleware, f func() (T, error)) (v T, err error) {
	defer func() {
		if recover() != nil {
			m.opts.Logger.LogAttrs(ctx, slog.LevelError, "mrtr: a function of Options panicked", slog.String("stack", string(debug.Stack())))
			v, err = *new(T), errOption
		}
	}()
	return f()
}

var errNoUser = errors.New("mrtr: the verified token names no user")

// principal returns the name of the caller.
func (m *middleware) principal(req mcp.Request) (string, error) {
	if m.opts.Principal != nil {
		return m.opts.Principal(req)
	}
	extra := req.GetExtra()
	switch {
	case extra == nil || extra.TokenInfo == nil:
		return "", nil
	case extra.TokenInfo.UserID == "":
		return "", errNoUser
	}
	return extra.TokenInfo.UserID, nil
}
