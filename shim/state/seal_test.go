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

func TestOpenRefusesOtherPrincipal(t *testing.T) {
	s, _ := newSealer(t, SealerOptions{})
	c, want := sample(t)
	token := seal(t, s, c, alice)
	want.Principal = alice + "2"
	_, err := s.Open(token, want)
	wantReason(t, err, ReasonPrincipal)
}
