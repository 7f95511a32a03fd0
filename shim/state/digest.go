package state

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/mrtr-migrate/mrtr-migrate/internal/canon"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// RequestDigest is [Sealer.RequestDigest] under the default limits.
func RequestDigest(method, target string, arguments json.RawMessage) ([32]byte, error) {
	var l Limits
	return requestDigest(method, target, arguments, l.WithDefaults())
}

// RequestDigest returns the digest that ties a token to the request it was made
// for: its method, its target (the name of a tool or a prompt, the URI of a
// resource) and its raw arguments, as they came over the wire and before any
// default is filled in.
//
// The arguments count by value, see package canon: neither spacing nor the order of
// members nor the spelling of a number matters. Absent, null and empty arguments
// are the same. A resource has no arguments.
//
// An error means that the request cannot have a state: a method that is not
// one of the three with multiple rounds, or arguments without a canonical form (an
// error of package canon). Refuse such a request.
func (s *Sealer) RequestDigest(method, target string, arguments json.RawMessage) ([32]byte, error) {
	return requestDigest(method, target, arguments, s.limits)
}

func requestDigest(method, target string, arguments json.RawMessage, l Limits) ([32]byte, error) {
	if !protocol.Multiround(method) {
		return [32]byte{}, fmt.Errorf("mrtr: %q has no requestState", method)
	}
	form := []byte("{}")
	if len(bytes.Trim(arguments, " \t\r\n")) > 0 {
		var err error
		if form, err = canon.Within(arguments, l.Depth, l.Arguments); err != nil {
			return [32]byte{}, fmt.Errorf("mrtr: arguments: %w", err)
		}
		if string(form) == "null" {
			form = []byte("{}")
		}
	}
	if method == protocol.MethodReadResource && string(form) != "{}" {
		return [32]byte{}, fmt.Errorf("mrtr: %s has no arguments", method)
	}
	b := []byte("mrtr-migrate/v1/request\x00")
	b = appendPrefixed(b, []byte(method))
	b = appendPrefixed(b, []byte(target))
	b = appendPrefixed(b, form)
	return sha256.Sum256(b), nil
}

// HandlerFingerprint returns the fingerprint of a handler: its id and the
// versions that its author declares, such as of the questions it asks. A token that
// records effects is refused by a handler with another fingerprint.
func HandlerFingerprint(id string, versions map[string]string) [16]byte {
	b := []byte("handler\x00")
	b = appendPrefixed(b, []byte(id))
	for _, name := range slices.Sorted(maps.Keys(versions)) {
		b = appendPrefixed(b, []byte(name))
		b = appendPrefixed(b, []byte(versions[name]))
	}
	sum := sha256.Sum256(b)
	return [16]byte(sum[:16])
}

// appendPrefixed appends field after its length, so that no two lists of fields
// give the same bytes.
func appendPrefixed(b, field []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(field)))
	return append(b, field...)
}
