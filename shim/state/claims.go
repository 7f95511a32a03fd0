package state

import (
	"encoding/json"
	"fmt"
	"time"
)

// Claims are what a requestState says: who may go on with which request until
// when, what was asked, and what has been answered so far.
type Claims struct {
	// Operation identifies all rounds of one operation. Seal draws it in the
	// first round, when it is zero; later rounds carry it on.
	Operation [16]byte
	// Token identifies this token alone. Seal draws it.
	Token [16]byte
	// IssuedAt and ExpiresAt are set by Seal: now, and the earlier of
	// Limits.TokenTTL later and Deadline.
	IssuedAt, ExpiresAt time.Time
	// Deadline ends the operation. Seal sets it in the first round, when it is
	// zero; later rounds carry it on, and it is never extended.
	Deadline time.Time
	// Round is the number of the round that the token asks for, from 1.
	Round uint16
	// StateOnly counts the rounds so far that ended without a question.
	StateOnly uint8
	// PrincipalBound says that the token belongs to a principal. Seal sets it
	// from the principal it is given.
	PrincipalBound bool
	// EffectsRecorded says that the journal holds an effect. Seal sets it when
	// an entry is one.
	EffectsRecorded bool
	// Request is the digest of the original request, see [Sealer.RequestDigest].
	Request [32]byte
	// Handler is the fingerprint of the handler, see [HandlerFingerprint].
	Handler [16]byte
	// Previous is the span of the previous round, for a link that works
	// whatever the client propagates. Its zero value means none.
	Previous Span
	// Pending are the questions of this round, each key once.
	Pending []Pending
	// Entries are the journal, oldest first.
	Entries []Entry
}

// A Span names a span of a W3C trace. A zero trace id means no span.
type Span struct {
	Trace [16]byte
	ID    [8]byte
	Flags byte
}

// A Pending is a question that waits for its answer.
type Pending struct {
	Key      string
	Question [16]byte // digest of the rendered question
	Attempts uint8    // how often it was asked again after an invalid answer
}

// An EntryKind tells what an entry of the journal records.
type EntryKind uint8

// Kinds of entries. Their numbers are part of the layout.
const (
	EntryAnswer EntryKind = 1 // what the peer answered to a question
	EntryEffect EntryKind = 2 // what an effect returned
	EntryFact   EntryKind = 3 // what a question was about when it was asked
)

// An Entry is one record of the journal. Values are compact JSON; they may hold
// what a person answered, so formatting an entry shows their length only.
type Entry struct {
	Kind     EntryKind
	Key      string
	Question [16]byte // digest of the rendered question; of an effect, that of its place, or zero
	Value    json.RawMessage
}

// check reports what makes c unfit to be sealed under l.
func (c *Claims) check(l *Limits) error {
	answers := 0
	for _, e := range c.Entries {
		if err := checkEntry(e, l); err != nil {
			return err
		}
		if e.Kind == EntryAnswer {
			answers++
		}
	}
	seen := make(map[string]bool, len(c.Pending))
	for _, p := range c.Pending {
		if err := l.CheckKey(p.Key); err != nil {
			return err
		}
		if seen[p.Key] {
			return fmt.Errorf("%w: a key is pending twice", ErrClaims)
		}
		seen[p.Key] = true
		if err := l.Check(LimitReasks, int(p.Attempts)); err != nil {
			return err
		}
	}
	if c.Round == 0 {
		return fmt.Errorf("%w: rounds are counted from 1", ErrClaims)
	}
	for _, n := range []struct {
		name LimitName
		got  int
	}{
		{LimitRounds, int(c.Round)},
		{LimitStateOnly, int(c.StateOnly)},
		{LimitAsksPerRound, len(c.Pending)},
		{LimitAsksPerOperation, answers + len(c.Pending)},
		{LimitEntries, len(c.Entries)},
	} {
		if err := l.Check(n.name, n.got); err != nil {
			return err
		}
	}
	return nil
}

func checkEntry(e Entry, l *Limits) error {
	switch e.Kind {
	case EntryAnswer, EntryEffect, EntryFact:
	default:
		return fmt.Errorf("%w: unknown kind of entry %d", ErrClaims, e.Kind)
	}
	if err := l.CheckKey(e.Key); err != nil {
		return err
	}
	if err := l.Check(LimitAnswer, len(e.Value)); err != nil {
		return err
	}
	if !json.Valid(e.Value) {
		return fmt.Errorf("%w: the value of an entry is not JSON", ErrClaims)
	}
	return nil
}

// CheckKey reports whether key can name a question or an effect: [ErrKey] or a
// [*LimitError] if it cannot, nil if it can.
func (l Limits) CheckKey(key string) error {
	if !wellFormedKey(key) {
		return ErrKey
	}
	return l.Check(LimitKeyLength, len(key))
}

func wellFormedKey(key string) bool {
	for i := range len(key) {
		switch c := key[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case c == '_', c == '.', c == '-':
		default:
			return false
		}
	}
	return key != ""
}
