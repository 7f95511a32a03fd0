package state

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"math"
	"time"
)

// Parts of the wire form; doc.go has the table.
const (
	prefix     = "mm1."
	version    = 1
	suite      = 1 // XAES-256-GCM
	headerSize = 6
)

// SealerOptions configure a [Sealer].
type SealerOptions struct {
	// Ring holds the keys. Required.
	Ring *Ring
	// Audience and Realm keep apart servers that share keys, such as two
	// services or two tenants: a token opens only under the values it was sealed
	// with. Each is at most 65535 bytes, and all instances of one server must agree.
	Audience, Realm string
	// Limits bound what is sealed and opened; zero fields mean defaults.
	Limits Limits
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// A Sealer turns claims into tokens and back. It is safe for concurrent use.
type Sealer struct {
	ring    *Ring
	context []byte // the additional data after the header: audience and realm
	limits  Limits
	now     func() time.Time
}

// NewSealer returns a sealer. It is an error if there is no ring, if the limits
// are unusable, or if no key of the ring is active now ([ErrNoActiveKey]).
func NewSealer(o SealerOptions) (*Sealer, error) {
	if o.Ring == nil {
		return nil, ErrNoKey
	}
	if err := o.Limits.Validate(); err != nil {
		return nil, err
	}
	if len(o.Audience) > math.MaxUint16 || len(o.Realm) > math.MaxUint16 {
		return nil, errors.New("mrtr: audience and realm must not exceed 65535 bytes")
	}
	s := &Sealer{ring: o.Ring, limits: o.Limits.WithDefaults(), now: o.Now}
	if s.now == nil {
		s.now = time.Now
	}
	for _, field := range []string{o.Audience, o.Realm} {
		s.context = binary.BigEndian.AppendUint16(s.context, uint16(len(field)))
		s.context = append(s.context, field...)
	}
	if _, err := s.ring.sealing(s.now()); err != nil {
		return nil, err
	}
	return s, nil
}

// Limits returns the limits in force, with no zero fields.
func (s *Sealer) Limits() Limits { return s.limits }

// Seal returns the token for c, bound to principal, the canonical name of the
// authenticated caller. An empty principal makes an unbound token, which no
// authenticated caller can use, and no unauthenticated one can use a bound token.
//
// Seal completes c: it sets Token, IssuedAt, ExpiresAt, PrincipalBound and
// EffectsRecorded, and in the first round Operation and Deadline. If it fails, c is as
// it was. Errors are [*LimitError], [ErrDeadline], [ErrKey], [ErrClaims] and
// [ErrNoActiveKey]; none tells any of the claims.
func (s *Sealer) Seal(c *Claims, principal string) (string, error) {
	now := s.now()
	key, err := s.ring.sealing(now)
	if err != nil {
		return "", err
	}
	if err := c.check(&s.limits); err != nil {
		return "", err
	}
	done, err := s.complete(c, principal, now)
	if err != nil {
		return "", err
	}

	raw := make([]byte, 0, headerSize+cipherMinimum+fixedSize+done.bodySize())
	raw = append(raw, version, suite)
	raw = append(raw, key.id[:]...)
	raw, err = key.seal.seal(raw, encode(&done, key.tag(principal)), s.additional(raw))
	if err != nil {
		return "", err
	}
	token := prefix + base64.RawURLEncoding.EncodeToString(raw)
	if err := s.limits.Check(LimitSealed, len(token)); err != nil {
		return "", err
	}
	*c = done
	return token, nil
}

// complete returns c with the fields that Seal sets.
func (s *Sealer) complete(c *Claims, principal string, now time.Time) (Claims, error) {
	done := *c
	rand.Read(done.Token[:]) // never fails: it ends the program instead
	if done.Operation == [16]byte{} {
		rand.Read(done.Operation[:])
	}
	// Times are whole milliseconds from here on, as the token holds them.
	done.IssuedAt = millis(now)
	latest := done.IssuedAt.Add(s.limits.Operation)
	if done.Deadline.IsZero() || done.Deadline.After(latest) {
		// Later than the latest is possible only where instances differ in
		// their clocks or limits. The deadline may shrink, never grow.
		done.Deadline = latest
	}
	done.Deadline = millis(done.Deadline)
	done.ExpiresAt = millis(done.IssuedAt.Add(s.limits.TokenTTL))
	if done.ExpiresAt.After(done.Deadline) {
		done.ExpiresAt = done.Deadline
	}
	if !now.Before(done.Deadline) {
		return done, ErrDeadline
	}
	done.PrincipalBound = principal != ""
	for _, e := range done.Entries {
		done.EffectsRecorded = done.EffectsRecorded || e.Kind == EntryEffect
	}
	return done, nil
}

// millis drops what the token has no room for.
func millis(t time.Time) time.Time { return time.UnixMilli(t.UnixMilli()).UTC() }

// additional returns the additional data of a token with the given header.
func (s *Sealer) additional(header []byte) []byte {
	aad := make([]byte, 0, len(domain)+len(header)+len(s.context))
	aad = append(aad, domain...)
	aad = append(aad, header...)
	return append(aad, s.context...)
}

const domain = "mrtr-migrate/requestState\x00"

// tag returns what a token says of its principal.
func (k *ringKey) tag(principal string) [16]byte {
	mac := hmac.New(sha256.New, k.bind)
	mac.Write([]byte("principal\x00"))
	mac.Write([]byte(principal))
	return [16]byte(mac.Sum(nil)[:16])
}
