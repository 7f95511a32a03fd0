package legacyadapter

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mrtr-migrate/mrtr-migrate/internal/rawrpc"
	mrtr "github.com/mrtr-migrate/mrtr-migrate/shim/gosdk"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// DefaultSessionTimeout is how long a session of an older peer lives without a
// request when the options of [NewStreamableHTTPHandler] say nothing. It is
// long, because such sessions used to live for ever and a client is not always
// prepared to begin a new one.
const DefaultSessionTimeout = 24 * time.Hour

const (
	headerVersion = "Mcp-Protocol-Version"
	headerSession = "Mcp-Session-Id"
	headerName    = "Mcp-Name"
	headerEventID = "Last-Event-Id"
)

// NewStreamableHTTPHandler returns a handler that serves peers of both eras on
// one endpoint. It takes the place of [mcp.NewStreamableHTTPHandler], two of
// which it stands in front of: one that keeps no session serves requests of
// revision 2026-07-28, one that keeps sessions serves older peers. The servers
// of getServer must have been through [Install].
//
// A POST is routed by the revision that its body's _meta names. The header
// MCP-Protocol-Version must name the same one, or the request is refused with
// status 400 and error -32020 (rules 37 and 38); where the body names none, the
// header decides. A revision that no handler serves is answered with -32022
// and the ones that are served. GET and DELETE belong to the sessions of older
// peers: without the header Mcp-Session-Id, or with a modern version header,
// they are answered with status 405 (rule 34).
//
// Bodies are read here, bounded by MaxRequestBodyBytes. Their retry fields are
// taken out of the SDK decoder's way as [mrtr.FilterParams] says. One that is
// not JSON-RPC, or in which a key that decides how it is treated stands twice,
// gets status 400 and a JSON-RPC error. Batches are for older peers.
//
// What the fields of opts mean for both; nil is the zero value:
//
//   - Stateless false: older peers have sessions, as before. True: they have
//     none, as before, and cannot be asked anything.
//   - JSONResponse, Logger, DisableLocalhostProtection, CrossOriginProtection,
//     MaxRequestBodyBytes: the same for both.
//   - EventStore: for older peers only; there is no resumption since 2026-07-28.
//   - SessionTimeout: for older peers only. Zero means [DefaultSessionTimeout];
//     a negative value means that sessions do not expire.
//   - PropagateRequestCancellation: taken as true. A modern client that closes
//     its response's stream cancels the request (rule 40); on older peers a
//     broken stream cancels nothing, whatever the option says.
func NewStreamableHTTPHandler(getServer func(*http.Request) *mcp.Server, opts *mcp.StreamableHTTPOptions) http.Handler {
	modern, older := optionsOf(opts)
	return &endpoint{
		modern:   mcp.NewStreamableHTTPHandler(getServer, &modern),
		older:    mcp.NewStreamableHTTPHandler(getServer, &older),
		maxBytes: modern.MaxRequestBodyBytes,
	}
}

// optionsOf returns the options of the handlers for modern and for older peers.
func optionsOf(opts *mcp.StreamableHTTPOptions) (modern, older mcp.StreamableHTTPOptions) {
	if opts != nil {
		older = *opts
	}
	if older.MaxRequestBodyBytes == 0 {
		older.MaxRequestBodyBytes = mcp.DefaultMaxRequestBodyBytes
	}
	modern = older
	modern.Stateless = true
	modern.PropagateRequestCancellation = true
	modern.EventStore = nil
	if older.SessionTimeout == 0 {
		older.SessionTimeout = DefaultSessionTimeout
	}
	return modern, older
}

// An endpoint is one URL with a handler for each era behind it.
type endpoint struct {
	modern, older http.Handler
	maxBytes      int64
}

// ServeHTTP implements [http.Handler].
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodPost:
		e.servePost(w, r)
	case http.MethodGet, http.MethodDelete:
		if r.Header.Get(headerSession) == "" || r.Header.Get(headerVersion) >= protocol.Revision20260728 {
			e.modern.ServeHTTP(w, r) // which has only POST, and says so
			return
		}
		e.older.ServeHTTP(w, r)
	default:
		e.older.ServeHTTP(w, r) // which names the methods of both
	}
}

func (e *endpoint) servePost(w http.ResponseWriter, r *http.Request) {
	body, ok := rawrpc.ReadBody(w, r, e.maxBytes)
	if !ok {
		return
	}
	messages, batch, err := rawrpc.Parse(body)
	if err != nil {
		rawrpc.Refuse(w, http.StatusBadRequest, nil, rawrpc.Malformed(err))
		return
	}
	modern, culprit, refusal := eraOf(messages, batch, r.Header)
	if refusal == nil {
		culprit, refusal = filter(messages)
	}
	if refusal != nil {
		var id json.RawMessage
		if culprit != nil {
			id = culprit.ID
		}
		rawrpc.Refuse(w, http.StatusBadRequest, id, refusal)
		return
	}
	header := r.Header.Clone()
	body = rawrpc.Encode(messages, batch)
	if modern {
		header.Del(headerEventID) // rule 34; the session header the SDK ignores
		decodeName(header)
		e.modern.ServeHTTP(w, rawrpc.WithBody(r, header, body))
		return
	}
	if messages[0].Method == protocol.MethodInitialize {
		// No revision is agreed on yet; some clients name the one that they
		// ask for, which the SDK would take for a modern request.
		header.Del(headerVersion)
	}
	e.older.ServeHTTP(w, rawrpc.WithBody(r, header, body))
}

// filter passes the params of each request through the raw filter.
func filter(messages []*rawrpc.Message) (*rawrpc.Message, *rawrpc.Error) {
	for _, m := range messages {
		if !m.IsRequest() || m.Params == nil {
			continue
		}
		params, refusal := mrtr.FilterParams(m.Method, m.Params)
		if refusal != nil {
			return m, (*rawrpc.Error)(refusal)
		}
		m.SetParams(params)
	}
	return nil, nil
}

// eraOf reports whether the messages of a body are those of a modern peer. It
// returns an error, and the message that it is about, for those of no peer.
func eraOf(messages []*rawrpc.Message, batch bool, header http.Header) (modern bool, about *rawrpc.Message, refusal *rawrpc.Error) {
	versions := header.Values(headerVersion)
	for _, m := range messages {
		version, declared := mrtr.DeclaredVersion(m.Params)
		switch {
		case !declared:
			continue
		case batch:
			refusal = &rawrpc.Error{Code: protocol.CodeInvalidRequest, Message: "a batch cannot hold requests that name their protocol version"}
		case version == "":
			refusal = &rawrpc.Error{Code: protocol.CodeInvalidParams, Message: "invalid _meta field " + protocol.MetaProtocolVersion}
		case len(versions) != 1 || versions[0] != version:
			refusal = &rawrpc.Error{Code: protocol.CodeHeaderMismatch, Message: "the MCP-Protocol-Version header does not name the protocol version of the body's _meta"}
		case version != protocol.Revision20260728:
			// An older revision is agreed on by initialize, not request by
			// request.
			refusal = (*rawrpc.Error)(mrtr.UnsupportedVersion(version))
		}
		return true, m, refusal
	}
	if messages[0].Method == protocol.MethodInitialize {
		return false, nil, nil
	}
	return len(versions) > 0 && versions[0] >= protocol.Revision20260728, nil, nil
}

// decodeName decodes the Mcp-Name header where it came in the form for names
// that a header cannot hold (rule 38), which the SDK compares as it stands. A
// value that only looks like that form is left for the SDK to refuse.
func decodeName(header http.Header) {
	const prefix, suffix = "=?base64?", "?="
	encoded, ok := strings.CutPrefix(header.Get(headerName), prefix)
	if !ok {
		return
	}
	if encoded, ok = strings.CutSuffix(encoded, suffix); !ok {
		return
	}
	if name, err := base64.StdEncoding.DecodeString(encoded); err == nil {
		header[headerName] = slices.Concat([]string{string(name)}, header.Values(headerName)[1:])
	}
}
