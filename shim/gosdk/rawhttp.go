package gosdk

import (
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mrtr-migrate/mrtr-migrate/internal/rawrpc"
)

// FilterHTTP returns a handler that passes the params of every request in the
// body of a POST through FilterParams before next reads it, for endpoints that
// serve only revision 2026-07-28. (legacyadapter.NewStreamableHTTPHandler,
// which serves older peers too, filters by itself.)
//
// A body of more than maxBytes bytes is answered with status 413; zero means
// [mcp.DefaultMaxRequestBodyBytes], a negative value no limit, as in
// [mcp.StreamableHTTPOptions]. A body that is not JSON-RPC, and a request that
// FilterParams refuses, is answered with status 400 and a JSON-RPC error.
func FilterHTTP(next http.Handler, maxBytes int64) http.Handler {
	if maxBytes == 0 {
		maxBytes = mcp.DefaultMaxRequestBodyBytes
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			next.ServeHTTP(w, r)
			return
		}
		body, ok := rawrpc.ReadBody(w, r, maxBytes)
		if !ok {
			return
		}
		messages, batch, err := rawrpc.Parse(body)
		if err != nil {
			rawrpc.Refuse(w, http.StatusBadRequest, nil, rawrpc.Malformed(err))
			return
		}
		for _, m := range messages {
			if !m.IsRequest() || m.Params == nil {
				continue
			}
			params, refusal := FilterParams(m.Method, m.Params)
			if refusal != nil {
				rawrpc.Refuse(w, http.StatusBadRequest, m.ID, (*rawrpc.Error)(refusal))
				return
			}
			m.SetParams(params)
		}
		next.ServeHTTP(w, rawrpc.WithBody(r, r.Header, rawrpc.Encode(messages, batch)))
	})
}
