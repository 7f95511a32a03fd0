package output

import (
	"io"
	"os"

	"golang.org/x/term"

	"github.com/mrtr-migrate/mrtr-migrate/analyzer"
)

// A Style says whether text is coloured.
type Style struct{ Colour bool }

// StyleFor returns the style for a stream: coloured on a terminal, unless the
// environment says NO_COLOR or TERM=dumb.
func StyleFor(w io.Writer) Style {
	return Style{Colour: IsTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func (s Style) paint(code, text string) string {
	if !s.Colour {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s Style) place(text string) string { return s.paint("1", text) }
func (s Style) faint(text string) string { return s.paint("2", text) }

func (s Style) code(f *Finding) string {
	switch analyzer.Severity(f.Severity) {
	case analyzer.Error:
		return s.paint("31", f.Code)
	case analyzer.Warning:
		return s.paint("33", f.Code)
	}
	return s.paint("36", f.Code)
}
