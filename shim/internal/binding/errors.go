package binding

import (
	"encoding/json"
	"errors"

	"github.com/mrtr-migrate/mrtr-migrate/internal/rawrpc"
	"github.com/mrtr-migrate/mrtr-migrate/shim"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
	"github.com/mrtr-migrate/mrtr-migrate/shim/state"
)

// InvalidParams returns the error for params that are refused; what says why and
// does not quote them.
func InvalidParams(what string) *rawrpc.Error {
	return &rawrpc.Error{Code: protocol.CodeInvalidParams, Message: "invalid params: " + what}
}

// InvalidState returns the one answer to a requestState that is not accepted.
func InvalidState() *rawrpc.Error {
	return &rawrpc.Error{
		Code:    protocol.CodeInvalidParams,
		Message: protocol.InvalidStateMessage,
		Data:    json.RawMessage(`{"reason":"` + protocol.ReasonInvalidState + `"}`),
	}
}

// Internal returns the error for what is nobody's business but the log's.
func Internal() *rawrpc.Error {
	return &rawrpc.Error{Code: protocol.CodeInternal, Message: "internal error"}
}

// OpenError returns the error for a request that [shim.Runtime.Open] refused: one
// answer for every bad state, and one for malformed responses.
func OpenError(err error) *rawrpc.Error {
	if errors.Is(err, state.ErrInvalid) {
		return InvalidState()
	}
	var malformed *shim.RequestError
	if errors.As(err, &malformed) {
		return &rawrpc.Error{Code: protocol.CodeInvalidParams, Message: "inputResponses is malformed"}
	}
	return Internal()
}

// RefusalReason returns the reason of a refusal for the log, which the peer is
// not told.
func RefusalReason(err error) string {
	var invalid *state.InvalidError
	if errors.As(err, &invalid) {
		return string(invalid.Reason)
	}
	return "malformed inputResponses"
}

// CapabilityError returns the error for a handler that failed because the client
// cannot be asked (rule 21), nil if it failed for another reason.
func CapabilityError(err error) *rawrpc.Error {
	var missing *shim.CapabilityError
	if !errors.As(err, &missing) {
		return nil
	}
	return &rawrpc.Error{
		Code:    protocol.CodeMissingClientCapability,
		Message: missing.Text,
		Data:    Marshal(map[string]json.RawMessage{"requiredCapabilities": missing.Required}),
	}
}

// FaultError returns the error for a fault. It tells the code and its title; what
// it is about is in the log.
func FaultError(err error) *rawrpc.Error {
	var fault *shim.Fault
	if !errors.As(err, &fault) {
		return Internal()
	}
	d := fault.Diagnostic()
	code := int64(protocol.CodeInternal)
	if d.Peer {
		code = protocol.CodeInvalidParams
	}
	return &rawrpc.Error{
		Code:    code,
		Message: string(d.Code) + ": " + d.Title,
		Data:    Marshal(map[string]string{"code": string(d.Code)}),
	}
}

// NotPending returns the fault of a continuation, or the fault of asking for a
// result without a question, or nil if a question is pending.
func NotPending(c *shim.Continuation) error {
	if c == nil {
		return &shim.Fault{Code: shim.CodeNothingPending}
	}
	if err := c.Err(); err != nil {
		return err
	}
	if !c.Pending() {
		return &shim.Fault{Code: shim.CodeNothingPending}
	}
	return nil
}
