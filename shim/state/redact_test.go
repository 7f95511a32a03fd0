package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

// TestNothingLeaks prints everything that holds a secret, an answer or a
// principal, in every way that a log might.
func TestNothingLeaks(t *testing.T) {
	key := Key{Secret: []byte("a secret of more than 32 bytes: hunter2")}
	ring := newRing(t, key)
	s, _ := newSealer(t, SealerOptions{Ring: ring})
	c, want := sample(t)
	token := seal(t, s, c, alice)
	opened, err := s.Open(token, want)
	if err != nil {
		t.Fatal(err)
	}
	_, refusal := s.Open(token[:len(token)-1], want)

	values := map[string]any{
		"key": key, "pointer to a key": &key, "keys": []Key{key}, "ring": ring, "sealer": s, "no ring": (*Ring)(nil),
		"claims": c, "claims by value": *c, "opened": opened, "entry": c.Entries[1], "entries": c.Entries,
		"refusal": refusal, "no claims": (*Claims)(nil),
		"exported fields": struct {
			K *Key
			E *Entry
			C *Claims
		}{&key, &c.Entries[1], c},
		"unexported fields": struct {
			r *Ring
			s *Sealer
		}{ring, s},
	}
	for name, v := range values {
		var out bytes.Buffer
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			fmt.Fprintf(&out, verb+"\n", v)
		}
		slog.New(slog.NewTextHandler(&out, nil)).Info("x", "v", v)
		slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "v", v)
		if data, err := json.Marshal(v); err == nil {
			out.Write(data)
		}
		for _, derived := range [][]byte{ring.keys[0].bind, ring.keys[0].seal.k1[:]} {
			if bytes.Contains(out.Bytes(), []byte(strings.Trim(fmt.Sprint(derived[:8]), "[]"))) {
				t.Errorf("%s tells a derived key: %s", name, out.String())
			}
		}
		wantSilent(t, name, out.String())
	}
	if text := fmt.Sprint(c.Entries[1]); !strings.Contains(text, "answer") || !strings.Contains(text, "[redacted 47 bytes]") {
		t.Errorf("an entry prints as %s", text)
	}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "claims", c)
	if !strings.Contains(log.String(), "claims.round=3 claims.pending=2 claims.entries=3") {
		t.Errorf("claims log as %s", log.String())
	}
}

// wantSilent fails if text has a secret, an answer or a principal, also in
// decimal or hexadecimal.
func wantSilent(t *testing.T, name, text string) {
	t.Helper()
	text = strings.ToLower(text)
	for _, secret := range []string{"hunter2", "alice"} {
		digits := strings.Trim(fmt.Sprint([]byte(secret)), "[]")
		for _, form := range []string{secret, fmt.Sprintf("%x", secret), digits, strings.ReplaceAll(digits, " ", ", ")} {
			if strings.Contains(text, form) {
				t.Errorf("%s tells %s: %s", name, secret, text)
			}
		}
	}
}

// TestErrorsTellNothing: no error of sealing or opening repeats what it is
// about.
func TestErrorsTellNothing(t *testing.T) {
	s, _ := newSealer(t, SealerOptions{Limits: Limits{Answer: 60, Sealed: 1000}})
	spoil := []func(*Claims){
		func(c *Claims) { c.Round = 0 },
		func(c *Claims) { c.Round = 100 },
		func(c *Claims) { c.Entries[1].Value = json.RawMessage(`{"pin":"hunter2"`) },
		func(c *Claims) { c.Entries[1].Value = json.RawMessage(`"hunter2` + strings.Repeat(" ", 100) + `"`) },
		func(c *Claims) { c.Entries[1].Key = "hunter2 " },
		func(c *Claims) { c.Entries[1].Key = strings.Repeat("hunter2", 20) },
		func(c *Claims) { c.Pending = append(c.Pending, Pending{Key: "hunter2"}, Pending{Key: "hunter2"}) },
		func(c *Claims) {
			c.Entries = append(c.Entries, c.Entries...)
			c.Entries = append(c.Entries, c.Entries...)
		},
	}
	for i, spoil := range spoil {
		c, _ := sample(t)
		spoil(c)
		_, err := s.Seal(c, alice)
		if err == nil {
			t.Errorf("%d: sealed", i)
			continue
		}
		wantSilent(t, fmt.Sprint(i), fmt.Sprintf("%v %+v %#v", err, err, err))
	}
	for _, arguments := range []string{`{"pin":"hunter2"`, `{"hunter2":1,"hunter2":2}`, `"hunter2\ud800"`} {
		_, err := RequestDigest(call, "pay", json.RawMessage(arguments))
		if err == nil {
			t.Errorf("%s has a digest", arguments)
			continue
		}
		wantSilent(t, arguments, fmt.Sprintf("%v %+v %#v", err, err, err))
	}
	if errors.Is(invalid(ReasonExpired), ErrClaims) || errors.Is(ErrInvalid, &InvalidError{}) {
		t.Error("errors are confused")
	}
}
