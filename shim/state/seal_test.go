package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

var start = time.Date(2026, 7, 28, 12, 0, 0, 0, time.UTC)

// A clock that tests set.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

func secret(b byte) []byte { return bytes.Repeat([]byte{b}, MinSecret) }

func newRing(t testing.TB, keys ...Key) *Ring {
	t.Helper()
	r, err := NewRing(keys...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// newSealer returns a sealer with its clock at start. It fills in a ring if o
// has none.
func newSealer(t testing.TB, o SealerOptions) (*Sealer, *clock) {
	t.Helper()
	c := &clock{start}
	o.Now = c.Now
	if o.Ring == nil {
		o.Ring = newRing(t, Key{Secret: secret(1)})
	}
	s, err := NewSealer(o)
	if err != nil {
		t.Fatal(err)
	}
	return s, c
}

func digest(t testing.TB, method, target, arguments string) [32]byte {
	t.Helper()
	d, err := RequestDigest(method, target, json.RawMessage(arguments))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const (
	alice  = "https://issuer.example\x1falice"
	answer = `{"action":"accept","content":{"pin":"hunter2"}}`
)

// sample returns claims with something in every field that Seal does not set,
// and the expectation of the request that they are for.
func sample(t testing.TB) (*Claims, Expect) {
	t.Helper()
	c := &Claims{
		Round:     3,
		StateOnly: 1,
		Request:   digest(t, protocol.MethodCallTool, "transfer", `{"account":9007199254740993}`),
		Handler:   HandlerFingerprint("transfer", nil),
		Previous:  Span{Trace: [16]byte{1}, ID: [8]byte{2}, Flags: 1},
		Pending: []Pending{
			{Key: "confirm", Question: [16]byte{3}, Attempts: 1},
			{Key: "why.2", Question: [16]byte{4}},
		},
		Entries: []Entry{
			{Kind: EntryFact, Key: "pin", Question: [16]byte{5}, Value: json.RawMessage(`"rate 1.25"`)},
			{Kind: EntryAnswer, Key: "pin", Question: [16]byte{5}, Value: json.RawMessage(answer)},
			{Kind: EntryEffect, Key: "create", Value: json.RawMessage(`null`)},
		},
	}
	return c, Expect{Request: c.Request, Principal: alice, Handler: c.Handler}
}

func seal(t testing.TB, s *Sealer, c *Claims, principal string) string {
	t.Helper()
	token, err := s.Seal(c, principal)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// wantReason fails unless err is the one refusal that peers see, for this
// reason.
func wantReason(t testing.TB, err error, want Reason) {
	t.Helper()
	var bad *InvalidError
	if !errors.As(err, &bad) {
		t.Fatalf("error is %v, want an *InvalidError for %s", err, want)
	}
	if bad.Reason != want {
		t.Errorf("refused for %s, want %s", bad.Reason, want)
	}
	if !errors.Is(err, ErrInvalid) || err.Error() != protocol.InvalidStateMessage {
		t.Errorf("refusal is %q, want an ErrInvalid that says %q", err, protocol.InvalidStateMessage)
	}
}

func TestSealOpen(t *testing.T) {
	s, _ := newSealer(t, SealerOptions{Audience: "tools", Realm: "eu"})
	c, want := sample(t)
	given := *c
	token := seal(t, s, c, alice)
	if !strings.HasPrefix(token, "mm1.") || strings.ContainsAny(token[4:], "=+/.") {
		t.Errorf("token is %q", token)
	}
	got, err := s.Open(token, want)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, c) {
		t.Errorf("opened %+v, sealed %+v", got, c)
	}

	// What Seal completed, and nothing else, differs from what it was given.
	if c.Operation == [16]byte{} || c.Token == [16]byte{} || c.Token == c.Operation {
		t.Errorf("operation is %x, token is %x", c.Operation, c.Token)
	}
	given.Operation, given.Token = c.Operation, c.Token
	given.IssuedAt = start
	given.ExpiresAt = start.Add(10 * time.Minute)
	given.Deadline = start.Add(60 * time.Minute)
	given.PrincipalBound, given.EffectsRecorded = true, true
	if !reflect.DeepEqual(*c, given) {
		t.Errorf("completed to %+v, want %+v", *c, given)
	}
}

// TestDeadlineIsCarried: later rounds neither extend the operation nor change
// its identity, and only the token is new.
func TestDeadlineIsCarried(t *testing.T) {
	s, clock := newSealer(t, SealerOptions{Limits: Limits{TokenTTL: 10 * time.Minute, Operation: 15 * time.Minute}})
	clock.now = start.Add(300 * time.Microsecond) // the token holds milliseconds
	c, want := sample(t)
	first := seal(t, s, c, alice)
	one := *c
	if !one.IssuedAt.Equal(start) || !one.Deadline.Equal(start.Add(15*time.Minute)) {
		t.Errorf("issued at %v until %v", one.IssuedAt, one.Deadline)
	}

	clock.now = start.Add(9 * time.Minute)
	next, err := s.Open(first, want)
	if err != nil {
		t.Fatal(err)
	}
	next.Round++
	second := seal(t, s, next, alice)
	if next.Operation != one.Operation || next.Token == one.Token || second == first {
		t.Errorf("operation %x, token %x after %x, %x", next.Operation, next.Token, one.Operation, one.Token)
	}
	if !next.Deadline.Equal(one.Deadline) || !next.ExpiresAt.Equal(one.Deadline) {
		t.Errorf("expires at %v, deadline %v; want both %v", next.ExpiresAt, next.Deadline, one.Deadline)
	}

	clock.now = one.Deadline.Add(-time.Nanosecond)
	last, err := s.Open(second, want)
	if err != nil {
		t.Fatal(err)
	}
	clock.now = one.Deadline.Add(-time.Millisecond)
	kept := *last
	seal(t, s, last, alice)
	clock.now = one.Deadline
	if _, err := s.Seal(&kept, alice); !errors.Is(err, ErrDeadline) {
		t.Errorf("at the deadline, sealing gives %v, want ErrDeadline", err)
	}
}

// TestDeadlineOnlyShrinks: an instance with another clock or a shorter limit
// does not give more time than its own limit.
func TestDeadlineOnlyShrinks(t *testing.T) {
	s, _ := newSealer(t, SealerOptions{})
	for given, want := range map[time.Duration]time.Duration{
		time.Minute:                       time.Minute,
		time.Minute + 7*time.Microsecond:  time.Minute,
		60*time.Minute - time.Millisecond: 60*time.Minute - time.Millisecond,
		60 * time.Minute:                  60 * time.Minute,
		60*time.Minute + time.Millisecond: 60 * time.Minute,
		24 * time.Hour:                    60 * time.Minute,
	} {
		c, _ := sample(t)
		c.Deadline = start.Add(given)
		seal(t, s, c, alice)
		if got := c.Deadline.Sub(start); got != want {
			t.Errorf("a deadline in %v becomes one in %v, want %v", given, got, want)
		}
	}
}

func TestSealRefuses(t *testing.T) {
	s, _ := newSealer(t, SealerOptions{})
	tests := []struct {
		name  string
		spoil func(*Claims)
		want  error
	}{
		{"round zero", func(c *Claims) { c.Round = 0 }, ErrClaims},
		{"key pending twice", func(c *Claims) { c.Pending[1].Key = c.Pending[0].Key }, ErrClaims},
		{"no kind", func(c *Claims) { c.Entries[0].Kind = 0 }, ErrClaims},
		{"unknown kind", func(c *Claims) { c.Entries[0].Kind = EntryFact + 1 }, ErrClaims},
		{"no value", func(c *Claims) { c.Entries[0].Value = nil }, ErrClaims},
		{"no JSON", func(c *Claims) { c.Entries[0].Value = json.RawMessage(`{`) }, ErrClaims},
		{"empty key", func(c *Claims) { c.Pending[0].Key = "" }, ErrKey},
		{"empty key of an entry", func(c *Claims) { c.Entries[0].Key = "" }, ErrKey},
		{"space in a key", func(c *Claims) { c.Pending[0].Key = "a b" }, ErrKey},
		{"no ASCII in a key", func(c *Claims) { c.Entries[0].Key = "é" }, ErrKey},
		{"zero byte in a key", func(c *Claims) { c.Entries[0].Key = "a\x00" }, ErrKey},
		{"deadline passed", func(c *Claims) { c.Deadline = start }, ErrDeadline},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, want := sample(t)
			token := seal(t, s, c, alice)
			if _, err := s.Open(token, want); err != nil {
				t.Fatalf("unspoilt: %v", err)
			}
			tt.spoil(c)
			before := *c
			token, err := s.Seal(c, alice)
			if !errors.Is(err, tt.want) || token != "" {
				t.Errorf("sealing gives %q, %v; want %v", token, err, tt.want)
			}
			if !reflect.DeepEqual(*c, before) {
				t.Error("a failed Seal changes the claims")
			}
		})
	}
}

func TestNewSealerRefuses(t *testing.T) {
	ring := newRing(t, Key{Secret: secret(1)})
	now := func() time.Time { return start }
	long := strings.Repeat("a", 1<<16-1)
	tests := []struct {
		name string
		o    SealerOptions
		want error // nil means any
		ok   bool
	}{
		{name: "minimal", o: SealerOptions{Ring: ring}, ok: true},
		{name: "longest audience and realm", o: SealerOptions{Ring: ring, Audience: long, Realm: long}, ok: true},
		{name: "no ring", o: SealerOptions{}, want: ErrNoKey},
		{name: "audience too long", o: SealerOptions{Ring: ring, Audience: long + "a"}},
		{name: "realm too long", o: SealerOptions{Ring: ring, Realm: long + "a"}},
		{name: "bad limits", o: SealerOptions{Ring: ring, Limits: Limits{Rounds: -1}}},
		{
			name: "no active key",
			o:    SealerOptions{Ring: newRing(t, Key{Secret: secret(1), NotBefore: start.Add(1)}), Now: now},
			want: ErrNoActiveKey,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := NewSealer(tt.o)
			if tt.ok != (err == nil) || tt.ok != (s != nil) {
				t.Errorf("got %v, %v", s, err)
			}
			if tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}

func TestConcurrentUse(t *testing.T) {
	s, _ := newSealer(t, SealerOptions{})
	for range 8 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			for range 50 {
				c, want := sample(t)
				if _, err := s.Open(seal(t, s, c, alice), want); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
