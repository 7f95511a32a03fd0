package demo

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCut(t *testing.T) {
	tests := []struct {
		text string
		n    int
		want string
	}{
		{"short", 10, "short"},
		{"exactly", 7, "exactly"},
		{"too long", 7, "too lo…"},
		{"two\nlines\tand  more", 40, "two lines and  more"},
		{"äöüß", 3, "äö…"},
		{"äöü", 3, "äöü"},
		{"x", 0, "…"},
	}
	for _, test := range tests {
		if got := cut(test.text, test.n); got != test.want {
			t.Errorf("cut(%q, %d) = %q, want %q", test.text, test.n, got, test.want)
		}
	}
}

// Columns begin where they should with and without colour, and no line is
// longer than the screen.
func TestColumns(t *testing.T) {
	for _, colour := range []bool{false, true} {
		var out strings.Builder
		s := newScreen(&out, colour, 60)
		s.columns([]int{2, 10}, []string{"", red, green}, "", "name", strings.Repeat("value ", 20))
		plain := strings.NewReplacer("\x1b["+red+"m", "", "\x1b["+green+"m", "", "\x1b[0m", "").Replace(out.String())
		line := strings.TrimSuffix(plain, "\n")
		if strings.Index(line, "name") != 2 || strings.Index(line, "value") != 12 {
			t.Errorf("colour %v: %q", colour, line)
		}
		if n := utf8.RuneCountInString(line); n > 60 {
			t.Errorf("colour %v: %d characters", colour, n)
		}
		if got := strings.Contains(out.String(), "\x1b"); got != colour {
			t.Errorf("colour %v: escape codes: %v", colour, got)
		}
	}
}

func TestWrap(t *testing.T) {
	var out strings.Builder
	s := newScreen(&out, false, 60)
	var items []item
	for range 12 {
		items = append(items, item{text: "✓ something"})
	}
	s.wrap(4, items)
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) < 2 {
		t.Fatalf("one line: %q", out.String())
	}
	for _, line := range lines {
		if !strings.HasPrefix(line, "    ✓") || utf8.RuneCountInString(line) > 60 {
			t.Errorf("line %q", line)
		}
	}
	if n := strings.Count(out.String(), "✓"); n != len(items) {
		t.Errorf("%d items, want %d", n, len(items))
	}
}

// A screen keeps the first error of its writer.
func TestScreenError(t *testing.T) {
	s := newScreen(failing{}, false, 80)
	s.line("", "one")
	s.line("", "two")
	if !errors.Is(s.err, errClosed) {
		t.Errorf("err = %v", s.err)
	}
}

var errClosed = errors.New("closed")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errClosed }
