// Package output prints findings: it is the only place that turns them into
// text.
package output

import (
	"cmp"
	"fmt"
	"go/token"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mrtr-migrate/mrtr-migrate/analyzer"
)

// NewFinding resolves a finding.
func NewFinding(fset *token.FileSet, f *analyzer.Finding) Finding {
	out := Finding{
		Code:     string(f.Code),
		Position: position(fset.Position(f.Pos)),
		End:      position(fset.Position(f.End)),
		Message:  f.Message,
	}
	if rule, ok := analyzer.RuleOf(f.Code); ok {
		out.Severity = string(rule.Severity)
	}
	for _, r := range f.Related {
		out.Related = append(out.Related, Related{position(r.Pos), r.Message})
	}
	switch {
	case f.Ask != nil:
		ask := Ask{Kind: f.Ask.Kind.String(), Method: f.Ask.Method, Position: position(fset.Position(f.Ask.Call.Pos()))}
		for _, chain := range f.Ask.Chains {
			var frames []Frame
			for _, frame := range chain {
				frames = append(frames, Frame{frame.Name, position(frame.Pos)})
			}
			ask.Chains = append(ask.Chains, frames)
		}
		out.Asks = append(out.Asks, ask)
	case f.Call != nil:
		for _, r := range f.Call.Reaches {
			out.Asks = append(out.Asks, Ask{Kind: r.Kind.String(), Method: r.Method, Position: position(r.Pos)})
		}
	}
	return out
}

func position(p token.Position) Position { return Position{p.Filename, p.Line, p.Column} }

// Sort puts findings in the order of files and lines.
func Sort(list []Finding) {
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(
			strings.Compare(a.Position.File, b.Position.File),
			cmp.Compare(a.Position.Line, b.Position.Line),
			cmp.Compare(a.Position.Column, b.Position.Column),
			strings.Compare(a.Code, b.Code),
			strings.Compare(a.Message, b.Message),
		)
	})
}

// Relative shortens the file names in findings to be relative to a directory,
// as the go command does: names that would not become shorter stay.
func Relative(list []Finding, dir string) {
	short := func(p *Position) { p.File = relative(p.File, dir) }
	for i := range list {
		f := &list[i]
		short(&f.Position)
		short(&f.End)
		for j := range f.Related {
			short(&f.Related[j].Position)
		}
		for j := range f.Asks {
			short(&f.Asks[j].Position)
			for _, chain := range f.Asks[j].Chains {
				for k := range chain {
					short(&chain[k].Position)
				}
			}
		}
	}
}

// relative shortens one file name.
func relative(file, dir string) string {
	if rel, err := filepath.Rel(dir, file); err == nil && len(rel) < len(file) {
		return rel
	}
	return file
}

// Text prints findings as "file:line:col: CODE message", each with its related
// places indented below it.
func Text(w io.Writer, list []Finding, style Style) error {
	for i := range list {
		f := &list[i]
		if _, err := fmt.Fprintf(w, "%s: %s %s\n", style.place(f.Position.String()), style.code(f), f.Message); err != nil {
			return err
		}
		for _, r := range f.Related {
			if _, err := fmt.Fprintln(w, style.faint(fmt.Sprintf("%s: \t%s", r.Position, r.Message))); err != nil {
				return err
			}
		}
	}
	return nil
}
