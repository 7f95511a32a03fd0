package state

import (
	"bytes"
	"errors"
	"testing"
)

// FuzzOpen: no text but the token that was sealed opens, and none does more
// than be refused.
func FuzzOpen(f *testing.F) {
	s, _ := newSealer(f, SealerOptions{Audience: "tools", Realm: "eu"})
	_, want := sample(f)
	for _, seed := range []string{golden, golden[:100], golden + "A", prefix, "", "mm2." + golden[4:], "mm1.AQE"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, token string) {
		c, err := s.Open(token, want)
		if token == golden {
			if err != nil {
				t.Fatal(err)
			}
			return
		}
		var bad *InvalidError
		if c != nil || !errors.As(err, &bad) || bad.Reason == "" {
			t.Fatalf("%q gives %v, %v", token, c, err)
		}
	})
}

// FuzzDecode: what decodes has one spelling, the one that encode writes.
func FuzzDecode(f *testing.F) {
	plaintext := valid(f)
	f.Add(plaintext)
	f.Add(plaintext[:fixedSize])
	f.Add([]byte{})
	f.Add(bytes.Repeat([]byte{0xff}, 200))
	f.Fuzz(func(t *testing.T, plaintext []byte) {
		c, tag, err := decode(plaintext)
		if err != nil {
			if c != nil {
				t.Fatal("claims beside an error")
			}
			return
		}
		if again := encode(c, tag); !bytes.Equal(again, plaintext) {
			t.Fatalf("%x decodes to %+v, which encodes to %x", plaintext, c, again)
		}
	})
}
