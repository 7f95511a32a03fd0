package state

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha3"
	"encoding/hex"
	"io"
	"testing"
)

// The vectors of c2sp.org/XAES-256-GCM, for both values of the first bit of L.
var xaesVectors = []struct {
	name, subkey, additional, sealed string
	key                              byte
}{
	{
		name:   "carry clear",
		key:    0x01,
		subkey: "c8612c9ed53fe43e8e005b828a1631a0bbcb6ab2f46514ec4f439fcfd0fa969b",
		sealed: "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271",
	},
	{
		name:       "carry set",
		key:        0x03,
		subkey:     "e9c621d4cdd9b11b00a6427ad7e559aeedd66b3857646677748f8ca796cb3fd8",
		additional: "c2sp.org/XAES-256-GCM",
		sealed:     "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d",
	},
}

func TestXAESVectors(t *testing.T) {
	const nonce, plaintext = "ABCDEFGHIJKLMNOPQRSTUVWX", "XAES-256-GCM"
	for _, v := range xaesVectors {
		t.Run(v.name, func(t *testing.T) {
			x, err := newXAES(bytes.Repeat([]byte{v.key}, keySize))
			if err != nil {
				t.Fatal(err)
			}
			if got := hex.EncodeToString(x.derive([]byte(nonce[:nonceHalf]))); got != v.subkey {
				t.Errorf("derived key is %s, want %s", got, v.subkey)
			}
			body, err := hex.DecodeString(v.sealed)
			if err != nil {
				t.Fatal(err)
			}
			sealed := append([]byte(nonce), body...)
			got, err := x.open(sealed, []byte(v.additional))
			if err != nil || string(got) != plaintext {
				t.Errorf("open gives %q, %v; want %q", got, err, plaintext)
			}
			if got := sealWith(t, x, nonce, plaintext, v.additional); !bytes.Equal(got, sealed) {
				t.Errorf("sealing gives %x, want %x", got, sealed)
			}
			sealed[len(sealed)-1] ^= 1
			if _, err := x.open(sealed, []byte(v.additional)); err == nil {
				t.Error("open accepts a changed tag")
			}
		})
	}
}

// sealWith seals with a given nonce, which seal does not take. It shares the
// derivation with seal; that seal writes what open reads is another test's.
func sealWith(t *testing.T, x *xaes, nonce, plaintext, additional string) []byte {
	t.Helper()
	block, err := aes.NewCipher(x.derive([]byte(nonce[:nonceHalf])))
	if err != nil {
		t.Fatal(err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	return aead.Seal([]byte(nonce), []byte(nonce[nonceHalf:]), []byte(plaintext), []byte(additional))
}

// TestXAESAccumulated runs the specification's 10,000 random vectors.
func TestXAESAccumulated(t *testing.T) {
	const want = "e6b9edf2df6cec60c8cbd864e2211b597fb69a529160cd040d56c0c210081939"
	source, sum := sha3.NewSHAKE128(), sha3.NewSHAKE128()
	read := func(n int) string {
		b := make([]byte, n)
		if _, err := io.ReadFull(source, b); err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	field := func() string { return read(int(read(1)[0])) }
	for i := range 10_000 {
		x, err := newXAES([]byte(read(keySize)))
		if err != nil {
			t.Fatal(err)
		}
		nonce, plaintext, additional := read(nonceSize), field(), field()
		sealed := sealWith(t, x, nonce, plaintext, additional)
		sum.Write(sealed[nonceSize:])
		if got, err := x.open(sealed, []byte(additional)); err != nil || string(got) != plaintext {
			t.Fatalf("vector %d: open gives %x, %v; want %x", i, got, err, plaintext)
		}
	}
	got := make([]byte, len(want)/2)
	if _, err := io.ReadFull(sum, got); err != nil {
		t.Fatal(err)
	}
	if hex.EncodeToString(got) != want {
		t.Errorf("hash of all ciphertexts is %x, want %s", got, want)
	}
}

func TestXAESSealOpens(t *testing.T) {
	x, err := newXAES(bytes.Repeat([]byte{7}, keySize))
	if err != nil {
		t.Fatal(err)
	}
	prefix := []byte("before")
	seen := map[string]bool{}
	for range 100 {
		out, err := x.seal(prefix, []byte("text"), []byte("more"))
		if err != nil {
			t.Fatal(err)
		}
		sealed := out[len(prefix):]
		if !bytes.HasPrefix(out, prefix) || len(sealed) != cipherMinimum+len("text") {
			t.Fatalf("sealed %d bytes after %q", len(sealed), out[:len(prefix)])
		}
		if first, second := string(sealed[:nonceHalf]), string(sealed[nonceHalf:nonceSize]); seen[first] || seen[second] {
			t.Fatal("a half of the nonce repeats")
		} else {
			seen[first], seen[second] = true, true
		}
		if got, err := x.open(sealed, []byte("more")); err != nil || string(got) != "text" {
			t.Fatalf("open gives %q, %v", got, err)
		}
		if _, err := x.open(sealed, []byte("other")); err == nil {
			t.Fatal("open accepts other additional data")
		}
	}
	for _, n := range []int{0, 16, 31, 33, 64} {
		if _, err := newXAES(make([]byte, n)); err == nil {
			t.Errorf("a key of %d bytes is accepted", n)
		}
	}
	for n := range cipherMinimum {
		if _, err := x.open(make([]byte, n), nil); err == nil {
			t.Errorf("a ciphertext of %d bytes is accepted", n)
		}
	}
}
