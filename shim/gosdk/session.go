package gosdk

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/mrtr-migrate/mrtr-migrate/shim"
)

type sessionKey struct{}

// withSession returns a context that knows the session of req.
func withSession(ctx context.Context, req mcp.Request) context.Context {
	return context.WithValue(ctx, sessionKey{}, req.GetSession())
}

// continuation returns the continuation of the request that ctx belongs to, nil
// if there is none or if s is the session of somebody else. A question to, say, an
// administrator's session must not be put to the peer whose request it is about:
// it goes the way of that session, which refuses it where it must.
func continuation(ctx context.Context, s any) *shim.Continuation {
	asked, ok := s.(*mcp.ServerSession)
	own, known := ctx.Value(sessionKey{}).(*mcp.ServerSession)
	if ok && known && asked != nil && asked != own {
		return nil
	}
	return shim.FromContext(ctx)
}
