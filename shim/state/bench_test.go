package state

import (
	"testing"
)

// BenchmarkToken compares sealing and opening a token whose journal holds 1 KiB
// with the bare cipher on as many bytes: the difference is what checks, layout and
// encoding cost.
func BenchmarkToken(b *testing.B) {
	s, _ := newSealer(b, SealerOptions{})
	c, want := sample(b)
	c.Entries = []Entry{{Kind: EntryAnswer, Key: "answer", Value: text(1 << 10)}}
	token := seal(b, s, c, alice)
	plaintext := encode(c, [16]byte{})
	b.Run("seal and open", func(b *testing.B) {
		b.SetBytes(int64(len(plaintext)))
		b.ReportAllocs()
		for b.Loop() {
			token = seal(b, s, c, alice)
			if _, err := s.Open(token, want); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("bare cipher", func(b *testing.B) {
		x := s.ring.keys[0].seal
		b.SetBytes(int64(len(plaintext)))
		b.ReportAllocs()
		for b.Loop() {
			sealed, err := x.seal(nil, plaintext, nil)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := x.open(sealed, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("digest of the request", func(b *testing.B) {
		arguments := []byte(`{"to":"someone","amount":12.50,"note":` + string(text(900)) + `}`)
		b.SetBytes(int64(len(arguments)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := s.RequestDigest(call, "pay", arguments); err != nil {
				b.Fatal(err)
			}
		}
	})
}
