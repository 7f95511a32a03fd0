package canon

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
)

// FuzzCanonical compares with encoding/json: what is accepted is JSON and reads
// the same in its canonical form, and what is JSON is refused for one of the stated
// reasons only.
func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `{"a":[1,2.50,-0,1e400],"A":"\ud83d\ude00\u0000"}`, `{"a":1,"a":2}`, `"\ud800"`, "\"\xff\"",
		`[[[[]]]]`, `9007199254740993`, `1e-99999`, ` { "\u20ac" : "é" } `, `{"k":1,"K":2,"K":3}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		form, err := Canonical(raw)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || form != nil {
				t.Fatalf("%q gives %q, %v", raw, form, err)
			}
			if errors.Is(err, ErrSyntax) && json.Valid(raw) {
				t.Fatalf("%q is JSON, but: %v", raw, err)
			}
			return
		}
		if !json.Valid(raw) || !json.Valid(form) {
			t.Fatalf("%q is no JSON, or its form %q is none", raw, form)
		}
		again, err := Canonical(form)
		if err != nil || !bytes.Equal(again, form) {
			t.Fatalf("%q has the form %q, and that %q, %v", raw, form, again, err)
		}
		if a, b := floats(t, raw), floats(t, form); !bytes.Equal(a, b) {
			t.Fatalf("%q and its form %q read as %s and %s", raw, form, a, b)
		}
	})
}

// floats reads text as encoding/json does and writes it again. Numbers that
// overflow a float64 are left out of the comparison.
func floats(t *testing.T, text []byte) []byte {
	var v any
	var overflow *json.UnmarshalTypeError
	if err := json.Unmarshal(text, &v); errors.As(err, &overflow) {
		return nil
	} else if err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.ReplaceAll(out, []byte("-0"), []byte("0"))
}
