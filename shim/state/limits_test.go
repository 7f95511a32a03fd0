package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mrtr-migrate/mrtr-migrate/internal/canon"
)

// TestDefaults pins the numbers of the design.
func TestDefaults(t *testing.T) {
	want := Limits{
		Rounds: 8, StateOnly: 2, AsksPerRound: 16, AsksPerOperation: 32, Reasks: 2,
		Entries: 64, KeyLength: 64, Answer: 65536, Inbound: 65536, Sealed: 32768, SealedWarn: 8192,
		Arguments: 1048576, Depth: 64,
		TokenTTL: 10 * time.Minute, Operation: time.Hour, FutureSkew: time.Minute,
	}
	if got := (Limits{}).WithDefaults(); got != want {
		t.Errorf("defaults are %+v, want %+v", got, want)
	}
	set := Limits{Rounds: 3, TokenTTL: time.Second}
	want.Rounds, want.TokenTTL = 3, time.Second
	if got := set.WithDefaults(); got != want {
		t.Errorf("with defaults %+v, want %+v", got, want)
	}
	s, _ := newSealer(t, SealerOptions{Limits: set})
	if s.Limits() != want {
		t.Errorf("the sealer has %+v, want %+v", s.Limits(), want)
	}
}

func TestValidateLimits(t *testing.T) {
	ok := []Limits{
		{}, {Rounds: 1<<16 - 1}, {KeyLength: 255}, {StateOnly: 255}, {Reasks: 255}, {Entries: 1<<16 - 1},
		{Sealed: 100, Inbound: 100}, {TokenTTL: time.Millisecond}, {TokenTTL: 2 * time.Hour},
	}
	for _, l := range ok {
		if err := l.Validate(); err != nil {
			t.Errorf("%+v: %v", l, err)
		}
	}
	bad := []Limits{
		{Rounds: -1}, {Rounds: 1 << 16}, {KeyLength: 256}, {StateOnly: 256}, {Reasks: 256}, {Entries: 1 << 16},
		{AsksPerRound: 1 << 16}, {Sealed: 101, Inbound: 100}, {Inbound: 100}, {Sealed: 65537},
		{TokenTTL: -1}, {TokenTTL: time.Millisecond - 1}, {Operation: -time.Hour}, {FutureSkew: -time.Second},
	}
	for _, l := range bad {
		if err := l.Validate(); err == nil {
			t.Errorf("%+v is accepted", l)
		}
	}
	// No field is forgotten.
	for i := range reflect.TypeFor[Limits]().NumField() {
		var l Limits
		reflect.ValueOf(&l).Elem().Field(i).SetInt(-1)
		if err := l.Validate(); err == nil {
			t.Errorf("a negative %s is accepted", reflect.TypeFor[Limits]().Field(i).Name)
		}
		if reflect.ValueOf((Limits{}).WithDefaults()).Field(i).IsZero() {
			t.Errorf("%s has no default", reflect.TypeFor[Limits]().Field(i).Name)
		}
	}
}

func pending(n int) (p []Pending) {
	for i := range n {
		p = append(p, Pending{Key: fmt.Sprintf("ask.%d", i)})
	}
	return p
}

func entries(kind EntryKind, n int) (e []Entry) {
	for i := range n {
		e = append(e, Entry{Kind: kind, Key: fmt.Sprintf("entry.%d", i), Value: json.RawMessage("1")})
	}
	return e
}

func text(n int) json.RawMessage { return json.RawMessage(`"` + strings.Repeat("a", n-2) + `"`) }

// TestSealLimits seals claims that are one below, at and one above each limit.
func TestSealLimits(t *testing.T) {
	roomy := Limits{Sealed: 1 << 20, Inbound: 1 << 20}
	tests := []struct {
		name LimitName
		max  int
		fill func(c *Claims, n int)
	}{
		{LimitRounds, 8, func(c *Claims, n int) { c.Round = uint16(n) }},
		{LimitStateOnly, 2, func(c *Claims, n int) { c.StateOnly = uint8(n) }},
		{LimitAsksPerRound, 16, func(c *Claims, n int) { c.Pending = pending(n) }},
		{LimitAsksPerOperation, 32, func(c *Claims, n int) {
			c.Entries, c.Pending = entries(EntryAnswer, n-10), pending(10)
		}},
		{LimitReasks, 2, func(c *Claims, n int) { c.Pending = []Pending{{Key: "a", Attempts: uint8(n)}} }},
		{LimitEntries, 64, func(c *Claims, n int) { c.Entries = entries(EntryFact, n) }},
		{LimitKeyLength, 64, func(c *Claims, n int) { c.Pending = []Pending{{Key: strings.Repeat("k", n)}} }},
		{LimitKeyLength, 64, func(c *Claims, n int) {
			c.Entries = []Entry{{Kind: EntryFact, Key: strings.Repeat("k", n), Value: text(2)}}
		}},
		{LimitAnswer, 64 << 10, func(c *Claims, n int) {
			c.Entries = []Entry{{Kind: EntryAnswer, Key: "a", Value: text(n)}}
		}},
	}
	for _, tt := range tests {
		t.Run(string(tt.name), func(t *testing.T) {
			s, _ := newSealer(t, SealerOptions{Limits: roomy})
			for n := tt.max - 1; n <= tt.max+1; n++ {
				c := &Claims{Round: 1}
				tt.fill(c, n)
				token, err := s.Seal(c, "")
				if n > tt.max {
					wantLimit(t, err, LimitError{tt.name, tt.max, n})
					continue
				}
				if err != nil {
					t.Fatalf("at %d: %v", n, err)
				}
				if _, err := s.Open(token, Expect{}); err != nil {
					t.Errorf("at %d, sealed but does not open: %v", n, err)
				}
			}
		})
	}
}

func wantLimit(t *testing.T, err error, want LimitError) {
	t.Helper()
	var got *LimitError
	if !errors.As(err, &got) || *got != want {
		t.Errorf("got %v, want %v", err, &want)
	}
}

// TestTokenLengthLimits has the limits of characters, outgoing and incoming.
func TestTokenLengthLimits(t *testing.T) {
	c := &Claims{Round: 1, Entries: []Entry{{Kind: EntryFact, Key: "a", Value: text(1000)}}}
	plain, _ := newSealer(t, SealerOptions{})
	token := seal(t, plain, c, "")
	n := len(token)

	for max := n - 1; max <= n+1; max++ {
		s, _ := newSealer(t, SealerOptions{Limits: Limits{Sealed: max}})
		_, err := s.Seal(c, "")
		if max < n {
			wantLimit(t, err, LimitError{LimitSealed, max, n})
		} else if err != nil {
			t.Errorf("%d characters of %d: %v", n, max, err)
		}

		s, _ = newSealer(t, SealerOptions{Limits: Limits{Sealed: max, Inbound: max}})
		_, err = s.Open(token, Expect{})
		if max < n {
			wantReason(t, err, ReasonLength)
		} else if err != nil {
			t.Errorf("%d characters of %d: %v", n, max, err)
		}
	}

	// The default, which also is what a flood of characters meets first.
	for length, want := range map[int]Reason{64<<10 - 1: ReasonEncoding, 64 << 10: ReasonEncoding, 64<<10 + 1: ReasonLength} {
		_, err := plain.Open(prefix+strings.Repeat("*", length-len(prefix)), Expect{})
		wantReason(t, err, want)
	}
}

func TestArgumentLimits(t *testing.T) {
	s, _ := newSealer(t, SealerOptions{Limits: Limits{Depth: 2, Arguments: 20}})
	tests := []struct {
		arguments string
		want      error
	}{
		{`{"a":1}`, nil},
		{`{"a":[]}`, nil},
		{`{"a":[[]]}`, canon.ErrDepth},
		{`{"a":"1234567890_"}`, nil},
		{`{"a":"1234567890__"}`, nil},
		{`{"a":"1234567890___"}`, canon.ErrSize},
	}
	for _, tt := range tests {
		got, err := s.RequestDigest(call, "pay", json.RawMessage(tt.arguments))
		if !errors.Is(err, tt.want) {
			t.Errorf("%s gives %v, want %v", tt.arguments, err, tt.want)
		}
		if err == nil && got != digest(t, call, "pay", tt.arguments) {
			t.Errorf("%s has another digest under other limits", tt.arguments)
		}
	}
	for depth, want := range map[int]error{63: nil, 64: nil, 65: canon.ErrDepth} {
		arguments := strings.Repeat(`[`, depth) + strings.Repeat(`]`, depth)
		if _, err := RequestDigest(call, "pay", json.RawMessage(arguments)); !errors.Is(err, want) {
			t.Errorf("depth %d gives %v, want %v", depth, err, want)
		}
	}
}

func TestCheck(t *testing.T) {
	l := Limits{Answer: 10}
	for n, ok := range map[int]bool{0: true, 9: true, 10: true, 11: false} {
		if err := l.Check(LimitAnswer, n); ok != (err == nil) {
			t.Errorf("%d of 10: %v", n, err)
		}
	}
	wantLimit(t, l.Check(LimitRounds, 9), LimitError{LimitRounds, 8, 9})
	if err := l.Check("no such limit", 0); err == nil {
		t.Error("an unknown limit is never exceeded")
	}
	want := "mrtr: 11 bytes of an answer, the limit is 10"
	if err := l.Check(LimitAnswer, 11); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestCheckKey(t *testing.T) {
	var l Limits
	for _, key := range []string{"a", "Z9_.-", "-", ".", strings.Repeat("k", 64)} {
		if err := l.CheckKey(key); err != nil {
			t.Errorf("%q: %v", key, err)
		}
	}
	for _, key := range []string{"", " ", "a b", "a/b", "a\n", "é", "a\x00", "k:1"} {
		if err := l.CheckKey(key); !errors.Is(err, ErrKey) {
			t.Errorf("%q gives %v, want ErrKey", key, err)
		}
	}
	wantLimit(t, l.CheckKey(strings.Repeat("k", 65)), LimitError{LimitKeyLength, 64, 65})
}
