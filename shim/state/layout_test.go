package state

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// golden is a token for sample's claims, sealed at start with secret(1) for the
// audience "tools" and the realm "eu". It was made when the layout was fixed.
// Tokens like it are with clients while servers are upgraded: if it no longer
// opens, change the version of the token, not the test.
const golden = "mm1.AQHFXK0KMR76yQg_jJOKrSz250sPGfNGhABu8vaGiOoBmLIcjJvCJfYwZePP13qZvD_7RxucQCTM1g9pTGBvEYyNaSZZ" +
	"PE6zXFa1TUgIz6u_hz_9tI07Yn7q0onMXWkxulPRZRfS61HZvNpVcN45UPGeRa0i3py-Q5_9IxsEVGHpVKvIx4k4bT0lWWj0" +
	"DTFLAOzvS-F1bun9kP4ec4Ztj0avZ0zCfaqpPX2ItuRcM90XSuNC4VCqYDrwl59dN_lZzkpD1HsfhndqWyS-YL7Lt1jZcVrr" +
	"YzpNp7zTRzgGSytMI-ceDB6lcQm0k94P5n3bDu__ok5gifHbPoiJzxBBvBP6onvW5mH1Mcg4oz-wzR1KuvpIwnhpjb9w6vMa" +
	"Lbd-Fr_9iNPuVEGI4nsJWhmXgSJ9mgxzHJlyehPEFII8tdzHy9c9iIHOmDJzTdAyVZjS9Rp4L-lZW3bNNIaSsdpLv9uGq2L3" +
	"nIXhToG9721PExqvzVK8DJBO1OHz10GYSEN9XNSJFDgHtnup"

func TestGoldenToken(t *testing.T) {
	s, _ := newSealer(t, SealerOptions{Audience: "tools", Realm: "eu"})
	c, want := sample(t)
	got, err := s.Open(golden, want)
	if err != nil {
		t.Fatal(err)
	}
	if got.Operation == [16]byte{} || got.Token == [16]byte{} {
		t.Error("no operation or no token")
	}
	c.Operation, c.Token = got.Operation, got.Token
	c.IssuedAt, c.ExpiresAt, c.Deadline = start, start.Add(10*time.Minute), start.Add(time.Hour)
	c.PrincipalBound, c.EffectsRecorded = true, true
	if !reflect.DeepEqual(got, c) {
		t.Errorf("opened %+v, want %+v", got, c)
	}
}

// TestDocumentedForm reads a token by the tables of the package comment alone.
func TestDocumentedForm(t *testing.T) {
	s, _ := newSealer(t, SealerOptions{Audience: "tools", Realm: "eu"})
	c, _ := sample(t)
	token := seal(t, s, c, alice)

	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(token, "mm1."))
	if err != nil {
		t.Fatal(err)
	}
	sealKey := purpose(t, "seal")
	kid := sha256.Sum256(append([]byte("mrtr-migrate/v1/kid\x00"), sealKey...))
	header := append([]byte{1, 1}, kid[:4]...)
	if !bytes.Equal(raw[:6], header) {
		t.Errorf("header is %x, want %x", raw[:6], header)
	}
	additional := append([]byte("mrtr-migrate/requestState\x00"), header...)
	additional = append(additional, "\x00\x05tools\x00\x02eu"...)
	x, err := newXAES(sealKey)
	if err != nil {
		t.Fatal(err)
	}
	block, err := aes.NewCipher(x.derive(raw[6:18]))
	if err != nil {
		t.Fatal(err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	plaintext, err := aead.Open(nil, raw[18:30], raw[30:], additional)
	if err != nil {
		t.Fatal(err)
	}

	mac := hmac.New(sha256.New, purpose(t, "bind"))
	mac.Write([]byte("principal\x00" + alice))
	millis := func(after time.Duration) []byte {
		return binary.BigEndian.AppendUint64(nil, uint64(start.Add(after).UnixMilli()))
	}
	number := func(n int) []byte { return []byte{0, 0, byte(n >> 8), byte(n)} }
	question := func(b byte) []byte { return append([]byte{b}, make([]byte, 15)...) }
	body := bytes.Join([][]byte{
		{1},
		{25}, question(1), {2, 0, 0, 0, 0, 0, 0, 0}, {1},
		{0, 2},
		{7}, []byte("confirm"), question(3), {1},
		{5}, []byte("why.2"), question(4), {0},
		{0, 3},
		{3, 3}, []byte("pin"), question(5), {0, 0, 0, 11}, []byte(`"rate 1.25"`),
		{1, 3}, []byte("pin"), question(5), {0, 0, 0, byte(len(answer))}, []byte(answer),
		{2, 6}, []byte("create"), question(0), {0, 0, 0, 4}, []byte("null"),
	}, nil)
	want := bytes.Join([][]byte{
		c.Operation[:], c.Token[:],
		millis(0), millis(10 * time.Minute), millis(time.Hour),
		{0, 3}, {0, 1<<0 | 1<<3}, mac.Sum(nil)[:16],
		c.Request[:], c.Handler[:], number(len(body)), body,
	}, nil)
	if !bytes.Equal(plaintext, want) {
		t.Errorf("plaintext is\n%x\nwant\n%x", plaintext, want)
	}
	if offset := bytes.Index(want, body); offset != 128 {
		t.Errorf("the body begins at %d", offset)
	}
}

func purpose(t *testing.T, name string) []byte {
	t.Helper()
	key, err := hkdf.Key(sha256.New, secret(1), nil, "mrtr-migrate/v1/"+name, 32)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// TestOverhead holds the documentation to its numbers.
func TestOverhead(t *testing.T) {
	s, _ := newSealer(t, SealerOptions{})
	c := &Claims{Round: 1, Request: [32]byte{1}}
	if got := len(seal(t, s, c, alice)); got != 244 {
		t.Errorf("an empty token has %d characters", got)
	}
	c.Pending = []Pending{{Key: "confirm"}}
	c.Entries = []Entry{{Kind: EntryAnswer, Key: "name", Value: json.RawMessage(`"` + strings.Repeat("x", 58) + `"`)}}
	if got := len(seal(t, s, c, alice)); got != 392 {
		t.Errorf("a token with an answer and a question has %d characters", got)
	}
}

// valid returns the plaintext of sample's claims.
func valid(t testing.TB) []byte {
	t.Helper()
	s, _ := newSealer(t, SealerOptions{})
	c, _ := sample(t)
	seal(t, s, c, alice)
	return encode(c, [16]byte{9})
}

func TestDecodeRefuses(t *testing.T) {
	plaintext := valid(t)
	spanAt, pendingAt := fixedSize+1, fixedSize+1+1+spanSize
	set := func(at int, to ...byte) func([]byte) []byte {
		return func(b []byte) []byte { copy(b[at:], to); return b }
	}
	entriesAt := pendingAt + 2 + (1 + 7 + 16 + 1) + (1 + 5 + 16 + 1)
	tests := []struct {
		name  string
		spoil func([]byte) []byte
	}{
		{"reserved flag, single use", set(58, 0, 1|1<<1|1<<3)},
		{"reserved flag, external journal", set(58, 0, 1|1<<2|1<<3)},
		{"reserved flag, highest", set(58, 1<<7, 1|1<<3)},
		{"effect without its flag", set(58, 0, 1)},
		{"round zero", set(56, 0, 0)},
		{"expires when issued", func(b []byte) []byte { copy(b[40:48], b[32:40]); return b }},
		{"expires after the deadline", func(b []byte) []byte { copy(b[48:56], b[32:40]); return b }},
		{"times beyond what Go can hold", set(32, 0x7f, 0, 0, 0, 0, 0, 0, 0, 0x7f, 0, 0, 0, 0, 0, 0, 1, 0x7f, 0, 0, 0, 0, 0, 0, 2)},
		{"body longer than said", set(127, plaintext[127]-1)},
		{"body shorter than said", set(127, plaintext[127]+1)},
		{"huge body", set(124, 0xff, 0xff, 0xff, 0xff)},
		{"a byte after the body", func(b []byte) []byte { b[127]++; return append(b, 0) }},
		{"span of another length", set(spanAt, spanSize-1)},
		{"span without a trace", set(spanAt+1, 0)},
		{"one question more", set(pendingAt, 0, 3)},
		{"very many questions", set(pendingAt, 0xff, 0xff)},
		{"one question less", set(pendingAt, 0, 1)},
		{"empty key", set(pendingAt+2, 0)},
		{"key beyond the end", set(pendingAt+2, 0xff)},
		{"space in a key", set(pendingAt+3, ' ')},
		{"one entry more", set(entriesAt, 0, 4)},
		{"one entry less", set(entriesAt, 0, 2)},
		{"no kind", set(entriesAt+2, 0)},
		{"unknown kind", set(entriesAt+2, 4)},
		{"value beyond the end", set(entriesAt+2+1+1+3+16, 0, 0, 0xff, 0xff)},
		{"value far beyond the end", set(entriesAt+2+1+1+3+16, 0xff, 0xff, 0xff, 0xff)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, _, err := decode(plaintext); err != nil {
				t.Fatalf("unspoilt: %v", err)
			}
			if c, _, err := decode(tt.spoil(bytes.Clone(plaintext))); err == nil {
				t.Errorf("decoded %+v", c)
			}
		})
	}
	for n := range len(plaintext) {
		if _, _, err := decode(plaintext[:n]); err == nil {
			t.Errorf("the first %d bytes are decoded", n)
		}
	}

	duplicate := bytes.Clone(plaintext)
	c, tag, err := decode(duplicate)
	if err != nil {
		t.Fatal(err)
	}
	c.Pending[1].Key = c.Pending[0].Key
	if _, _, err := decode(encode(c, tag)); err == nil {
		t.Error("a key that is pending twice is decoded")
	}
}

// TestAuthenticButUnreadable: a token of ours with another layout is refused like
// any other.
func TestAuthenticButUnreadable(t *testing.T) {
	s, _ := newSealer(t, SealerOptions{})
	key := s.ring.keys[0]
	c, want := sample(t)
	seal(t, s, c, alice)
	for _, tt := range []struct {
		name  string
		spoil byte
		want  Reason
	}{{"as sealed", 0, ""}, {"reserved flag", 1 << 1, ReasonLayout}} {
		t.Run(tt.name, func(t *testing.T) {
			plaintext := encode(c, key.tag(alice))
			plaintext[59] |= tt.spoil
			header := append([]byte{version, suite}, key.id[:]...)
			raw, err := key.seal.seal(header, plaintext, s.additional(header))
			if err != nil {
				t.Fatal(err)
			}
			_, err = s.Open(prefix+base64.RawURLEncoding.EncodeToString(raw), want)
			if tt.want == "" {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			wantReason(t, err, tt.want)
		})
	}
}

// TestRoundTrip seals and opens claims of every shape.
func TestRoundTrip(t *testing.T) {
	s, _ := newSealer(t, SealerOptions{Limits: Limits{KeyLength: 255, Rounds: 1<<16 - 1}})
	id := rapid.Custom(func(t *rapid.T) (id [16]byte) {
		copy(id[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "id"))
		return id
	})
	key := rapid.StringMatching(`[a-zA-Z0-9_.-]{1,255}`)
	rapid.Check(t, func(t *rapid.T) {
		c := &Claims{
			Operation:       id.Draw(t, "operation"),
			Round:           rapid.Uint16Min(1).Draw(t, "round"),
			StateOnly:       rapid.Uint8Max(2).Draw(t, "state only"),
			EffectsRecorded: rapid.Bool().Draw(t, "effects"),
			Handler:         id.Draw(t, "handler"),
		}
		request := id.Draw(t, "request")
		copy(c.Request[:], request[:])
		if c.Previous.Trace = id.Draw(t, "trace"); c.Previous.Trace != [16]byte{} {
			c.Previous.Flags = rapid.Byte().Draw(t, "flags")
		}
		for _, k := range rapid.SliceOfNDistinct(key, 0, 5, rapid.ID).Draw(t, "keys") {
			c.Pending = append(c.Pending, Pending{k, id.Draw(t, "question"), rapid.Uint8Max(2).Draw(t, "attempts")})
		}
		for range rapid.IntRange(0, 5).Draw(t, "entries") {
			value, err := json.Marshal(rapid.String().Draw(t, "value"))
			if err != nil {
				t.Fatal(err)
			}
			kind := rapid.SampledFrom([]EntryKind{EntryAnswer, EntryEffect, EntryFact}).Draw(t, "kind")
			c.Entries = append(c.Entries, Entry{kind, key.Draw(t, "key"), id.Draw(t, "question"), value})
		}
		principal := rapid.String().Draw(t, "principal")
		token, err := s.Seal(c, principal)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Open(token, Expect{Request: c.Request, Principal: principal, Handler: c.Handler, MaxRounds: c.Round})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, c) {
			t.Fatalf("opened %+v, sealed %+v", got, c)
		}
	})
}
