package state

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/mrtr-migrate/mrtr-migrate/internal/canon"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

const call = protocol.MethodCallTool

// TestDocumentedDigest computes a digest by its definition.
func TestDocumentedDigest(t *testing.T) {
	want := sha256.Sum256([]byte("mrtr-migrate/v1/request\x00" +
		"\x00\x00\x00\x0atools/call" + "\x00\x00\x00\x03pay" + "\x00\x00\x00\x0d" + `{"a":1,"b":2}`))
	if got := digest(t, call, "pay", ` {"b":2.0,"a":1}`); got != want {
		t.Errorf("got %x, want %x", got, want)
	}
}

func TestRequestDigestSame(t *testing.T) {
	for _, group := range [][]string{
		{``, ` `, "\r\n\t", `null`, ` null `, `{}`, " {\n} "},
		{`{"n":1}`, `{"n":1.0}`, `{"n":1e0}`, `{ "n" : 10e-1 }`, `{"\u006e":1}`},
		{`{"a":1,"b":{"c":2,"d":3}}`, `{"b":{"d":3,"c":2},"a":1}`},
		{`{"n":0}`, `{"n":-0.0}`},
	} {
		first := digest(t, call, "pay", group[0])
		for _, arguments := range group[1:] {
			if digest(t, call, "pay", arguments) != first {
				t.Errorf("%q and %q differ", arguments, group[0])
			}
		}
	}
	if digest(t, call, "pay", "") != must(RequestDigest(call, "pay", nil)) {
		t.Error("nil and empty arguments differ")
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestRequestDigestDiffers(t *testing.T) {
	type request struct{ method, target, arguments string }
	requests := []request{
		{call, "pay", ``},
		{call, "pay", `{"n":null}`},
		{call, "pay", `[]`},
		{call, "pay", `{"n":9007199254740993}`},
		{call, "pay", `{"n":9007199254740992}`},
		{call, "pay", `{"n":0.1}`},
		{call, "pay", `{"n":0.10000000000000001}`},
		{call, "pay", `{"n":"0.1"}`},
		{call, "pay", `{"n":[1,2]}`},
		{call, "pay", `{"n":[2,1]}`},
		{call, "pay", `{"N":[2,1]}`},
		{call, "pay", `{"n":"é"}`},
		{call, "pay", `{"n":"e\u0301"}`},
		{call, "pay", `{"amount":1,"Amount":2}`},
		{call, "pay", `{"Amount":2,"amount":1}`},
		{call, "pay ", ``},
		{call, "Pay", ``},
		{call, "", ``},
		{call, "pay{}", ``},
		{protocol.MethodGetPrompt, "pay", ``},
		{protocol.MethodReadResource, "pay", ``},
	}
	seen := map[[32]byte]request{}
	for _, r := range requests {
		d := digest(t, r.method, r.target, r.arguments)
		if other, ok := seen[d]; ok {
			t.Errorf("%q and %q have one digest", r, other)
		}
		seen[d] = r
	}
}

func TestRequestDigestRefuses(t *testing.T) {
	tests := []struct {
		name, method, arguments string
		kind                    error
	}{
		{"other method", "tools/list", ``, nil},
		{"method in capitals", "Tools/Call", ``, nil},
		{"no method", "", ``, nil},
		{"arguments of a resource", protocol.MethodReadResource, `{"a":1}`, nil},
		{"no JSON", call, `{`, canon.ErrSyntax},
		{"name twice", call, `{"a":1,"\u0061":2}`, canon.ErrDuplicate},
		{"lone surrogate", call, `{"a":"\ud800"}`, canon.ErrSurrogate},
		{"invalid UTF-8", call, "{\"a\":\"\xff\"}", canon.ErrUTF8},
		{"other space", call, "\u00a0", canon.ErrSyntax},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := RequestDigest(tt.method, "pay", json.RawMessage(tt.arguments))
			if err == nil || got != [32]byte{} {
				t.Fatalf("got %x, %v", got, err)
			}
			if tt.kind != nil && !errors.Is(err, tt.kind) {
				t.Errorf("got %v, want %v", err, tt.kind)
			}
		})
	}
	for _, arguments := range []string{``, `null`, `{}`} {
		if _, err := RequestDigest(protocol.MethodReadResource, "file:///a", json.RawMessage(arguments)); err != nil {
			t.Errorf("a resource with %q: %v", arguments, err)
		}
	}
}

func TestHandlerFingerprint(t *testing.T) {
	sets := []struct {
		id       string
		versions map[string]string
	}{
		{"a", nil},
		{"b", nil},
		{"", nil},
		{"a", map[string]string{"x": "1"}},
		{"a", map[string]string{"x": "2"}},
		{"a", map[string]string{"x": ""}},
		{"a", map[string]string{"": "x"}},
		{"a", map[string]string{"x1": ""}},
		{"a", map[string]string{"x": "1", "y": "2"}},
		{"a", map[string]string{"x": "2", "y": "1"}},
		{"ax", map[string]string{"1": ""}},
	}
	seen := map[[16]byte]int{}
	for i, set := range sets {
		f := HandlerFingerprint(set.id, set.versions)
		if j, ok := seen[f]; ok {
			t.Errorf("%v and %v have one fingerprint", set, sets[j])
		}
		seen[f] = i
	}
	many := map[string]string{}
	for _, name := range strings.Split("abcdefgh", "") {
		many[name] = name
	}
	first := HandlerFingerprint("a", many)
	for range 20 {
		if HandlerFingerprint("a", many) != first {
			t.Fatal("the fingerprint depends on the order of the map")
		}
	}
	if HandlerFingerprint("a", map[string]string{}) != HandlerFingerprint("a", nil) {
		t.Error("no versions and an empty map differ")
	}
}
