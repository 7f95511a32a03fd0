package gosdk

import (
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// Capabilities returns what the client of req can do: on a modern peer what this
// very request says (rules 20 and 22), on an older one what initialize said. It
// is never nil, and empty if nothing was said.
func Capabilities(req mcp.Request) *mcp.ClientCapabilities {
	if modern(req) {
		if _, ok := meta(req)[protocol.MetaClientCapabilities]; !ok {
			// The SDK would fall back to an earlier request's.
			return new(mcp.ClientCapabilities)
		}
	}
	if r, ok := req.(interface {
		ClientCapabilities() *mcp.ClientCapabilities
	}); ok {
		if c := r.ClientCapabilities(); c != nil {
			return c
		}
	}
	return new(mcp.ClientCapabilities)
}

// modern reports whether req itself says that it follows the modern revision.
func modern(req mcp.Request) bool {
	v, _ := meta(req)[protocol.MetaProtocolVersion].(string)
	return v == protocol.Revision20260728
}

// meta returns the _meta of req, nil if it has none.
func meta(req mcp.Request) map[string]any {
	switch p := req.GetParams().(type) {
	case *mcp.CallToolParamsRaw:
		if p != nil {
			return p.Meta
		}
	case *mcp.GetPromptParams:
		if p != nil {
			return p.Meta
		}
	case *mcp.ReadResourceParams:
		if p != nil {
			return p.Meta
		}
	}
	return nil
}
