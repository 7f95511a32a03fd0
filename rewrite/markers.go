package rewrite

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/dst"
)

// A marker is a comment that leaves a decision to people.
type marker struct {
	fn   *function
	stmt ast.Node // the statement or declaration above which it stands
	code string
	text string
	here bool // the file has it already
	pos  token.Pos
}

// lineNumber is a line of the file before the edits, in a form that followLines
// replaces by where the line ends up.
func lineNumber(line int) string { return fmt.Sprintf("@%d@", line) }

var lineNumbers = regexp.MustCompile(`@([0-9]+)@`)

// oldLines takes line numbers as they are before the edits.
func oldLines(text string) string { return lineNumbers.ReplaceAllString(text, "$1") }

// followLines replaces the line numbers in markers by those after the edit.
func followLines(before, after []byte) []byte {
	if !bytes.Contains(after, []byte("// MRTR-TODO")) || !lineNumbers.Match(after) {
		return after
	}
	edits := lineEdits(string(before), string(after))
	moved := func(line int) int {
		offset, shift := 0, 0
		for range line - 1 {
			next := bytes.IndexByte(before[offset:], '\n')
			if next < 0 {
				break
			}
			offset += next + 1
		}
		for _, e := range edits {
			if e.Start > offset || e.Start == offset && e.End > offset {
				break
			}
			shift += strings.Count(e.New, "\n") - bytes.Count(before[e.Start:e.End], []byte("\n"))
		}
		return line + shift
	}
	return markerLine.ReplaceAllFunc(after, func(marker []byte) []byte {
		return lineNumbers.ReplaceAllFunc(marker, func(m []byte) []byte {
			line, err := strconv.Atoi(string(m[1 : len(m)-1]))
			if err != nil {
				return m
			}
			return strconv.AppendInt(nil, int64(moved(line)), 10)
		})
	})
}

// markerText is the line of a marker, as it stands in the file.
func markerText(code, text string) string {
	return "// MRTR-TODO(" + code + "): " + strings.Join(strings.Fields(text), " ")
}

// markerLine finds markers in a file, markerPattern takes one apart.
var markerLine = regexp.MustCompile(`// MRTR-TODO\(MRTR[0-9]{3,4}\): .*`)

var markerPattern = regexp.MustCompile(`^// MRTR-TODO\((MRTR[0-9]{3,4})\): (.*)`)

// mark plans a marker above the statement at pos, at most one of a code each.
func (pl *plan) mark(fn *function, pos token.Pos, code, text string) {
	stmt := fn.statementAt(pos)
	for _, m := range pl.markers {
		if m.stmt == stmt && m.code == code {
			return
		}
	}
	m := &marker{fn: fn, stmt: stmt, code: code, text: text, pos: pos}
	m.here = fn.marked(stmt, code)
	pl.markers = append(pl.markers, m)
}

// planMarkers leaves a marker at each place that keeps a handler from being
// rewritten, and at each ask that no handler reaches.
func (pl *plan) planMarkers() {
	reached := pl.reached()
	for _, fn := range pl.functions {
		if pl.edited[fn] || !pl.markable(fn) || !reached[fn] && !fn.asks() {
			continue // a function that only hands handlers on decides nothing
		}
		marked := make(map[ast.Node]bool) // one reason says enough
		for _, r := range fn.blocked {
			if stmt := fn.statementAt(r.pos); !marked[stmt] && !pl.insideSays(fn, r) {
				marked[stmt] = true
				pl.mark(fn, r.pos, r.Code, r.Message)
			}
		}
	}
	for _, r := range pl.refused {
		if r.fn != nil && len(r.fn.blocked) == 0 && pl.markable(r.fn) {
			pl.mark(r.fn, r.pos, r.Code, r.Message)
		}
	}
	for _, fn := range pl.functions {
		if pl.edited[fn] || reached[fn] || len(fn.blocked) > 0 || !pl.markable(fn) {
			continue
		}
		for _, s := range fn.sites {
			if s.ask == nil || len(s.ask.Chains) > 0 {
				continue // the call that leads here has a marker of its own
			}
			why := s.ask.NoEquivalent
			if why == "" {
				why = "no handler of this module reaches this question: whoever calls " + fn.name() + " has to carry it to the result"
			}
			pl.mark(fn, s.call.Pos(), codeNoHandler, why)
			break
		}
	}
	slices.SortStableFunc(pl.markers, func(a, b *marker) int {
		return cmp.Or(strings.Compare(a.fn.path, b.fn.path), cmp.Compare(a.pos, b.pos))
	})
}

// insideSays reports whether a reason is about a call around a function literal
// that has a reason of its own: one marker for both is enough.
func (pl *plan) insideSays(fn *function, r *Reason) bool {
	for _, s := range fn.sites {
		if s.call.Pos() != r.pos {
			continue
		}
		for _, other := range pl.functions {
			if other != fn && other.isLiteral() && within1(s.call, other.node) && len(other.blocked) > 0 {
				return true
			}
		}
	}
	return false
}

// markable reports whether the file of a function may get a comment.
func (pl *plan) markable(fn *function) bool {
	return fn.fixed == "" && !pl.unmarkable[fn.path] && pl.asked[fn.pkg.PkgPath] && len(fn.sites) > 0
}

// asks reports whether a function asks itself.
func (fn *function) asks() bool {
	return slices.ContainsFunc(fn.sites, func(s *site) bool { return s.ask != nil })
}

// reached returns the functions that a multi round-trip handler reaches.
func (p *program) reached() map[*function]bool {
	out := make(map[*function]bool)
	for _, h := range p.entries() {
		for _, fn := range p.tree(h) {
			out[fn] = true
		}
	}
	return out
}

// statementAt returns the innermost statement of a list that contains pos, or
// the function's declaration.
func (fn *function) statementAt(pos token.Pos) ast.Node {
	var found ast.Node
	ast.Inspect(fn.body, func(n ast.Node) bool {
		s, ok := n.(ast.Stmt)
		if !ok || pos < s.Pos() || s.End() <= pos {
			return n == nil || pos >= n.Pos() && pos < n.End()
		}
		switch fn.parents[s].(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
			if _, block := s.(*ast.BlockStmt); !block {
				found = s
			}
		}
		return true
	})
	if found != nil {
		return found
	}
	if fn.decl != nil {
		return fn.decl
	}
	return fn.node
}

// marked reports whether a marker of this code stands directly above n already.
func (fn *function) marked(n ast.Node, code string) bool {
	fset := fn.pkg.Fset
	line := fset.PositionFor(n.Pos(), false).Line
	for _, group := range fn.file.Comments {
		end := fset.PositionFor(group.End(), false).Line
		if end != line-1 && !(group.Pos() < n.Pos() && end == line) {
			if d, ok := n.(*ast.FuncDecl); !ok || d.Doc != group {
				continue
			}
		}
		for _, c := range group.List {
			if m := markerPattern.FindStringSubmatch(c.Text); m != nil && m[1] == code {
				return true
			}
		}
	}
	return false
}

// write puts the marker above its statement.
func (m *marker) write(doc *document) {
	n := doc.node(m.stmt)
	if n == nil {
		return
	}
	d := n.Decorations()
	d.Start = append(d.Start, markerText(m.code, m.text))
	if d.Before == dst.None {
		d.Before = dst.NewLine
	}
}

// standing returns the markers that the files of the patterns' packages have
// once they are edited, as they stand there.
func (p *program) standing(edits map[string][]byte) []MarkerReport {
	var out []MarkerReport
	for _, pkg := range p.pkgs {
		if !p.editable[pkg.Types] {
			continue
		}
		for _, file := range pkg.Syntax {
			path := p.position(file.FileStart).Filename
			fset := p.fset
			if data, edited := edits[path]; edited {
				fset = token.NewFileSet()
				parsed, err := parser.ParseFile(fset, path, data, parser.ParseComments|parser.SkipObjectResolution)
				if err != nil {
					continue // it has been type-checked
				}
				file = parsed
			} else if !p.asked[pkg.PkgPath] {
				continue
			}
			for _, group := range file.Comments {
				for _, c := range group.List {
					if m := markerPattern.FindStringSubmatch(c.Text); m != nil {
						line := fset.PositionFor(c.Pos(), false).Line
						out = append(out, MarkerReport{Path: path, Line: line, Code: m[1], Message: strings.TrimSpace(m[2])})
					}
				}
			}
		}
	}
	return out
}
