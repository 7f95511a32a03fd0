package canon

import (
	"errors"
	"fmt"
)

// Kinds of refusal. Test for one with [errors.Is].
var (
	ErrSyntax    = errors.New("not valid JSON")
	ErrUTF8      = errors.New("invalid UTF-8")
	ErrSurrogate = errors.New("lone surrogate")
	ErrDuplicate = errors.New("duplicate member name")
	ErrNumber    = errors.New("number beyond the limits of exact decimals")
	ErrDepth     = errors.New("nested too deeply")
	ErrSize      = errors.New("too large")
)

// An Error tells why a text has no canonical form. It holds nothing of the
// text itself.
type Error struct {
	// Kind is one of the Err variables of this package.
	Kind error
	// Offset is the position in bytes at which the text was given up.
	Offset int
}

func (e *Error) Error() string {
	return fmt.Sprintf("canonical JSON: %v at byte %d", e.Kind, e.Offset)
}

// Unwrap returns the kind, so that errors.Is(err, ErrDuplicate) works.
func (e *Error) Unwrap() error { return e.Kind }
