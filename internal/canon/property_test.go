package canon

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"
)

// A value is JSON as an oracle sees it: nil, bool, number, string, []any or
// []field.
type number struct {
	negative bool
	digits   string // no leading or trailing zero; empty means zero
	exponent int    // of the last digit
}

type field struct {
	name  string
	value any
}

// genValue makes a value of little depth. Strings and numbers come from small
// sets of near misses, so that independent values collide often enough to matter.
func genValue(t *rapid.T, depth int) any {
	kinds := 5
	if depth > 0 {
		kinds = 7
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return nil
	case 1:
		return rapid.Bool().Draw(t, "bool")
	case 2, 3:
		return genNumber(t)
	case 4:
		return genString(t)
	case 5:
		list := make([]any, rapid.IntRange(0, 3).Draw(t, "length"))
		for i := range list {
			list[i] = genValue(t, depth-1)
		}
		return list
	}
	names := rapid.SliceOfNDistinct(rapid.Custom(genString), 0, 4, rapid.ID).Draw(t, "names")
	fields := make([]field, len(names))
	for i, name := range names {
		fields[i] = field{name, genValue(t, depth-1)}
	}
	return fields
}

func genNumber(t *rapid.T) number {
	n := number{
		digits:   strings.Trim(rapid.StringMatching(`(900719925474099[0-9]|[0-9]{0,25})`).Draw(t, "digits"), "0"),
		exponent: rapid.OneOf(rapid.IntRange(-3, 3), rapid.IntRange(-400, 400)).Draw(t, "exponent"),
	}
	if n.digits == "" {
		return number{}
	}
	n.negative = rapid.Bool().Draw(t, "negative")
	return n
}

func genString(t *rapid.T) string {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"", "a", "A", "b", "k", "\u212a", "é", "e\u0301", "\ufb33", "😀", "\x00", "\"", "\\", "/", "\u2028"}),
		rapid.StringN(0, 8, -1),
	).Draw(t, "string")
}

// spell writes v in one of its many spellings. It keeps the order of names that
// differ only in case, and no other.
func spell(t *rapid.T, b *strings.Builder, v any) {
	space := func() {
		b.WriteString(rapid.SampledFrom([]string{"", "", "", " ", "\n", "\t\r "}).Draw(t, "space"))
	}
	space()
	switch v := v.(type) {
	case nil:
		b.WriteString("null")
	case bool:
		fmt.Fprint(b, v)
	case number:
		spellNumber(t, b, v)
	case string:
		spellString(t, b, v)
	case []any:
		b.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			spell(t, b, e)
		}
		space()
		b.WriteByte(']')
	case []field:
		b.WriteByte('{')
		for i, f := range shuffle(t, v) {
			if i > 0 {
				b.WriteByte(',')
			}
			space()
			spellString(t, b, f.name)
			space()
			b.WriteByte(':')
			spell(t, b, f.value)
		}
		space()
		b.WriteByte('}')
	}
	space()
}

func shuffle(t *rapid.T, fields []field) []field {
	shuffled := rapid.Permutation(fields).Draw(t, "order")
	for i := range shuffled {
		// Restore the order among equals: the next of v's that folds alike.
		f := fold([]byte(shuffled[i].name))
		nth := 0
		for _, before := range shuffled[:i] {
			if fold([]byte(before.name)) == f {
				nth++
			}
		}
		for _, original := range fields {
			if fold([]byte(original.name)) == f {
				if nth == 0 {
					shuffled[i] = original
					break
				}
				nth--
			}
		}
	}
	return shuffled
}

func spellNumber(t *rapid.T, b *strings.Builder, n number) {
	if n.negative || n.digits == "" && rapid.Bool().Draw(t, "negative zero") {
		b.WriteByte('-')
	}
	digits, exponent := n.digits, n.exponent
	zeros := rapid.IntRange(0, 3).Draw(t, "zeros")
	digits, exponent = digits+strings.Repeat("0", zeros), exponent-zeros
	// Put the point anywhere, also before the first digit.
	most := len(digits)
	if n.digits == "" {
		most = 0 // else the number could start with two zeros
	}
	point := rapid.IntRange(-2, most).Draw(t, "point")
	if point <= 0 {
		digits = strings.Repeat("0", 1-point) + digits
		point = 1
	}
	exponent += len(digits) - point
	b.WriteString(digits[:point])
	if point < len(digits) {
		b.WriteString("." + digits[point:])
	}
	if exponent != 0 || rapid.Bool().Draw(t, "exponent") {
		b.WriteString(rapid.SampledFrom([]string{"e", "E"}).Draw(t, "e"))
		if exponent >= 0 && rapid.Bool().Draw(t, "plus") {
			b.WriteByte('+')
		}
		b.WriteString(strconv.Itoa(exponent))
	}
}

func spellString(t *rapid.T, b *strings.Builder, s string) {
	b.WriteByte('"')
	for _, r := range s {
		must := r < 0x20 || r == '"' || r == '\\'
		if !must && rapid.IntRange(0, 3).Draw(t, "escape") > 0 {
			b.WriteRune(r)
			continue
		}
		for _, u := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(b, rapid.SampledFrom([]string{`\u%04x`, `\u%04X`}).Draw(t, "hex"), u)
		}
	}
	b.WriteByte('"')
}

func spelling(t *rapid.T, v any) []byte {
	var b strings.Builder
	spell(t, &b, v)
	return []byte(b.String())
}

func canonical(t *rapid.T, text []byte) []byte {
	form, err := Canonical(text)
	if err != nil {
		t.Fatalf("%s is refused: %v", text, err)
	}
	return form
}

// same reports whether two values are the same, by definition and not by form.
func same(a, b any) bool {
	switch a := a.(type) {
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, same)
	case []field:
		b, ok := b.([]field)
		if !ok || len(a) != len(b) {
			return false
		}
		group := func(fields []field, f string) (g []field) {
			for _, x := range fields {
				if fold([]byte(x.name)) == f {
					g = append(g, x)
				}
			}
			return g
		}
		for _, x := range a {
			f := fold([]byte(x.name))
			if !slices.EqualFunc(group(a, f), group(b, f), func(x, y field) bool {
				return x.name == y.name && same(x.value, y.value)
			}) {
				return false
			}
		}
		return true
	}
	return !isTree(b) && a == b
}

func isTree(v any) bool {
	switch v.(type) {
	case []any, []field:
		return true
	}
	return false
}

func TestOneFormPerValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := genValue(t, 3)
		a, b := spelling(t, v), spelling(t, v)
		form := canonical(t, a)
		if other := canonical(t, b); !bytes.Equal(form, other) {
			t.Fatalf("%s and %s have the forms %s and %s", a, b, form, other)
		}
		if again := canonical(t, form); !bytes.Equal(again, form) {
			t.Fatalf("the form of %s is %s", form, again)
		}
	})
}

func TestOneValuePerForm(t *testing.T) {
	equal := 0
	rapid.Check(t, func(t *rapid.T) {
		v, w := genValue(t, 2), genValue(t, 2)
		if rapid.Bool().Draw(t, "near") {
			w = mutate(t, v)
		}
		a, b := spelling(t, v), spelling(t, w)
		forms := bytes.Equal(canonical(t, a), canonical(t, b))
		if same(v, w) {
			equal++
		}
		if forms != same(v, w) {
			t.Fatalf("%s and %s: same form is %t, same value is %t", a, b, forms, same(v, w))
		}
	})
	if equal == 0 {
		t.Error("no two values were the same")
	}
}

// mutate returns v with one part of it replaced by something near.
func mutate(t *rapid.T, v any) any {
	switch v := v.(type) {
	case number:
		if rapid.Bool().Draw(t, "sign") && v.digits != "" {
			v.negative = !v.negative
			return v
		}
		v.digits = strings.Trim(v.digits+rapid.SampledFrom([]string{"", "1", "0000000001"}).Draw(t, "more"), "0")
		if v.digits == "" {
			return number{}
		}
		return v
	case string:
		return v + rapid.SampledFrom([]string{"", "\u0301", "a", "\x00"}).Draw(t, "more")
	case []any:
		if len(v) == 0 {
			return []any{nil}
		}
		v = slices.Clone(v)
		i := rapid.IntRange(0, len(v)-1).Draw(t, "index")
		v[i] = mutate(t, v[i])
		return v
	case []field:
		if len(v) == 0 {
			return []any{}
		}
		v = slices.Clone(v)
		i := rapid.IntRange(0, len(v)-1).Draw(t, "index")
		if rapid.Bool().Draw(t, "swap") {
			v[0], v[i] = v[i], v[0]
			return v
		}
		v[i].value = mutate(t, v[i].value)
		return v
	}
	return genValue(t, 1)
}

// TestFormHoldsValue decodes the form with encoding/json and compares with the
// value, so that a form that loses something is found even if it loses it always.
func TestFormHoldsValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := genValue(t, 3)
		form := canonical(t, spelling(t, v))
		decoder := json.NewDecoder(bytes.NewReader(form))
		decoder.UseNumber()
		var got any
		if err := decoder.Decode(&got); err != nil {
			t.Fatalf("%s is no JSON: %v", form, err)
		}
		if !holds(got, v) {
			t.Fatalf("%s does not hold %#v", form, v)
		}
	})
}

func holds(got, want any) bool {
	switch want := want.(type) {
	case number:
		n, ok := got.(json.Number)
		if !ok {
			return false
		}
		a, ok := new(big.Rat).SetString(n.String())
		sign := map[bool]string{true: "-"}[want.negative]
		b, _ := new(big.Rat).SetString(fmt.Sprintf("%s0%se%d", sign, want.digits, want.exponent))
		return ok && a.Cmp(b) == 0
	case []any:
		list, ok := got.([]any)
		return ok && slices.EqualFunc(list, want, holds)
	case []field:
		object, ok := got.(map[string]any)
		if !ok || len(object) != len(want) {
			return false
		}
		for _, f := range want {
			if v, ok := object[f.name]; !ok || !holds(v, f.value) {
				return false
			}
		}
		return true
	}
	return got == want
}

// TestNumbersLikeRFC8785: encoding/json writes a float64 as ECMAScript does,
// which is what RFC 8785 asks for. On what a float64 holds, so do we.
func TestNumbersLikeRFC8785(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := math.Float64frombits(rapid.Uint64().Draw(t, "bits"))
		if math.IsNaN(f) || math.IsInf(f, 0) || f == 0 {
			f = rapid.Float64Range(-1e25, 1e25).Filter(func(f float64) bool { return f != 0 }).Draw(t, "float")
		}
		want, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, verb := range []byte{'e', 'f', 'g'} {
			text := strconv.FormatFloat(f, verb, -1, 64)
			if got := canonical(t, []byte(text)); !bytes.Equal(got, want) {
				t.Fatalf("%s gives %s, want %s", text, got, want)
			}
		}
	})
}
