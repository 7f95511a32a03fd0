package state

import (
	"crypto/subtle"
	"slices"
	"strings"
	"time"
)

// Expect is what the request that brings a token says of itself. A token that
// was made for anything else is refused.
type Expect struct {
	// Request is the digest of the request, see [Sealer.RequestDigest].
	Request [32]byte
	// Principal is the canonical name of the authenticated caller, empty if the
	// transport authenticates nobody.
	Principal string
	// Handler is the fingerprint of the handler that would go on. Another one
	// matters only if effects are recorded: answers are protected by the digest of
	// their question.
	Handler [16]byte
	// Compatible are further fingerprints whose recorded effects the handler
	// is declared to understand.
	Compatible [][16]byte
	// MaxRounds bounds the round; 0 means Limits.Rounds.
	MaxRounds uint16
}

// Open verifies a token and returns its claims. Every failure is an
// [*InvalidError], whose text is always the same.
//
// Cheap checks come first: length, prefix, encoding, version, key,
// authentication, times, round, handler, request, principal. Nothing in the token
// is believed before it is authenticated.
func (s *Sealer) Open(token string, want Expect) (*Claims, error) {
	if len(token) > s.limits.Inbound {
		return nil, invalid(ReasonLength)
	}
	text, ok := strings.CutPrefix(token, prefix)
	if !ok {
		return nil, invalid(ReasonPrefix)
	}
	raw, err := decodeStrict(text)
	if err != nil {
		return nil, invalid(ReasonEncoding)
	}
	if len(raw) < headerSize+cipherMinimum || raw[0] != version || raw[1] != suite {
		return nil, invalid(ReasonVersion)
	}
	now := s.now()
	header, sealed := raw[:headerSize], raw[headerSize:]
	key, err := s.ring.opening(header[2:], now)
	if err != nil {
		return nil, err
	}
	plaintext, err := key.seal.open(sealed, s.additional(header))
	if err != nil {
		return nil, invalid(ReasonAuthentication)
	}
	c, tag, err := decode(plaintext)
	if err != nil {
		return nil, invalid(ReasonLayout)
	}
	if err := s.verify(c, tag, key, want, now); err != nil {
		return nil, err
	}
	return c, nil
}

// verify checks authentic claims against the clock and the request.
func (s *Sealer) verify(c *Claims, tag [16]byte, key *ringKey, want Expect, now time.Time) error {
	rounds := int(want.MaxRounds)
	if rounds == 0 {
		rounds = s.limits.Rounds
	}
	wantTag := key.tag(want.Principal)
	switch {
	case c.IssuedAt.After(now.Add(s.limits.FutureSkew)):
		return invalid(ReasonFuture)
	case !now.Before(c.Deadline): // first, since no token outlives its deadline
		return invalid(ReasonDeadline)
	case !now.Before(c.ExpiresAt):
		return invalid(ReasonExpired)
	case int(c.Round) > rounds:
		return invalid(ReasonRound)
	case c.EffectsRecorded && c.Handler != want.Handler && !slices.Contains(want.Compatible, c.Handler):
		return invalid(ReasonHandler)
	case subtle.ConstantTimeCompare(c.Request[:], want.Request[:]) != 1:
		return invalid(ReasonRequest)
	case c.PrincipalBound != (want.Principal != "") || subtle.ConstantTimeCompare(tag[:], wantTag[:]) != 1:
		return invalid(ReasonPrincipal)
	}
	return nil
}
