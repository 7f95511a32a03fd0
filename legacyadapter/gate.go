package legacyadapter

import (
	"context"
	"errors"
	"reflect"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	mrtr "github.com/mrtr-migrate/mrtr-migrate/shim/gosdk"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// ErrLiveAsk is what an ask on a live session fails with while a request of
// revision 2026-07-28 is served: the revision allows no request from a server
// to its client (rule 1).
var ErrLiveAsk = errors.New("legacyadapter: a 2026-07-28 request cannot be asked over a live session; use the asks of shim/gosdk, or return InputRequests")

// The gate decides for each request of which era it is.
type gate struct {
	server *mcp.Server
}

// install puts a gate in front of everything that server serves, and shim
// behind it for the requests of modern peers that may end in a question.
func install(server *mcp.Server, shim mcp.Middleware) {
	g := &gate{server: server}
	server.AddReceivingMiddleware(g.receive(shim))
	server.AddSendingMiddleware(g.guardAsks)
}

// receive returns the receiving middleware.
func (g *gate) receive(shim mcp.Middleware) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		multiround := shim(next)
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			session, ok := req.GetSession().(*mcp.ServerSession)
			if !ok || strings.HasPrefix(method, "notifications/") {
				return next(ctx, method, req) // a notification belongs to no era
			}
			version, declared, err := declaredVersion(req)
			switch {
			case err != nil:
				return nil, err
			case declared && version == protocol.Revision20260728:
				if protocol.Multiround(method) {
					return g.modern(ctx, multiround, method, req, session)
				}
				return g.modern(ctx, next, method, req, session)
			case declared && !protocol.IsLegacy(version):
				return nil, mrtr.UnsupportedVersion(version)
			case method == protocol.MethodInitialize:
				return initialize(ctx, next, method, req, session)
			default:
				return legacy(ctx, next, method, req, session)
			}
		}
	}
}

// modernKey is the key of the gate that serves a request of revision
// 2026-07-28 in the context of that request. It names the gate, because a
// handler's context can be that of sessions of another server.
type modernKey struct{}

// modern serves a request of revision 2026-07-28.
//
// The SDK takes a session for modern or not as a whole, by what reached it
// first. Where that is wrong for this request, the request is served on a
// session of its own, as each is over HTTP: server/discover, which would
// otherwise count as the session's initialize, and calls on a session that an
// older peer initialised, whose questions the SDK would send as live requests.
func (g *gate) modern(ctx context.Context, next mcp.MethodHandler, method string, req mcp.Request, session *mcp.ServerSession) (mcp.Result, error) {
	ctx = context.WithValue(ctx, modernKey{}, g)
	alone := method == protocol.MethodDiscover && session.ID() == "" ||
		protocol.Multiround(method) && initializedLegacy(session)
	if alone {
		own, done, err := g.separate(ctx, req, session)
		if err != nil {
			return nil, err
		}
		defer done()
		req = own
	}
	return next(ctx, method, req)
}

// initialize lowers the revision that a client declares to one that initialize
// can negotiate, before the SDK stores it: parts of the SDK read the declared
// one, and would take the client for a modern peer although it got 2025-11-25.
func initialize(ctx context.Context, next mcp.MethodHandler, method string, req mcp.Request, session *mcp.ServerSession) (mcp.Result, error) {
	params, ok := req.GetParams().(*mcp.InitializeParams)
	if ok && params != nil && !protocol.IsLegacy(params.ProtocolVersion) {
		lowered := *params
		lowered.ProtocolVersion = protocol.Revision20251125
		req = &mcp.ServerRequest[*mcp.InitializeParams]{Session: session, Params: &lowered, Extra: req.GetExtra()}
	}
	return next(ctx, method, req)
}

// legacy serves a request of a peer that negotiated an older revision.
func legacy(ctx context.Context, next mcp.MethodHandler, method string, req mcp.Request, session *mcp.ServerSession) (mcp.Result, error) {
	if p := session.InitializeParams(); p != nil && p.ProtocolVersion >= protocol.Revision20260728 && method != "ping" {
		// Only modern requests came before: there was no initialize, and
		// without it a request must say what it is (rule 20).
		return nil, &jsonrpc.Error{
			Code:    protocol.CodeInvalidParams,
			Message: "missing _meta field " + protocol.MetaProtocolVersion,
		}
	}
	if !protocol.Multiround(method) {
		return next(ctx, method, req)
	}
	return fulfil(ctx, next, method, withoutRetryFields(req, session), session)
}

// guardAsks is sending middleware that keeps a live ask from leaving on behalf
// of a modern request, whatever session a handler took it to.
func (g *gate) guardAsks(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch method {
		case protocol.MethodElicit, protocol.MethodCreateMessage, protocol.MethodListRoots:
			if ctx.Value(modernKey{}) == g {
				return nil, ErrLiveAsk
			}
		}
		return next(ctx, method, req)
	}
}

// initializedLegacy reports whether the session was initialised by an older
// peer.
func initializedLegacy(session *mcp.ServerSession) bool {
	p := session.InitializeParams()
	return p != nil && p.ProtocolVersion < protocol.Revision20260728
}

// declaredVersion returns the revision that the request's own _meta names, and
// whether it names one.
func declaredVersion(req mcp.Request) (version string, ok bool, err error) {
	params := req.GetParams()
	if v := reflect.ValueOf(params); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return "", false, nil
	}
	switch value := params.GetMeta()[protocol.MetaProtocolVersion].(type) {
	case nil:
		return "", false, nil
	case string:
		return value, true, nil
	default:
		return "", true, &jsonrpc.Error{
			Code:    protocol.CodeInvalidParams,
			Message: "invalid _meta field " + protocol.MetaProtocolVersion,
		}
	}
}
