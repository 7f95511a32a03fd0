package state

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestNewRing(t *testing.T) {
	tests := []struct {
		name string
		keys []Key
		ok   bool
	}{
		{"one", []Key{{Secret: secret(1)}}, true},
		{"two", []Key{{Secret: secret(1)}, {Secret: secret(2)}}, true},
		{"long secret", []Key{{Secret: make([]byte, 1000)}}, true},
		{"all revoked", []Key{{Secret: secret(1), Revoked: true}}, true},
		{"one second of use", []Key{{Secret: secret(1), NotBefore: start, NotAfter: start.Add(time.Second)}}, true},
		{"none", nil, false},
		{"no secret", []Key{{}}, false},
		{"short secret", []Key{{Secret: secret(1)[:MinSecret-1]}}, false},
		{"one short secret", []Key{{Secret: secret(1)}, {Secret: secret(2)[1:]}}, false},
		{"twice", []Key{{Secret: secret(1)}, {Secret: secret(2)}, {Secret: secret(1)}}, false},
		{"twice, once revoked", []Key{{Secret: secret(1), Revoked: true}, {Secret: secret(1)}}, false},
		{"no time of use", []Key{{Secret: secret(1), NotBefore: start, NotAfter: start}}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if r, err := NewRing(tt.keys...); tt.ok != (err == nil) || tt.ok != (r != nil) {
				t.Errorf("got %v, %v", r, err)
			}
		})
	}
	if _, err := NewRing(); !errors.Is(err, ErrNoKey) {
		t.Errorf("without keys: %v, want ErrNoKey", err)
	}
}

// TestCollidingIdentifiers: two secrets whose tokens could not be told apart
// are refused, although they differ. The two were found by search.
func TestCollidingIdentifiers(t *testing.T) {
	numbered := func(n uint64) Key {
		sum := sha256.Sum256(binary.BigEndian.AppendUint64(nil, n))
		return Key{Secret: sum[:]}
	}
	const one, other = 64149, 80051
	if _, err := NewRing(numbered(one), numbered(other)); err == nil {
		t.Error("two keys of one identifier are accepted")
	}
	if _, err := NewRing(numbered(one), numbered(other+1)); err != nil {
		t.Error(err)
	}
}

// TestRingCopiesSecrets: wiping or changing a secret afterwards is harmless.
func TestRingCopiesSecrets(t *testing.T) {
	given := secret(1)
	a, _ := newSealer(t, SealerOptions{Ring: newRing(t, Key{Secret: given})})
	clear(given)
	b, _ := newSealer(t, SealerOptions{Ring: newRing(t, Key{Secret: secret(1)})})
	c, want := sample(t)
	if _, err := b.Open(seal(t, a, c, alice), want); err != nil {
		t.Error(err)
	}
}

// TestKeyTimes has the exact instants at which a key begins to seal, and stops
// to seal and to open.
func TestKeyTimes(t *testing.T) {
	begin, end := start.Add(time.Minute), start.Add(3*time.Minute)
	old := Key{Secret: secret(1)}
	limited := Key{Secret: secret(2), NotBefore: begin, NotAfter: end}
	ring := newRing(t, old, limited)
	tests := []struct {
		name        string
		at          time.Time
		seals       Key
		opensSecond bool
	}{
		{"long before", start, old, true},
		{"just before", begin.Add(-1), old, true},
		{"at its beginning", begin, limited, true},
		{"just before its end", end.Add(-1), limited, true},
		{"at its end", end, old, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, clock := newSealer(t, SealerOptions{Ring: ring})
			clock.now = tt.at
			c, want := sample(t)
			token := seal(t, s, c, alice)
			only, clock := newSealer(t, SealerOptions{Ring: newRing(t, Key{Secret: tt.seals.Secret})})
			clock.now = tt.at
			if _, err := only.Open(token, want); err != nil {
				t.Errorf("sealed with the other key: %v", err)
			}

			second, clock := newSealer(t, SealerOptions{Ring: newRing(t, Key{Secret: limited.Secret})})
			clock.now = tt.at
			c, want = sample(t)
			_, err := s.Open(seal(t, second, c, alice), want)
			if tt.opensSecond {
				if err != nil {
					t.Errorf("does not open: %v", err)
				}
			} else {
				wantReason(t, err, ReasonRetiredKey)
			}
		})
	}
}

func TestNewestActiveKeySeals(t *testing.T) {
	ago := func(d time.Duration) time.Time { return start.Add(-d) }
	tests := []struct {
		name string
		keys []Key
		want int // index of the key that seals, -1 for none
	}{
		{"first of equals", []Key{{}, {}, {}}, 0},
		{"newest", []Key{{NotBefore: ago(3)}, {NotBefore: ago(1)}, {NotBefore: ago(2)}}, 1},
		{"any time is newer than none", []Key{{}, {NotBefore: ago(time.Hour)}}, 1},
		{"not yet active", []Key{{}, {NotBefore: ago(-1)}}, 0},
		{"newest is revoked", []Key{{}, {NotBefore: ago(1), Revoked: true}}, 0},
		{"newest is out of date", []Key{{}, {NotBefore: ago(2), NotAfter: ago(1)}}, 0},
		{"all revoked", []Key{{Revoked: true}, {Revoked: true}}, -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for i := range tt.keys {
				tt.keys[i].Secret = secret(byte(i))
			}
			ring := newRing(t, tt.keys...)
			got, err := ring.sealing(start)
			if tt.want < 0 {
				if !errors.Is(err, ErrNoActiveKey) {
					t.Errorf("got %v, want ErrNoActiveKey", err)
				}
				return
			}
			if err != nil || got != ring.keys[tt.want] {
				t.Errorf("another key seals, %v", err)
			}
		})
	}
}

// TestRotation goes through a rotation of two instances in the documented
// order. In every step each opens what the other seals.
func TestRotation(t *testing.T) {
	old, next := NewSecret(), NewSecret()
	type fleet [2]string // EnvKeys of two instances
	steps := []fleet{
		{old, old},
		{old + "," + next, old},
		{old + "," + next, old + "," + next},
		{next + "," + old, old + "," + next},
		{next + "," + old, next + "," + old},
		{next, next + "," + old},
		{next, next},
	}
	var carried string // sealed in the step before
	for i, step := range steps {
		sealers := [2]*Sealer{fromEnvironment(t, step[0]), fromEnvironment(t, step[1])}
		c, want := sample(t)
		for a := range sealers {
			token := seal(t, sealers[a], c, alice)
			if _, err := sealers[1-a].Open(token, want); err != nil {
				t.Errorf("step %d: instance %d refuses the other's token: %v", i, 1-a, err)
			}
			if i != 5 && carried != "" { // the old key is dropped only after its last token
				if _, err := sealers[a].Open(carried, want); err != nil {
					t.Errorf("step %d: instance %d refuses a token of the step before: %v", i, a, err)
				}
			}
		}
		carried = seal(t, sealers[1], c, alice)
	}

	c, want := sample(t)
	token := seal(t, fromEnvironment(t, old), c, alice)
	_, err := fromEnvironment(t, next).Open(token, want)
	wantReason(t, err, ReasonUnknownKey)
}

func fromEnvironment(t *testing.T, value string) *Sealer {
	t.Helper()
	t.Setenv(EnvKeys, value)
	ring, err := RingFromEnvironment()
	if err != nil {
		t.Fatal(err)
	}
	s, _ := newSealer(t, SealerOptions{Ring: ring})
	return s
}

func TestRevokedKey(t *testing.T) {
	good, bad := Key{Secret: secret(1)}, Key{Secret: secret(2)}
	s, _ := newSealer(t, SealerOptions{Ring: newRing(t, bad, good)})
	c, want := sample(t)
	token := seal(t, s, c, alice)
	if _, err := s.Open(token, want); err != nil {
		t.Fatal(err)
	}
	bad.Revoked = true
	s, _ = newSealer(t, SealerOptions{Ring: newRing(t, bad, good)})
	_, err := s.Open(token, want)
	wantReason(t, err, ReasonRetiredKey)
	if _, err := s.Open(seal(t, s, c, alice), want); err != nil {
		t.Errorf("the other key: %v", err)
	}
}

func TestEphemeralRing(t *testing.T) {
	var sealers [2]*Sealer
	for i := range sealers {
		ring, err := EphemeralRing()
		if err != nil {
			t.Fatal(err)
		}
		if !ring.Ephemeral() {
			t.Error("it does not say that it is ephemeral")
		}
		sealers[i], _ = newSealer(t, SealerOptions{Ring: ring})
	}
	c, want := sample(t)
	token := seal(t, sealers[0], c, alice)
	if _, err := sealers[0].Open(token, want); err != nil {
		t.Error(err)
	}
	_, err := sealers[1].Open(token, want)
	wantReason(t, err, ReasonUnknownKey)
	if newRing(t, Key{Secret: secret(1)}).Ephemeral() {
		t.Error("a ring of given keys says that it is ephemeral")
	}
}

func TestRingFromEnvironment(t *testing.T) {
	a, b := NewSecret(), NewSecret()
	short := base64.RawURLEncoding.EncodeToString(secret(1)[1:])
	tests := []struct {
		name, value string
		keys        int // 0 means an error
	}{
		{"one", a, 1},
		{"two", a + "," + b, 2},
		{"space around", " " + a + " ,\n" + b + "\n", 2},
		{"empty entry", a + ",," + b, 0},
		{"comma at the end", a + ",", 0},
		{"twice", a + "," + a, 0},
		{"short", short, 0},
		{"second is short", a + "," + short, 0},
		{"no base64", "hunter2 hunter2 hunter2", 0},
		{"padded", base64.URLEncoding.EncodeToString(secret(250)), 0},
		{"other alphabet", base64.RawStdEncoding.EncodeToString(secret(251)), 0},
		{"line break within", a[:10] + "\n" + a[10:], 0},
		{"separated by spaces", a + " " + b, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv(EnvKeys, tt.value)
			ring, err := RingFromEnvironment()
			if tt.keys == 0 {
				if err == nil {
					t.Fatal("accepted")
				}
				if !strings.Contains(err.Error(), EnvKeys) {
					t.Errorf("error does not say where the key comes from: %v", err)
				}
				for _, part := range []string{a, b, short, "hunter2"} {
					if strings.Contains(err.Error(), part) {
						t.Errorf("error repeats a secret: %v", err)
					}
				}
				return
			}
			if err != nil || len(ring.keys) != tt.keys || ring.Ephemeral() {
				t.Errorf("got %v, %v", ring, err)
			}
		})
	}
	for _, blank := range []string{"", " ", "\n"} {
		t.Setenv(EnvKeys, blank)
		if _, err := RingFromEnvironment(); !errors.Is(err, ErrNoKey) {
			t.Errorf("%q gives %v, want ErrNoKey", blank, err)
		}
	}
}

func TestNewSecret(t *testing.T) {
	a, b := NewSecret(), NewSecret()
	if a == b {
		t.Error("the same secret twice")
	}
	data, err := base64.RawURLEncoding.DecodeString(a)
	if err != nil || len(data) != MinSecret {
		t.Errorf("%d bytes, %v", len(data), err)
	}
}
