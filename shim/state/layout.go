package state

import (
	"encoding/binary"
	"errors"
	"math"
	"time"
)

// The plaintext of a token; doc.go has the table.
const (
	fixedSize = 128
	spanSize  = 25
)

// Flags of the plaintext. The other bits are reserved, single use (1<<1) and an
// external journal (1<<2) by design, and a token that sets one is refused: it
// asks for a check that this version would not make.
const (
	flagBound   = 1 << 0
	flagEffects = 1 << 3
	flagsKnown  = flagBound | flagEffects
)

var errLayout = errors.New("mrtr: not the layout of claims")

// encode returns the plaintext for c and the tag of its principal. The caller
// has checked c, so that every length fits its field.
func encode(c *Claims, tag [16]byte) []byte {
	b := make([]byte, 0, fixedSize+c.bodySize())
	b = append(b, c.Operation[:]...)
	b = append(b, c.Token[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(c.IssuedAt.UnixMilli()))
	b = binary.BigEndian.AppendUint64(b, uint64(c.ExpiresAt.UnixMilli()))
	b = binary.BigEndian.AppendUint64(b, uint64(c.Deadline.UnixMilli()))
	b = binary.BigEndian.AppendUint16(b, c.Round)
	b = binary.BigEndian.AppendUint16(b, c.flags())
	b = append(b, tag[:]...)
	b = append(b, c.Request[:]...)
	b = append(b, c.Handler[:]...)
	b = binary.BigEndian.AppendUint32(b, uint32(c.bodySize()))

	b = append(b, c.StateOnly)
	if c.Previous.Trace == [16]byte{} {
		b = append(b, 0)
	} else {
		b = append(b, spanSize)
		b = append(b, c.Previous.Trace[:]...)
		b = append(b, c.Previous.ID[:]...)
		b = append(b, c.Previous.Flags)
	}
	b = binary.BigEndian.AppendUint16(b, uint16(len(c.Pending)))
	for _, p := range c.Pending {
		b = append(b, byte(len(p.Key)))
		b = append(b, p.Key...)
		b = append(b, p.Question[:]...)
		b = append(b, p.Attempts)
	}
	b = binary.BigEndian.AppendUint16(b, uint16(len(c.Entries)))
	for _, e := range c.Entries {
		b = append(b, byte(e.Kind), byte(len(e.Key)))
		b = append(b, e.Key...)
		b = append(b, e.Question[:]...)
		b = binary.BigEndian.AppendUint32(b, uint32(len(e.Value)))
		b = append(b, e.Value...)
	}
	return b
}

func (c *Claims) flags() (f uint16) {
	if c.PrincipalBound {
		f |= flagBound
	}
	if c.EffectsRecorded {
		f |= flagEffects
	}
	return f
}

func (c *Claims) bodySize() int {
	n := 1 + 1 + 2 + 2
	if c.Previous.Trace != [16]byte{} {
		n += spanSize
	}
	for _, p := range c.Pending {
		n += 1 + len(p.Key) + 16 + 1
	}
	for _, e := range c.Entries {
		n += 1 + 1 + len(e.Key) + 16 + 4 + len(e.Value)
	}
	return n
}

// decode is the inverse of encode. It accepts nothing that encode does not
// write: encoding what it returns gives the same bytes.
func decode(plaintext []byte) (*Claims, [16]byte, error) {
	r := reader{rest: plaintext}
	c := &Claims{Operation: r.id(), Token: r.id()}
	c.IssuedAt, c.ExpiresAt, c.Deadline = r.time(), r.time(), r.time()
	c.Round = r.uint16()
	flags := r.uint16()
	c.PrincipalBound = flags&flagBound != 0
	c.EffectsRecorded = flags&flagEffects != 0
	tag := r.id()
	c.Request = [32]byte(r.take(32))
	c.Handler = r.id()
	size := r.uint32()
	if r.bad || flags&^flagsKnown != 0 || uint64(size) != uint64(len(r.rest)) {
		return nil, tag, errLayout
	}
	c.decodeBody(&r)
	if r.bad || len(r.rest) > 0 || !c.coherent() {
		return nil, tag, errLayout
	}
	return c, tag, nil
}

func (c *Claims) decodeBody(r *reader) {
	c.StateOnly = r.byte()
	switch r.byte() {
	case 0:
	case spanSize:
		c.Previous = Span{Trace: r.id(), ID: [8]byte(r.take(8)), Flags: r.byte()}
		r.bad = r.bad || c.Previous.Trace == [16]byte{}
	default:
		r.bad = true
	}
	for n := r.uint16(); n > 0 && !r.bad; n-- {
		c.Pending = append(c.Pending, Pending{Key: r.key(), Question: r.id(), Attempts: r.byte()})
	}
	for n := r.uint16(); n > 0 && !r.bad; n-- {
		e := Entry{Kind: EntryKind(r.byte()), Key: r.key(), Question: r.id()}
		e.Value = r.take(int(min(r.uint32(), math.MaxInt32)))
		c.Entries = append(c.Entries, e)
		r.bad = r.bad || e.Kind < EntryAnswer || e.Kind > EntryFact ||
			e.Kind == EntryEffect && !c.EffectsRecorded
	}
}

// coherent reports whether the claims can have come from Seal.
func (c *Claims) coherent() bool {
	seen := make(map[string]bool, len(c.Pending))
	for _, p := range c.Pending {
		if seen[p.Key] {
			return false
		}
		seen[p.Key] = true
	}
	return c.Round > 0 && c.IssuedAt.Before(c.ExpiresAt) && !c.ExpiresAt.After(c.Deadline)
}

// A reader takes fields off the front of rest. Once a field is missing or out
// of its range it is bad, and every further field is zero.
type reader struct {
	rest []byte
	bad  bool
}

// take returns the next n bytes, capped so that appending to them copies.
func (r *reader) take(n int) []byte {
	if r.bad || n > len(r.rest) {
		r.bad = true
		return make([]byte, min(n, 32)) // enough for every field of a fixed length
	}
	field := r.rest[:n:n]
	r.rest = r.rest[n:]
	return field
}

func (r *reader) byte() byte     { return r.take(1)[0] }
func (r *reader) uint16() uint16 { return binary.BigEndian.Uint16(r.take(2)) }
func (r *reader) uint32() uint32 { return binary.BigEndian.Uint32(r.take(4)) }
func (r *reader) id() [16]byte   { return [16]byte(r.take(16)) }

// time reads milliseconds since 1970. Those that a time cannot hold in
// nanoseconds, until the year 2262, are refused.
func (r *reader) time() time.Time {
	ms := binary.BigEndian.Uint64(r.take(8))
	if ms > uint64(math.MaxInt64/time.Millisecond) {
		r.bad = true
		return time.Time{}
	}
	return time.UnixMilli(int64(ms)).UTC()
}

func (r *reader) key() string {
	key := string(r.take(int(r.byte())))
	r.bad = r.bad || !wellFormedKey(key)
	return key
}
