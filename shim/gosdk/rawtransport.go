package gosdk

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// FilterTransport returns a server's transport that passes the params of every
// request through FilterParams before the SDK decodes them, and refuses requests
// whose _meta names a revision that is not served (rule 29). What is refused is
// answered here and never reaches the server.
//
// The SDK looks for three things on a transport or its connection. The session
// id is passed on. [mcp.ProtocolVersionSupporter] is passed on, and a transport
// without it supports every revision, as before. The third is an unexported
// method by which a connection learns the negotiated revision, and which no
// other package can forward: the SDK's connections use it only to refuse
// JSON-RPC batches from revision 2025-06-18 on. For [mcp.StdioTransport] and
// [mcp.IOTransport] the filter refuses them itself, by ending the connection
// as the SDK does; over [mcp.InMemoryTransport] and transports of other
// packages a batch is read, as it is over [mcp.LoggingTransport].
func FilterTransport(t mcp.Transport) mcp.Transport {
	return &filterTransport{inner: t}
}

type filterTransport struct {
	inner mcp.Transport
}

// SupportsProtocolVersion implements [mcp.ProtocolVersionSupporter].
func (t *filterTransport) SupportsProtocolVersion(version string) bool {
	if s, ok := t.inner.(mcp.ProtocolVersionSupporter); ok {
		return s.SupportsProtocolVersion(version)
	}
	return true
}

// Connect implements [mcp.Transport].
func (t *filterTransport) Connect(ctx context.Context) (mcp.Connection, error) {
	c := new(filterConn)
	inner := t.inner
	switch io := inner.(type) {
	case *mcp.StdioTransport:
		inner = &mcp.IOTransport{
			Reader:        &batchGuard{r: os.Stdin, refuse: &c.noBatches},
			Writer:        nopCloser{os.Stdout},
			MaxLineLength: io.MaxLineLength,
		}
	case *mcp.IOTransport:
		guarded := *io
		guarded.Reader = &batchGuard{r: io.Reader, refuse: &c.noBatches}
		inner = &guarded
	}
	var err error
	c.Connection, err = inner.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// nopCloser keeps standard output open when a connection closes, as the SDK's
// own transport does.
type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

type filterConn struct {
	mcp.Connection

	// initializing is the id of the initialize request that was read last.
	initializing atomic.Value // of jsonrpc.ID
	// noBatches is set once a revision without batches is negotiated.
	noBatches atomic.Bool
}

// Read implements [mcp.Connection]. A refusal is written before the next
// message is read, so that a peer that sends nothing else can make no more of
// them than it takes.
func (c *filterConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		msg, err := c.Connection.Read(ctx)
		if err != nil {
			return nil, err
		}
		req, ok := msg.(*jsonrpc.Request)
		if !ok {
			return msg, nil
		}
		if req.Method == protocol.MethodInitialize && req.IsCall() {
			c.initializing.Store(req.ID)
		}
		params, refusal := FilterParams(req.Method, req.Params)
		if version, ok := DeclaredVersion(params); ok && refusal == nil && req.IsCall() && version != "" &&
			version != protocol.Revision20260728 && !protocol.IsLegacy(version) {
			// The SDK looks at it only from 2026-07-28 on, and complains about
			// a missing initialize otherwise.
			refusal = UnsupportedVersion(version)
		}
		if refusal == nil {
			req.Params = params
			return req, nil
		}
		if !req.IsCall() {
			continue // a notification has no response
		}
		if err := c.Connection.Write(ctx, &jsonrpc.Response{ID: req.ID, Error: refusal}); err != nil {
			return nil, err
		}
	}
}

// Write implements [mcp.Connection].
func (c *filterConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	if res, ok := msg.(*jsonrpc.Response); ok && !c.noBatches.Load() && res.ID == c.initializing.Load() {
		var negotiated struct {
			Version string `json:"protocolVersion"`
		}
		// A response that is not an initialize result names no revision.
		if json.Unmarshal(res.Result, &negotiated) == nil && negotiated.Version >= protocol.Revision20250618 {
			c.noBatches.Store(true)
		}
	}
	return c.Connection.Write(ctx, msg)
}
