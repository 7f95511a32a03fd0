package demo

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Colours of the terminal, by what they mean.
const (
	bold  = "1"
	faint = "2"
	red   = "31"
	green = "32"
	amber = "33"
	blue  = "36"
)

// screen writes aligned text, in colour if the terminal has it. The first
// error of the writer is kept; nothing is written after it.
type screen struct {
	out    io.Writer
	colour bool
	width  int
	err    error
}

// minWidth is what a line needs at least to be readable.
const minWidth = 60

func newScreen(out io.Writer, colour bool, width int) *screen {
	return &screen{out: out, colour: colour, width: max(width, minWidth)}
}

func (s *screen) printf(format string, args ...any) {
	if s.err == nil {
		_, s.err = fmt.Fprintf(s.out, format, args...)
	}
}

// paint returns text in a colour.
func (s *screen) paint(colour, text string) string {
	if !s.colour || text == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// step opens a numbered part of the show.
func (s *screen) step(n int, title string) {
	s.printf("\n%s %s\n", s.paint(blue, fmt.Sprintf("%d", n)), s.paint(bold, title))
}

// line writes one indented line, cut to the width.
func (s *screen) line(colour, format string, args ...any) {
	s.printf("  %s\n", s.paint(colour, cut(fmt.Sprintf(format, args...), s.width-2)))
}

// columns writes cells padded to widths; the last is cut to what is left. The
// colours belong to the cells, empty for none.
func (s *screen) columns(widths []int, colours []string, cells ...string) {
	var b strings.Builder
	left := s.width
	for i, cell := range cells {
		pad := 0
		if i < len(widths) && i < len(cells)-1 {
			cell = cut(cell, widths[i])
			pad = widths[i] - utf8.RuneCountInString(cell)
			left -= widths[i]
		} else {
			cell = cut(cell, left)
		}
		colour := ""
		if i < len(colours) {
			colour = colours[i]
		}
		if colour != "" {
			b.WriteString(s.paint(colour, cell))
		} else {
			b.WriteString(cell)
		}
		b.WriteString(strings.Repeat(" ", pad))
	}
	s.printf("%s\n", strings.TrimRight(b.String(), " "))
}

// wrap writes items side by side, as many as fit into a line.
func (s *screen) wrap(indent int, items []item) {
	used := 0
	for _, it := range items {
		n := utf8.RuneCountInString(it.text)
		switch {
		case used == 0:
			s.printf("%s", strings.Repeat(" ", indent))
			used = indent
		case used+3+n > s.width:
			s.printf("\n%s", strings.Repeat(" ", indent))
			used = indent
		default:
			s.printf("   ")
			used += 3
		}
		s.printf("%s", s.paint(it.colour, it.text))
		used += n
	}
	if used > 0 {
		s.printf("\n")
	}
}

// item is a piece of coloured text.
type item struct{ colour, text string }

// oneLine puts text that came with line breaks on one line.
var oneLine = strings.NewReplacer("\r", "", "\n", " ", "\t", " ")

// cut shortens text to at most n characters, on one line.
func cut(text string, n int) string {
	text = oneLine.Replace(text)
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	if n < 2 {
		return "…"
	}
	return string([]rune(text)[:n-1]) + "…"
}
