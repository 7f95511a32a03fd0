package canon

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode"
)

func TestCanonical(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"words and space", " [ true ,\tfalse,\r\nnull ] ", `[true,false,null]`},
		{"empty array", `[ ]`, `[]`},
		{"empty object", "{\n}", `{}`},
		{"nested", `{"b":[{"d":1,"c":[]}],"a":{}}`, `{"a":{},"b":[{"c":[],"d":1}]}`},

		// RFC 8785, section 3.2.2: the example of the specification, without the
		// number that only a float64 would round.
		{
			"RFC 8785 primitives",
			"{\"numbers\":[333333333.3333333,1E30,4.50,2e-3,0.000000000000000000000000001]," +
				`"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`,
			`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],` +
				`"string":"€$\u000f\nA'B\"\\\\\"/"}`,
		},
		// RFC 8785, section 3.2.3: order by UTF-16 code units. U+FB33 comes after
		// U+1F600, whose first unit is a surrogate.
		{
			"RFC 8785 order",
			`{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh",` +
				`"1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}`,
			`{"\r":"Carriage Return","1":"One","` + "\u0080" + `":"Control","ö":"Latin Small Letter O With Diaeresis",` +
				`"€":"Euro Sign","😀":"Emoji: Grinning Face","` + "\ufb33" + `":"Hebrew Letter Dalet With Dagesh"}`,
		},
		{"order within the planes", `{"\ud83d\ude01":1,"\ud83d\ude00":2,"\ud83c\udf00":3}`, `{"🌀":3,"😀":2,"😁":1}`},
		{"a prefix comes first", `{"ab":1,"a":2,"":3}`, `{"":3,"a":2,"ab":1}`},

		{"all escapes", `"\"\\\/\b\f\n\r\t\u0000\u001f\u007f\u2028"`, "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\u007f\u2028\""},
		{"hexadecimal digits", `"\u00E9\u00e9\uD83D\ude00"`, `"éé😀"`},
		{"no normalisation", `["é","é"]`, `["é","é"]`},
		{"noncharacters", `"\uffff\ufdd0"`, "\"\uffff\ufdd0\""},
		{"replacement character", `"` + "\ufffd" + `\ufffd"`, "\"\ufffd\ufffd\""},

		// Names that encoding/json matches to one field keep their order.
		{"equal but for case, sorted", `{"A":1,"a":2}`, `{"A":1,"a":2}`},
		{"equal but for case, not sorted", `{"a":2,"A":1}`, `{"a":2,"A":1}`},
		{"equal but for case, at the first of them", `{"z":0,"a":2,"B":3,"A":1,"C":4}`, `{"a":2,"A":1,"B":3,"C":4,"z":0}`},
		{"equal under folding", `{"K":1,"k":2,"\u212a":3}`, "{\"K\":1,\"k\":2,\"\u212a\":3}"},
		{"equal in upper or lower case", `{"\u0131":3,"\u0130":1,"i":2}`, `{"ı":3,"İ":1,"i":2}`},
		{"equal under folding, long s", `{"\u017f":1,"s":2,"S":3}`, `{"ſ":1,"s":2,"S":3}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Canonical([]byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestNumbers(t *testing.T) {
	tests := []struct{ in, want string }{
		{"0", "0"}, {"-0", "0"}, {"0.0", "0"}, {"-0e-5", "0"}, {"0e99999999999999999999", "0"},
		{"1", "1"}, {"1.0", "1"}, {"1e0", "1"}, {"1E+0", "1"}, {"10e-1", "1"}, {"0.1e1", "1"}, {"-1.00", "-1"},
		{"9007199254740993", "9007199254740993"},
		{"9007199254740992", "9007199254740992"},
		{"0.10000000000000001", "0.10000000000000001"},
		{"123456789012345678901", "123456789012345678901"},
		{"1234567890123456789012", "1.234567890123456789012e+21"},
		{"100000000000000000000", "100000000000000000000"},
		{"1000000000000000000000", "1e+21"},
		{"0.000001", "0.000001"}, {"0.0000001", "1e-7"}, {"0.00000012", "1.2e-7"},
		{"12.5", "12.5"}, {"1250e-2", "12.5"}, {"0012.5e"[2:] + "0", "12.5"},
		{"9.99e9999", "9.99e+9999"}, {"1e-9999", "1e-9999"}, {"0.1e10000", "1e+9999"}, {"10e-10000", "1e-9999"},
		// RFC 8785, appendix B, where the text is exact.
		{"5e-324", "5e-324"}, {"1.7976931348623157e+308", "1.7976931348623157e+308"},
		{"9007199254740994", "9007199254740994"}, {"295147905179352830000", "295147905179352830000"},
		{"9.999999999999997e22", "9.999999999999997e+22"}, {"1e23", "1e+23"},
		{"999999999999999700000", "999999999999999700000"}, {"333333333.33333325", "333333333.33333325"},
		{"-0.0000033333333333333333", "-0.0000033333333333333333"},
	}
	for _, tt := range tests {
		got, err := Canonical([]byte(tt.in))
		if err != nil || string(got) != tt.want {
			t.Errorf("%s gives %s, %v; want %s", tt.in, got, err, tt.want)
		}
	}
}

func TestRefusals(t *testing.T) {
	tests := []struct {
		name, in string
		kind     error
		offset   int
	}{
		{"empty", "", ErrSyntax, 0},
		{"only space", " \n", ErrSyntax, 2},
		{"two values", "1 2", ErrSyntax, 2},
		{"byte order mark", "\ufeff1", ErrSyntax, 0},
		{"zero byte", "\x00", ErrSyntax, 0},
		{"misspelt word", "nul", ErrSyntax, 0},
		{"word too long", "nulll", ErrSyntax, 4},
		{"open array", "[1", ErrSyntax, 2},
		{"comma at the end", "[1,]", ErrSyntax, 3},
		{"no comma", "[1 2]", ErrSyntax, 3},
		{"wrong bracket", "[1}", ErrSyntax, 2},
		{"open object", `{"a":1`, ErrSyntax, 6},
		{"name without quotes", `{a:1}`, ErrSyntax, 1},
		{"no colon", `{"a" 1}`, ErrSyntax, 5},
		{"no value", `{"a":}`, ErrSyntax, 5},
		{"comma at the end of an object", `{"a":1,}`, ErrSyntax, 7},
		{"comment", "/**/1", ErrSyntax, 0},
		{"other space", "\u00a01", ErrSyntax, 0},

		{"leading zero", "01", ErrSyntax, 2},
		{"plus", "+1", ErrSyntax, 0},
		{"only a sign", "-", ErrSyntax, 1},
		{"no digit before the point", ".5", ErrSyntax, 0},
		{"no digit after the point", "5.", ErrSyntax, 2},
		{"no digit in the exponent", "5e+", ErrSyntax, 3},
		{"hexadecimal", "0x10", ErrSyntax, 1},
		{"not a number", "NaN", ErrSyntax, 0},

		{"open string", `"a`, ErrSyntax, 2},
		{"line break in a string", "\"a\nb\"", ErrSyntax, 2},
		{"unknown escape", `"\x41"`, ErrSyntax, 1},
		{"short escape", `"\u12"`, ErrSyntax, 1},
		{"bad digit in an escape", `"\u12G4"`, ErrSyntax, 1},
		{"escape at the end", `"\`, ErrSyntax, 1},
		{"bad second half", `"\ud83d\uZZZZ"`, ErrSyntax, 9},
		{"high surrogate alone", `"a\ud83d"`, ErrSurrogate, 2},
		{"high surrogate and a letter", `"\ud83dA"`, ErrSurrogate, 1},
		{"high surrogate and another escape", `"\ud83d\n"`, ErrSurrogate, 1},
		{"low surrogate alone", `"\ude00"`, ErrSurrogate, 1},
		{"surrogates the wrong way round", `"\ude00\ud83d"`, ErrSurrogate, 1},
		{"two high surrogates", `"\ud83d\ud83d"`, ErrSurrogate, 1},
		{"lone surrogate in a name", `{"\ud83d":1}`, ErrSurrogate, 2},
		{"stray continuation byte", "\"a\x80\"", ErrUTF8, 2},
		{"overlong", "\"\xc0\xaf\"", ErrUTF8, 1},
		{"surrogate in UTF-8", "\"\xed\xa0\x80\"", ErrUTF8, 1},
		{"beyond U+10FFFF", "\"\xf4\x90\x80\x80\"", ErrUTF8, 1},
		{"cut short", "\"\xe2\x82\"", ErrUTF8, 1},

		{"name twice", `{"a":1,"b":2,"a":1}`, ErrDuplicate, 13},
		{"name twice, escaped", `{"a":1,"\u0061":2}`, ErrDuplicate, 7},
		{"name twice, deep", `[{"x":{"é":1,"\u00e9":1}}]`, ErrDuplicate, 14},
		{"empty name twice", `{"":1,"":2}`, ErrDuplicate, 6},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Canonical([]byte(tt.in))
			wantError(t, got, err, tt.kind)
			var e *Error
			if errors.As(err, &e) && e.Offset != tt.offset {
				t.Errorf("given up at byte %d, want %d", e.Offset, tt.offset)
			}
		})
	}
}

// wantError fails unless err is an *Error of that kind; a nil kind means that
// there is none.
func wantError(t *testing.T, got []byte, err, kind error) {
	t.Helper()
	if kind == nil {
		if err != nil {
			t.Errorf("refused: %v", err)
		}
		return
	}
	var e *Error
	if !errors.As(err, &e) || !errors.Is(err, kind) || got != nil {
		t.Errorf("got %.80q, %v; want %v", got, err, kind)
	}
}

func TestLimits(t *testing.T) {
	nest := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	objects := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	digits := func(n int) string { return strings.Repeat("7", n) }
	sized := func(n int) string { return `"` + strings.Repeat("a", n-2) + `"` }
	tests := []struct {
		name string
		in   string
		kind error
	}{
		{"depth n-1", nest(MaxDepth - 1), nil},
		{"depth n", nest(MaxDepth), nil},
		{"depth n+1", nest(MaxDepth + 1), ErrDepth},
		{"depth n, objects", objects(MaxDepth), nil},
		{"depth n+1, objects", objects(MaxDepth + 1), ErrDepth},
		{"depth of many siblings", "[" + strings.Repeat("[],", 100) + "[]]", nil},
		{"size n-1", sized(MaxSize - 1), nil},
		{"size n", sized(MaxSize), nil},
		{"size n+1", sized(MaxSize + 1), ErrSize},
		{"size n+1 of space", "1" + strings.Repeat(" ", MaxSize), ErrSize},
		{"digits n-1", digits(MaxDigits - 1), nil},
		{"digits n", digits(MaxDigits), nil},
		{"digits n+1", digits(MaxDigits + 1), ErrNumber},
		{"digits n+1, of which one does not count", digits(MaxDigits) + "0", nil},
		{"digits n+1 in a fraction", "0." + digits(MaxDigits+1), ErrNumber},
		{"exponent n-1", "1e9998", nil},
		{"exponent n", "1e9999", nil},
		{"exponent n+1", "1e10000", ErrNumber},
		{"exponent n+1 by its digits", "10e9999", ErrNumber},
		{"exponent -n", "1e-9999", nil},
		{"exponent -n-1", "1e-10000", ErrNumber},
		{"exponent -n-1 by its digits", "0.1e-9999", ErrNumber},
		{"exponent beyond an integer", "1e99999999999999999999", ErrNumber},
		{"exponent far below", "-1e-99999999999999999999", ErrNumber},
		{"digits that make up for the exponent", "0." + strings.Repeat("0", 20_000) + "1e20000", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Canonical([]byte(tt.in))
			wantError(t, got, err, tt.kind)
		})
	}

	for _, tt := range []struct {
		depth, size int
		kind        error
	}{
		{2, 5, nil}, {1, 5, ErrDepth}, {0, 5, ErrDepth}, {2, 4, ErrSize}, {2, 0, ErrSize}, {2, -1, ErrSize},
	} {
		got, err := Within([]byte(`[[1]]`), tt.depth, tt.size)
		wantError(t, got, err, tt.kind)
	}
}

// TestExpansion bounds what a short text can make of the memory.
func TestExpansion(t *testing.T) {
	in := []byte("[" + strings.Repeat("1e20,", 1000) + "1e9999]")
	out, err := Canonical(in)
	if err != nil {
		t.Fatal(err)
	}
	if len(out) > 6*len(in) {
		t.Errorf("%d bytes become %d", len(in), len(out))
	}
}

// TestErrorsTellNothing: the input may be a secret.
func TestErrorsTellNothing(t *testing.T) {
	for _, in := range []string{
		`{"pin":"hunter2","pin":"hunter2"}`, `"hunter2\ud800"`, "\"hunter2\xff\"", `[hunter2]`,
		`{"hunter2":1,"hunter2":1}`, "1e77777", strings.Repeat("[", 65) + `"hunter2"`,
	} {
		_, err := Canonical([]byte(in))
		if err == nil {
			t.Errorf("%q is accepted", in)
		} else if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "77777") {
			t.Errorf("error repeats the input: %v", err)
		}
	}
}

// TestFold: whatever encoding/json takes for equal, fold does, in the tables of
// this version of Go.
func TestFold(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		for s := unicode.SimpleFold(r); s != r; s = unicode.SimpleFold(s) {
			if foldRune(s) != foldRune(r) {
				t.Errorf("%U and %U are told apart", r, s)
			}
		}
		if foldRune(unicode.ToLower(r)) != foldRune(r) || foldRune(unicode.ToUpper(r)) != foldRune(r) {
			t.Errorf("%U is told apart from its other case", r)
		}
	}
	if foldRune('a') == foldRune('b') {
		t.Error("nothing is told apart")
	}
}

// TestLastMatchWins shows why the order of names that differ in case is kept:
// the two texts are different arguments for a handler.
func TestLastMatchWins(t *testing.T) {
	texts := []string{`{"amount":1,"Amount":1000}`, `{"Amount":1000,"amount":1}`}
	var amounts []int
	var forms []string
	for _, text := range texts {
		var in struct{ Amount int }
		if err := json.Unmarshal([]byte(text), &in); err != nil {
			t.Fatal(err)
		}
		form, err := Canonical([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		amounts, forms = append(amounts, in.Amount), append(forms, string(form))
	}
	if amounts[0] == amounts[1] {
		t.Skipf("encoding/json reads %d from both: the order would not matter", amounts[0])
	}
	if forms[0] == forms[1] {
		t.Errorf("a handler reads %v, and both have the form %s", amounts, forms[0])
	}
}
