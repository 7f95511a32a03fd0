package shim

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"reflect"

	"github.com/mrtr-migrate/mrtr-migrate/internal/canon"
	"github.com/mrtr-migrate/mrtr-migrate/shim/state"
)

// Key returns a key for a question or an effect that is reached more than once:
// name, and a digest of what tells one time from another, such as the element of
// a loop. Identities are the same if their JSON is. An identity that JSON cannot
// carry gives a key that every use refuses ([CodeKey]).
func Key(name string, identity ...any) string {
	if len(identity) == 0 {
		return name
	}
	parts := make([]json.RawMessage, len(identity))
	for i, v := range identity {
		var err error
		if parts[i], err = Plain(v); err != nil {
			return name + ".!" // not a key: there is no context to report to here
		}
	}
	raw, err := json.Marshal(parts)
	if err != nil {
		return name + ".!"
	}
	form, err := canon.Canonical(raw)
	if err != nil {
		return name + ".!"
	}
	return name + "." + short("key", form)
}

var (
	errHidden = errors.New("JSON shows nothing of the value")
	errText   = errors.New("the value holds text that is not UTF-8")
)

// Plain returns the JSON of v, by which it is told from other values: an identity
// of a key, a fact, a result. It is an error if JSON cannot carry v, or would show
// two values as one: an object without exported fields, or text that is not UTF-8,
// as names of files may be.
func Plain(v any) (json.RawMessage, error) {
	b, err := json.Marshal(v)
	switch {
	case err != nil:
		return nil, errors.New("the value cannot be written as JSON")
	case hidden(v, b):
		return nil, errHidden
	case replaced(b):
		return nil, errText
	}
	return b, nil
}

// replaced reports whether encoding/json wrote an escaped replacement character,
// which it does for invalid text and for nothing else: a real one is written as
// it is.
func replaced(b []byte) bool {
	for i := 0; i+1 < len(b); i++ {
		if b[i] != '\\' {
			continue
		}
		if bytes.HasPrefix(b[i:], []byte(`\ufffd`)) {
			return true
		}
		i++ // the escaped character, which may be a backslash
	}
	return false
}

// hidden reports whether JSON shows nothing of v although v holds something: two
// such values would have one identity.
func hidden(v any, b []byte) bool {
	t := reflect.TypeOf(v)
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return string(b) == "{}" && t.Kind() == reflect.Struct && t.NumField() > 0
}

// short returns 22 characters that stand for b: 128 bits, so that nobody who
// chooses the elements of a list can make two of them meet.
func short(domain string, b []byte) string {
	sum := sha256.Sum256(append([]byte("mrtr-migrate/v1/"+domain+"\x00"), b...))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

type placeKey struct{}

// A place is where in the calls below a handler a context is used.
type place struct {
	path string // the beginning of keys
	// id tells places apart whose paths read the same, because names may hold
	// the dot that joins them. Zero in the handler itself.
	id [16]byte
}

// At returns a context under which keys begin with [Key](name, identity...). It
// is used at the call of a helper that asks and is called more than once below one
// handler. Nested calls add up.
func At(ctx context.Context, name string, identity ...any) context.Context {
	at, key := placeOf(ctx), Key(name, identity...)
	// Bounded, so that a deep recursion does not make keys without end.
	at.path = bound(join(at.path, key), maxPath)
	h := sha256.New()
	h.Write([]byte("mrtr-migrate/v1/place\x00"))
	h.Write(at.id[:])
	h.Write([]byte(key))
	copy(at.id[:], h.Sum(nil))
	return context.WithValue(ctx, placeKey{}, at)
}

func placeOf(ctx context.Context) place {
	at, _ := ctx.Value(placeKey{}).(place)
	return at
}

const maxPath = 200

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// bound returns key if it is at most max bytes long, and otherwise its beginning
// with a digest of the whole. What is no key stays none: a digest must not hide
// that an identity is missing.
func bound(key string, max int) string {
	const digest = 22
	if len(key) <= max || max < digest+2 || errors.Is(Limits{}.CheckKey(key), state.ErrKey) {
		return key
	}
	return key[:max-digest-1] + "." + short("long", []byte(key))
}
