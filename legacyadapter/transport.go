package legacyadapter

import (
	"github.com/modelcontextprotocol/go-sdk/mcp"

	mrtr "github.com/mrtr-migrate/mrtr-migrate/shim/gosdk"
)

// Transport wraps the transport that a server is run on, or connected to, over
// standard input and output, pipes or memory. The retry fields of each request
// are taken out of the way of the SDK's decoder; see [mrtr.FilterTransport] for
// what that keeps and what it costs. Requests of both eras pass over one
// connection.
//
// Streamable HTTP needs no such wrapper: [NewStreamableHTTPHandler] does the
// same with each request's body.
func Transport(t mcp.Transport) mcp.Transport { return mrtr.FilterTransport(t) }
