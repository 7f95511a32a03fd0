package state

import (
	"bytes"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"time"
)

// MinSecret is the least length of a [Key]'s secret in bytes.
const MinSecret = 32

// A Key is an operator's secret and the time in which it is used.
type Key struct {
	// Secret holds at least [MinSecret] random bytes.
	Secret []byte
	// NotBefore is when the key begins to seal. It opens tokens at any time
	// before, so that all instances can open what the first of them seals. Zero
	// means always.
	NotBefore time.Time
	// NotAfter is when the key stops both to seal and to open, that instant
	// included. Zero means never.
	NotAfter time.Time
	// Revoked keys neither seal nor open. Tokens under them are told apart
	// from those under unknown keys in the log.
	Revoked bool
}

// A Ring is a set of keys. It opens tokens with any of them and seals with the
// active one whose NotBefore is latest; among equals, the first. It does not
// change and is safe for concurrent use.
//
// To rotate: add the new key, wait until every instance has it, let it seal
// (by NotBefore, or by putting it first), and drop the old key once
// [Limits.TokenTTL] and [Limits.FutureSkew] have passed.
type Ring struct {
	// Pointers, because package fmt follows only one when it prints unexported
	// fields, with a verb that does not fit: it must not come as far as the keys.
	keys      []*ringKey
	ephemeral bool
}

type ringKey struct {
	id                  [4]byte // kid, the key's public name in tokens
	seal                *xaes
	bind                []byte // key of the principal's tag
	notBefore, notAfter time.Time
	revoked             bool
}

// NewRing returns a ring of the given keys. It copies what it needs of the
// secrets. There must be at least one key; a short secret, a NotAfter that is not
// later than NotBefore, and two keys with one identifier are errors.
func NewRing(keys ...Key) (*Ring, error) {
	if len(keys) == 0 {
		return nil, ErrNoKey
	}
	r := &Ring{keys: make([]*ringKey, 0, len(keys))}
	for i, k := range keys {
		rk, err := newRingKey(k)
		if err != nil {
			return nil, fmt.Errorf("mrtr: key %d of the ring: %w", i+1, err)
		}
		if j := slices.IndexFunc(r.keys, func(o *ringKey) bool { return o.id == rk.id }); j >= 0 {
			return nil, fmt.Errorf("mrtr: keys %d and %d of the ring have the same identifier: leave one out", j+1, i+1)
		}
		r.keys = append(r.keys, rk)
	}
	return r, nil
}

func newRingKey(k Key) (*ringKey, error) {
	if len(k.Secret) < MinSecret {
		return nil, fmt.Errorf("the secret has %d bytes, at least %d are needed", len(k.Secret), MinSecret)
	}
	if !k.NotAfter.IsZero() && !k.NotAfter.After(k.NotBefore) {
		return nil, errors.New("NotAfter is not later than NotBefore")
	}
	sealKey, err := purposeKey(k.Secret, "seal")
	if err != nil {
		return nil, err
	}
	bindKey, err := purposeKey(k.Secret, "bind")
	if err != nil {
		return nil, err
	}
	aead, err := newXAES(sealKey)
	if err != nil {
		return nil, err
	}
	id := sha256.Sum256(append([]byte("mrtr-migrate/v1/kid\x00"), sealKey...))
	return &ringKey{
		id:        [4]byte(id[:4]),
		seal:      aead,
		bind:      bindKey,
		notBefore: k.NotBefore,
		notAfter:  k.NotAfter,
		revoked:   k.Revoked,
	}, nil
}

// purposeKey derives the key for one purpose, so that no key is used twice.
func purposeKey(secret []byte, purpose string) ([]byte, error) {
	return hkdf.Key(sha256.New, secret, nil, "mrtr-migrate/v1/"+purpose, keySize)
}

// EphemeralRing returns a ring of one random key that lives as long as this
// process. No other process, and no later one, can open its tokens: it fits one
// process with one client, such as a server on stdio.
func EphemeralRing() (*Ring, error) {
	secret := make([]byte, MinSecret)
	rand.Read(secret) // never fails: it ends the program instead
	r, err := NewRing(Key{Secret: secret})
	if err != nil {
		return nil, err
	}
	r.ephemeral = true
	return r, nil
}

// Ephemeral reports whether the ring came from [EphemeralRing], so that a
// server with more than one instance can refuse to start.
func (r *Ring) Ephemeral() bool { return r.ephemeral }

// NewSecret returns 32 random bytes in unpadded base64url, as [EnvKeys] takes
// them.
func NewSecret() string {
	secret := make([]byte, MinSecret)
	rand.Read(secret) // never fails: it ends the program instead
	return base64.RawURLEncoding.EncodeToString(secret)
}

// sealing returns the key that seals at the given time.
func (r *Ring) sealing(now time.Time) (*ringKey, error) {
	var best *ringKey
	for _, k := range r.keys {
		if k.retired(now) || now.Before(k.notBefore) {
			continue
		}
		if best == nil || k.notBefore.After(best.notBefore) {
			best = k
		}
	}
	if best == nil {
		return nil, ErrNoActiveKey
	}
	return best, nil
}

// opening returns the key of the given identifier if it may open at that time.
func (r *Ring) opening(id []byte, now time.Time) (*ringKey, error) {
	for _, k := range r.keys {
		if !bytes.Equal(k.id[:], id) {
			continue
		}
		if k.retired(now) {
			return nil, invalid(ReasonRetiredKey)
		}
		return k, nil
	}
	return nil, invalid(ReasonUnknownKey)
}

func (k *ringKey) retired(now time.Time) bool {
	return k.revoked || !k.notAfter.IsZero() && !now.Before(k.notAfter)
}
