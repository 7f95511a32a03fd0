package state

import (
	"errors"

	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// ErrInvalid is what every [*InvalidError] is, for [errors.Is].
var ErrInvalid = errors.New("mrtr: invalid or expired requestState")

// Errors of sealing and of building a ring.
var (
	// ErrNoKey means that [EnvKeys] is not set.
	ErrNoKey = errors.New("mrtr: no key for requestState: set " + EnvKeys + " to the output of `mrtr-migrate keys new`")
	// ErrNoActiveKey means that no key of the ring may seal at this time: each
	// is revoked, out of date or not yet active.
	ErrNoActiveKey = errors.New("mrtr: no key of the ring is active")
	// ErrKey means that a key of the journal is empty or has a character
	// outside a-z, A-Z, 0-9, '_', '.' and '-'.
	ErrKey = errors.New("mrtr: a key must be made of a-z, A-Z, 0-9, '_', '.' and '-', and not be empty")
	// ErrClaims means that claims contradict themselves or hold a value that
	// is no JSON: a fault of the program that seals.
	ErrClaims = errors.New("mrtr: claims cannot be sealed")
	// ErrDeadline means that the operation has used up [Limits.Operation].
	ErrDeadline = errors.New("mrtr: the deadline of the operation has passed")
)

// A Reason tells why a requestState was refused. It is for logs and metrics,
// and never for the peer: what one reason tells an honest peer, it tells an
// attacker too.
type Reason string

// Reasons in the order in which they are checked, cheap ones first.
const (
	ReasonLength         Reason = "length"         // longer than Limits.Inbound
	ReasonPrefix         Reason = "prefix"         // not one of our tokens
	ReasonEncoding       Reason = "encoding"       // not the base64url that we write
	ReasonVersion        Reason = "version"        // another version or suite
	ReasonUnknownKey     Reason = "unknown_key"    // sealed with a key that the ring lacks
	ReasonRetiredKey     Reason = "retired_key"    // sealed with a revoked or outdated key
	ReasonAuthentication Reason = "authentication" // changed, or of another audience or realm
	ReasonLayout         Reason = "layout"         // authentic, but not of this version's layout
	ReasonFuture         Reason = "future"         // issued later than now, beyond the skew
	ReasonExpired        Reason = "expired"
	ReasonDeadline       Reason = "deadline"
	ReasonRound          Reason = "round"     // a round beyond the limit
	ReasonHandler        Reason = "handler"   // effects recorded by another version of the handler
	ReasonRequest        Reason = "request"   // another method, target or arguments
	ReasonPrincipal      Reason = "principal" // another principal, or bound against unbound
)

// An InvalidError reports a requestState that is not accepted. Its text is the
// same for every reason, and it is what the peer is told.
type InvalidError struct {
	Reason Reason
}

func (e *InvalidError) Error() string { return protocol.InvalidStateMessage }

// Is makes every InvalidError an [ErrInvalid].
func (e *InvalidError) Is(target error) bool { return target == ErrInvalid }

func invalid(r Reason) error { return &InvalidError{Reason: r} }
