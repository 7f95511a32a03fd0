package state

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// TestBindings changes one thing at a time of what a token is bound to. The
// unchanged token opens in each case.
func TestBindings(t *testing.T) {
	const arguments = `{"account":9007199254740993}`
	options := SealerOptions{Audience: "tools", Realm: "eu"}
	tests := []struct {
		name    string
		options func(*SealerOptions)
		expect  func(*Expect)
		after   time.Duration
		want    Reason // empty if it still opens
	}{
		{name: "nothing"},
		{name: "other principal", expect: func(e *Expect) { e.Principal = alice + "2" }, want: ReasonPrincipal},
		{name: "prefix of the principal", expect: func(e *Expect) { e.Principal = alice[:len(alice)-1] }, want: ReasonPrincipal},
		{name: "no principal", expect: func(e *Expect) { e.Principal = "" }, want: ReasonPrincipal},
		{name: "other method", expect: func(e *Expect) {
			e.Request = digest(t, protocol.MethodGetPrompt, "transfer", arguments)
		}, want: ReasonRequest},
		{name: "other target", expect: func(e *Expect) {
			e.Request = digest(t, protocol.MethodCallTool, "transfer2", arguments)
		}, want: ReasonRequest},
		{name: "other arguments, equal as float64", expect: func(e *Expect) {
			e.Request = digest(t, protocol.MethodCallTool, "transfer", `{"account":9007199254740992}`)
		}, want: ReasonRequest},
		{name: "more arguments", expect: func(e *Expect) {
			e.Request = digest(t, protocol.MethodCallTool, "transfer", `{"account":9007199254740993,"force":true}`)
		}, want: ReasonRequest},
		{name: "no arguments", expect: func(e *Expect) {
			e.Request = digest(t, protocol.MethodCallTool, "transfer", ``)
		}, want: ReasonRequest},
		{name: "no digest", expect: func(e *Expect) { e.Request = [32]byte{} }, want: ReasonRequest},
		{name: "arguments spelt otherwise", expect: func(e *Expect) {
			e.Request = digest(t, protocol.MethodCallTool, "transfer", ` { "\u0061ccount" : 9007199254740993.0e0 } `)
		}},
		{name: "other handler", expect: func(e *Expect) { e.Handler[0] ^= 1 }, want: ReasonHandler},
		{name: "other handler, compatible", expect: func(e *Expect) {
			e.Compatible = [][16]byte{{}, e.Handler}
			e.Handler[0] ^= 1
		}},
		{name: "other handler, compatible with a third", expect: func(e *Expect) {
			e.Handler[0] ^= 1
			e.Compatible = [][16]byte{{}, e.Handler}
		}, want: ReasonHandler},
		{name: "other audience", options: func(o *SealerOptions) { o.Audience = "tool" }, want: ReasonAuthentication},
		{name: "other realm", options: func(o *SealerOptions) { o.Realm = "" }, want: ReasonAuthentication},
		{name: "audience and realm cut elsewhere", options: func(o *SealerOptions) { o.Audience, o.Realm = "tool", "seu" }, want: ReasonAuthentication},
		{name: "other ring", options: func(o *SealerOptions) { o.Ring = newRing(t, Key{Secret: secret(2)}) }, want: ReasonUnknownKey},
		{name: "before expiry", after: 10*time.Minute - time.Nanosecond},
		{name: "at expiry", after: 10 * time.Minute, want: ReasonExpired},
		{name: "at the deadline", after: time.Hour, want: ReasonDeadline},
		{name: "long after", after: 1000 * time.Hour, want: ReasonDeadline},
		{name: "clock behind by the skew", after: -time.Minute},
		{name: "clock behind by more", after: -time.Minute - time.Nanosecond, want: ReasonFuture},
		{name: "last round", expect: func(e *Expect) { e.MaxRounds = 3 }},
		{name: "beyond the last round", expect: func(e *Expect) { e.MaxRounds = 2 }, want: ReasonRound},
		{name: "last round by limit", options: func(o *SealerOptions) { o.Limits.Rounds = 3 }},
		{name: "beyond the last round by limit", options: func(o *SealerOptions) { o.Limits.Rounds = 2 }, want: ReasonRound},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, _ := newSealer(t, options)
			c, want := sample(t)
			token := seal(t, s, c, alice)
			if _, err := s.Open(token, want); err != nil {
				t.Fatalf("unchanged: %v", err)
			}
			changed := options
			if tt.options != nil {
				tt.options(&changed)
			}
			if tt.expect != nil {
				tt.expect(&want)
			}
			opener, clock := newSealer(t, changed)
			clock.now = start.Add(tt.after)
			got, err := opener.Open(token, want)
			if tt.want == "" {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			wantReason(t, err, tt.want)
			if got != nil {
				t.Error("claims beside an error")
			}
		})
	}
}

// TestUnboundToken: without an authenticated caller a token is unbound, and it
// does not become anybody's.
func TestUnboundToken(t *testing.T) {
	s, _ := newSealer(t, SealerOptions{})
	c, want := sample(t)
	token := seal(t, s, c, "")
	if c.PrincipalBound {
		t.Error("bound to nobody")
	}
	want.Principal = ""
	if _, err := s.Open(token, want); err != nil {
		t.Errorf("refused: %v", err)
	}
	want.Principal = alice
	_, err := s.Open(token, want)
	wantReason(t, err, ReasonPrincipal)
}

// TestOtherHandlerWithoutEffects: answers alone do not tie a token to a version
// of the handler (rolling upgrades), effects do, as TestBindings shows.
func TestOtherHandlerWithoutEffects(t *testing.T) {
	s, _ := newSealer(t, SealerOptions{})
	c, want := sample(t)
	c.Entries = c.Entries[:2]
	token := seal(t, s, c, alice)
	if c.EffectsRecorded {
		t.Error("there is no effect")
	}
	want.Handler[0] ^= 1
	if _, err := s.Open(token, want); err != nil {
		t.Errorf("refused: %v", err)
	}
	// The flag counts even where the effect itself is not in the token.
	c.EffectsRecorded = true
	token = seal(t, s, c, alice)
	_, err := s.Open(token, want)
	wantReason(t, err, ReasonHandler)
}

// TestOrderOfChecks: where several checks would fail, the first decides, and
// claims are not looked at before they are authentic.
func TestOrderOfChecks(t *testing.T) {
	s, clock := newSealer(t, SealerOptions{})
	c, want := sample(t)
	token := seal(t, s, c, alice)
	clock.now = start.Add(2 * time.Hour)
	want.Request, want.Principal, want.Handler, want.MaxRounds = [32]byte{}, "", [16]byte{}, 1
	text := strings.TrimPrefix(token, prefix)
	forged := prefix + text[:len(text)-8] + "AAAAAAAA"
	_, err := s.Open(forged, want)
	wantReason(t, err, ReasonAuthentication)

	for _, step := range []struct {
		reason Reason
		repair func()
	}{
		{ReasonDeadline, func() { clock.now = start.Add(30 * time.Minute) }},
		{ReasonExpired, func() { clock.now = start }},
		{ReasonRound, func() { want.MaxRounds = 0 }},
		{ReasonHandler, func() { want.Handler = c.Handler }},
		{ReasonRequest, func() { want.Request = c.Request }},
		{ReasonPrincipal, func() { want.Principal = alice }},
	} {
		_, err := s.Open(token, want)
		wantReason(t, err, step.reason)
		step.repair()
	}
	if _, err := s.Open(token, want); err != nil {
		t.Errorf("repaired: %v", err)
	}
}

func TestOpenRefusesOtherForms(t *testing.T) {
	s, _ := newSealer(t, SealerOptions{})
	c, want := sample(t)
	token := seal(t, s, c, alice)
	text := strings.TrimPrefix(token, prefix)
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	again := func(change func(raw []byte) []byte) string {
		return prefix + base64.RawURLEncoding.EncodeToString(change(append([]byte(nil), raw...)))
	}
	set := func(at int, to byte) func([]byte) []byte {
		return func(raw []byte) []byte { raw[at] = to; return raw }
	}
	tests := []struct {
		name, token string
		want        Reason
	}{
		{"empty", "", ReasonPrefix},
		{"only the prefix", prefix, ReasonVersion},
		{"no prefix", text, ReasonPrefix},
		{"prefix twice", prefix + token, ReasonEncoding},
		{"prefix in capitals", "MM1." + text, ReasonPrefix},
		{"next prefix", "mm2." + text, ReasonPrefix},
		{"space before", " " + token, ReasonPrefix},
		{"space after", token + " ", ReasonEncoding},
		{"line break after", token + "\n", ReasonEncoding},
		{"line break within", prefix + text[:8] + "\r\n" + text[8:], ReasonEncoding},
		{"padding", token + "=", ReasonEncoding},
		{"other alphabet", prefix + "+/" + text[2:], ReasonEncoding},
		{"version 0", again(set(0, 0)), ReasonVersion},
		{"version 2", again(set(0, 2)), ReasonVersion},
		{"suite 0", again(set(1, 0)), ReasonVersion},
		{"suite 2", again(set(1, 2)), ReasonVersion},
		{"shorter than any token", again(func(raw []byte) []byte { return raw[:headerSize+cipherMinimum-1] }), ReasonVersion},
		{"as short as a token can be", again(func(raw []byte) []byte { return raw[:headerSize+cipherMinimum] }), ReasonAuthentication},
		{"other key", again(set(2, raw[2]^1)), ReasonUnknownKey},
		{"a byte more", again(func(raw []byte) []byte { return append(raw, 0) }), ReasonAuthentication},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := s.Open(tt.token, want)
			wantReason(t, err, tt.want)
		})
	}
	if _, err := s.Open(again(set(0, raw[0])), want); err != nil {
		t.Errorf("encoded again: %v", err)
	}
}

// TestTamper changes every bit of a token and every character of its text, cuts
// it at every place and fills in there.
func TestTamper(t *testing.T) {
	s, _ := newSealer(t, SealerOptions{})
	c, want := sample(t)
	token := seal(t, s, c, alice)
	if _, err := s.Open(token, want); err != nil {
		t.Fatal(err)
	}
	refuse := func(changed string, what string, at int) {
		if changed == token {
			return
		}
		got, err := s.Open(changed, want)
		if err == nil || got != nil || err.Error() != protocol.InvalidStateMessage {
			t.Errorf("%s at %d: opened %v, %v", what, at, got, err)
		}
	}

	raw, err := base64.RawURLEncoding.DecodeString(token[len(prefix):])
	if err != nil {
		t.Fatal(err)
	}
	for i := range len(raw) * 8 {
		raw[i/8] ^= 1 << (i % 8)
		refuse(prefix+base64.RawURLEncoding.EncodeToString(raw), "bit", i)
		raw[i/8] ^= 1 << (i % 8)
	}
	const characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. \n\x00\xff"
	for i := range len(token) {
		for _, c := range []byte(characters) {
			refuse(token[:i]+string([]byte{c})+token[i+1:], "character", i)
		}
		refuse(token[:i], "cut", i)
		refuse(token[i:], "cut before", i)
		refuse(token[:i]+token[i+1:], "deletion", i)
		refuse(token[:i]+"A"+token[i:], "insertion", i)
		refuse(token[:i]+"\n"+token[i:], "line break", i)
	}
}
