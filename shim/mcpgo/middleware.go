package mcpgo

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mrtr-migrate/mrtr-migrate/internal/rawrpc"
	"github.com/mrtr-migrate/mrtr-migrate/shim"
	"github.com/mrtr-migrate/mrtr-migrate/shim/internal/binding"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// A request is what the three kinds of requests have in common.
type request struct {
	method, target string
	header         http.Header
	meta           *mcp.Meta
	retry          *mcp.MultiRoundTripParams
	task           bool
}

func (b *Binding) tool(next server.ToolHandlerFunc) server.ToolHandlerFunc {
	return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		in := request{protocol.MethodCallTool, req.Params.Name, req.Header, req.Params.Meta, &req.Params.MultiRoundTripParams, req.Params.Task != nil}
		res, asked, err := serve(ctx, b, in, judgeTool, func(ctx context.Context) (*mcp.CallToolResult, error) { return next(ctx, req) })
		if asked {
			return &mcp.CallToolResult{Result: inputRequired()}, nil
		}
		return res, err
	}
}

func (b *Binding) prompt(next server.PromptHandlerFunc) server.PromptHandlerFunc {
	return func(ctx context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		in := request{protocol.MethodGetPrompt, req.Params.Name, req.Header, req.Params.Meta, &req.Params.MultiRoundTripParams, false}
		res, asked, err := serve(ctx, b, in, judgePrompt, func(ctx context.Context) (*mcp.GetPromptResult, error) { return next(ctx, req) })
		if asked {
			return &mcp.GetPromptResult{Result: inputRequired()}, nil
		}
		return res, err
	}
}

func (b *Binding) resource(next server.ResourceHandlerFunc) server.ResourceHandlerFunc {
	return func(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		in := request{protocol.MethodReadResource, req.Params.URI, req.Header, req.Params.Meta, &req.Params.MultiRoundTripParams, false}
		res, asked, err := serve(ctx, b, in, judgeResource, func(ctx context.Context) ([]mcp.ResourceContents, error) { return next(ctx, req) })
		if asked {
			return nil, nil
		}
		return res, err
	}
}

// A judge looks at what a handler returned although nothing was pending: native
// tells a result that asks by the SDK's own fields, empty one that stands for a
// question.
type judge[R any] func(res R) (native, empty bool)

func judgeTool(r *mcp.CallToolResult) (native, empty bool) {
	return r != nil && asks(r.Result, r.MultiRoundTripResult), false
}

func judgePrompt(r *mcp.GetPromptResult) (native, empty bool) {
	return r != nil && asks(r.Result, r.MultiRoundTripResult), r == nil
}

func judgeResource(contents []mcp.ResourceContents) (native, empty bool) {
	for _, c := range contents {
		if _, ok := c.(unanswered); ok {
			return false, true
		}
	}
	return false, false
}

func asks(r mcp.Result, trip mcp.MultiRoundTripResult) bool {
	return r.ResultType == mcp.ResultTypeInputRequired || trip.InputRequests != nil || trip.RequestState != ""
}

// errFront refuses a request that the binding does not serve. One that has been
// served is no longer known by its note: what a middleware outside makes of the
// result, it cannot run the handler again.
var errFront = errors.New("mrtr: the request did not come through the binding, or has been served; serve with Binding.ServeStdio, Listen, Handler or NewStreamableHTTPServer")

// serve runs a handler. It reports asked for a round that ends with a question,
// which the call holds.
func serve[R any](ctx context.Context, b *Binding, in request, judge judge[R], next func(context.Context) (R, error)) (res R, asked bool, err error) {
	var none R
	token := takeToken(in.meta)
	if !server.IsModernRequest(ctx) {
		if b.find(token, in) != nil {
			return none, false, errFront // the SDK has read another request than the front
		}
		res, err = legacy(ctx, judge, next)
		return res, false, err
	}
	c := b.find(token, in)
	_, inProcess := server.ClientSessionFromContext(ctx).(*server.InProcessSession)
	if c == nil && token == "" && inProcess {
		res, err = next(ctx)
		return res, false, err
	}
	*in.retry = mcp.MultiRoundTripParams{} // a handler sees answers only once they are verified
	switch {
	case in.task:
		// What runs as a task is not answered by this request's response.
		ctx, err = b.unaskable(ctx, in)
		if err == nil {
			res, err = next(ctx)
		}
		return res, false, err
	case c == nil:
		return none, false, errFront
	case c.native:
		*in.retry = nativeRetry(c.req)
		res, err = next(ctx)
		return res, false, err
	}
	return run(ctx, b, in, c, judge, next)
}

// run runs a handler with a continuation.
func run[R any](ctx context.Context, b *Binding, in request, c *call, judge judge[R], next func(context.Context) (R, error)) (res R, asked bool, err error) {
	var none R
	refuse := func(e *rawrpc.Error) (R, bool, error) {
		c.decide(outcome{err: e})
		return none, false, &wireError{e}
	}
	r := c.req
	r.Principal, r.PrincipalErr = safely(ctx, b, func() (string, error) { return b.principal(ctx, in.header) })
	if b.opts.Reserve != nil {
		if r.Reserve, err = safely(ctx, b, func() (bool, error) { return b.opts.Reserve(in.method, in.target), nil }); err != nil {
			return refuse(binding.Internal())
		}
	}
	within, k, err := b.runtime.Open(withSession(ctx), r)
	if err != nil {
		b.opts.Logger.LogAttrs(ctx, slog.LevelWarn, "mrtr: request refused", slog.String("method", in.method), slog.String("reason", binding.RefusalReason(err)))
		return refuse(binding.OpenError(err))
	}
	var crash *shim.Panic
	if !k.Reserved() {
		crash = k.Run(func() { res, err = next(within) })
	}
	question, fault := k.Close()
	switch {
	case crash != nil:
		b.opts.Logger.LogAttrs(ctx, slog.LevelError, "handler panicked", slog.String("method", in.method), slog.String("stack", string(crash.Stack)))
		panic(crash.Value)
	case fault != nil:
		return refuse(binding.FaultError(fault))
	case question != nil:
		c.decide(outcome{result: binding.Marshal(map[string]any{
			"resultType": protocol.ResultInputRequired, "inputRequests": question.Requests, "requestState": question.State,
		})})
		return none, true, nil
	}
	if e := capabilityError(err); e != nil {
		return refuse(e)
	}
	if err != nil {
		return none, false, err
	}
	switch native, empty := judge(res); {
	case native:
		return refuse(binding.FaultError(&shim.Fault{Code: shim.CodeNative}))
	case empty:
		return refuse(binding.FaultError(&shim.Fault{Code: shim.CodeNothingPending}))
	}
	return res, false, nil
}

// legacy runs the handler for an older peer, without a continuation: its asks
// go to its session, and the SDK fulfils its own input requests.
func legacy[R any](ctx context.Context, judge judge[R], next func(context.Context) (R, error)) (R, error) {
	var none R
	res, err := next(ctx)
	if err != nil {
		return res, err
	}
	if _, empty := judge(res); empty {
		return none, &shim.Fault{Code: shim.CodeNothingPending}
	}
	return res, nil
}

// find returns the call that token names, nil if there is none or if the SDK
// has read another request than the front.
func (b *Binding) find(token string, in request) *call {
	v, ok := b.calls.Load(token)
	if !ok {
		return nil
	}
	c := v.(*call)
	if c.req.Method != in.method || c.req.Target != in.target {
		return nil
	}
	return c
}

// takeToken moves the front's note out of a request.
func takeToken(meta *mcp.Meta) string {
	if meta == nil {
		return ""
	}
	token, _ := meta.AdditionalFields[metaCall].(string)
	delete(meta.AdditionalFields, metaCall)
	return token
}

// nativeRetry returns the fields of a retry for a handler that reads the SDK's own.
func nativeRetry(r shim.Request) (p mcp.MultiRoundTripParams) {
	// What is not as it should be the front has refused.
	_ = json.Unmarshal(r.State, &p.RequestState)
	_ = json.Unmarshal(r.Responses, &p.InputResponses)
	return p
}

// A closed context has the values of one whose request has ended, but goes on.
type closed struct {
	context.Context
	values context.Context
}

func (c closed) Value(key any) any { return c.values.Value(key) }

// unaskable returns a context in which every ask is a fault.
func (b *Binding) unaskable(ctx context.Context, in request) (context.Context, error) {
	within, k, err := b.runtime.Open(withSession(ctx), shim.Request{Method: in.method, Target: in.target})
	if err != nil {
		return nil, err
	}
	if _, err := k.Close(); err != nil {
		return nil, err
	}
	return closed{ctx, within}, nil
}

// capabilityError returns the error for a handler that failed because of what
// the client cannot do, by the shim's error or by the SDK's, whose code and data
// the SDK loses.
func capabilityError(err error) *rawrpc.Error {
	if e := binding.CapabilityError(err); e != nil {
		return e
	}
	var missing mcp.MissingRequiredClientCapabilityError
	if !errors.As(err, &missing) {
		return nil
	}
	return &rawrpc.Error{
		Code:    protocol.CodeMissingClientCapability,
		Message: missing.Error(),
		Data:    binding.Marshal(map[string]any{"requiredCapabilities": map[string]any{missing.Capability: struct{}{}}}),
	}
}

var errNoName = errors.New("mrtr: the request is authenticated, but Options.Principal names nobody")

// principal returns the name of the caller.
func (b *Binding) principal(ctx context.Context, header http.Header) (string, error) {
	switch {
	case b.opts.Principal != nil:
		return b.opts.Principal(ctx, header)
	case header.Get("Authorization") != "":
		return "", errNoName
	}
	return "", nil
}
