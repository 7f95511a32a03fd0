package gosdk

import (
	"encoding/json"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mrtr-migrate/mrtr-migrate/shim/internal/binding"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// DeclaredVersion returns the revision that the _meta of a request's params
// names, and whether it names one; a value that is not a string is returned as
// "". A request is one of revision 2026-07-28 exactly when its own params say
// so; what an earlier request on the same connection said has no part in it
// (rule 22). Of params that FilterParams refuses it says nothing of use.
func DeclaredVersion(params json.RawMessage) (version string, ok bool) {
	return binding.DeclaredVersion(params)
}

// UnsupportedVersion returns the error that answers a request of a revision
// that is not served (rule 29). The refused revision is never among those that
// it lists.
func UnsupportedVersion(requested string) *jsonrpc.Error {
	data, err := json.Marshal(mcp.UnsupportedProtocolVersionData{
		Supported: slices.DeleteFunc(mcp.SupportedProtocolVersions(), func(v string) bool { return v == requested }),
		Requested: requested,
	})
	if err != nil {
		data = nil // strings can always be encoded
	}
	return &jsonrpc.Error{
		Code:    protocol.CodeUnsupportedProtocolVersion,
		Message: "unsupported protocol version",
		Data:    data,
	}
}
