// Package protocol holds what the Model Context Protocol fixes: revisions,
// method names, metadata keys, result types and error codes. It is the one
// home of these values; it imports nothing, so that every other package of
// this module, the linter included, can.
package protocol

// Revisions of the protocol, as they appear on the wire.
const (
	// Revision20260728 is the first revision with multi round-trip requests
	// and without requests from the server to the client.
	Revision20260728 = "2026-07-28"
	// Revision20251125 is the newest revision that is negotiated by
	// initialize and in which a server may call its client.
	Revision20251125 = "2025-11-25"
	Revision20250618 = "2025-06-18"
	Revision20250326 = "2025-03-26"
	Revision20241105 = "2024-11-05"
)

// LegacyRevisions lists the revisions that are negotiated by initialize,
// newest first.
func LegacyRevisions() []string {
	return []string{Revision20251125, Revision20250618, Revision20250326, Revision20241105}
}

// IsLegacy reports whether rev is a released revision that is negotiated by
// initialize. An unknown or malformed revision is not legacy.
func IsLegacy(rev string) bool {
	switch rev {
	case Revision20251125, Revision20250618, Revision20250326, Revision20241105:
		return true
	}
	return false
}

// Requests that a client sends and that may end in an InputRequiredResult
// (rule 2 of the revision: these three and no other).
const (
	MethodCallTool     = "tools/call"
	MethodGetPrompt    = "prompts/get"
	MethodReadResource = "resources/read"
)

// Multiround reports whether a request of this method may end in an
// InputRequiredResult.
func Multiround(method string) bool {
	return method == MethodCallTool || method == MethodGetPrompt || method == MethodReadResource
}

// Requests that a server makes of its client: JSON-RPC requests up to
// 2025-11-25, entries of inputRequests from 2026-07-28 on.
const (
	MethodElicit        = "elicitation/create"
	MethodCreateMessage = "sampling/createMessage"
	MethodListRoots     = "roots/list"
)

// Other methods that the version gate looks at.
const (
	MethodInitialize = "initialize"
	MethodDiscover   = "server/discover"
)

// Values of resultType (rule 19).
const (
	ResultComplete      = "complete"
	ResultInputRequired = "input_required"
)

// Actions of an elicitation answer.
const (
	ActionAccept  = "accept"
	ActionDecline = "decline"
	ActionCancel  = "cancel"
)

// Modes of an elicitation. A missing mode means form (rule 49).
const (
	ModeForm = "form"
	ModeURL  = "url"
)

// Keys of a request's _meta (rule 20).
const (
	MetaProtocolVersion    = "io.modelcontextprotocol/protocolVersion"
	MetaClientInfo         = "io.modelcontextprotocol/clientInfo"
	MetaClientCapabilities = "io.modelcontextprotocol/clientCapabilities"
	MetaServerInfo         = "io.modelcontextprotocol/serverInfo"
)

// JSON-RPC error codes. A server must not invent others between -32020 and
// -32099 (rule 25).
const (
	CodeInvalidRequest             = -32600
	CodeMethodNotFound             = -32601
	CodeInvalidParams              = -32602
	CodeInternal                   = -32603
	CodeHeaderMismatch             = -32020
	CodeMissingClientCapability    = -32021
	CodeUnsupportedProtocolVersion = -32022
)

// The one answer to a requestState that is not accepted, whatever the reason:
// code -32602, this message, and data.reason set to ReasonInvalidState.
const (
	InvalidStateMessage = "Invalid or expired requestState"
	ReasonInvalidState  = "invalid_request_state"
)
