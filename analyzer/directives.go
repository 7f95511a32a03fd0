package analyzer

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// This file is about comments that suppress findings:
//
//	//lint:ignore MRTR001,MRTR011 reason     the next line, or its own
//	//lint:file-ignore MRTR001 reason        the whole file
//	//nolint:mrtr // reason                  the next line, or its own
//
// The first two are staticcheck's, whose rules hold: a reason is required, and
// one that suppresses nothing is reported.

// A directive is one such comment.
type directive struct {
	pos, end  token.Pos
	codes     []string // "*" for all
	file      string
	line      int  // 0 for the whole file
	used      bool // suppresses something
	strict    bool // has to be used, and to give a reason
	malformed bool
}

// covers reports whether the directive is about a code at a position.
func (d *directive) covers(code Code, at token.Position) bool {
	if d.malformed || d.file != at.Filename || d.line != 0 && d.line != at.Line {
		return false
	}
	return slices.ContainsFunc(d.codes, func(c string) bool { return c == "*" || c == string(code) })
}

// directives are those of a package.
type directives struct {
	fset *token.FileSet
	list []*directive
}

// readDirectives collects the directives about our codes in the files.
func readDirectives(fset *token.FileSet, files []*ast.File) *directives {
	ds := &directives{fset: fset}
	for _, file := range files {
		var lines map[int]bool // lines with code
		for _, group := range file.Comments {
			for _, c := range group.List {
				d := parseDirective(c.Text)
				if d == nil {
					continue
				}
				if lines == nil {
					lines = codeLines(fset, file)
				}
				at := fset.Position(c.Pos())
				d.pos, d.end, d.file = c.Pos(), c.End(), at.Filename
				if d.line != 0 {
					d.line = at.Line
					last := fset.Position(file.End()).Line
					for d.line < last && !lines[d.line] {
						d.line++
					}
				}
				ds.list = append(ds.list, d)
			}
		}
	}
	return ds
}

// parseDirective returns the directive that a comment is, nil for any other
// comment and for directives that name none of our codes.
func parseDirective(text string) *directive {
	if rest, ok := strings.CutPrefix(text, "//nolint:"); ok {
		names, _, _ := strings.Cut(rest, " ")
		if slices.Contains(strings.Split(names, ","), "mrtr") {
			return &directive{codes: []string{"*"}, line: 1}
		}
		return nil
	}
	line := 1
	rest, ok := strings.CutPrefix(text, "//lint:ignore ")
	if !ok {
		if rest, ok = strings.CutPrefix(text, "//lint:file-ignore "); !ok {
			return nil
		}
		line = 0
	}
	names, reason, _ := strings.Cut(strings.TrimSpace(rest), " ")
	var codes []string
	for _, name := range strings.Split(names, ",") {
		if strings.HasPrefix(name, "MRTR") {
			codes = append(codes, name)
		}
	}
	if len(codes) == 0 {
		return nil
	}
	return &directive{codes: codes, line: line, strict: true, malformed: strings.TrimSpace(reason) == ""}
}

// codeLines returns the lines of a file on which a node starts or ends.
func codeLines(fset *token.FileSet, file *ast.File) map[int]bool {
	lines := make(map[int]bool)
	ast.Inspect(file, func(n ast.Node) bool {
		switch n.(type) {
		case nil, *ast.Comment, *ast.CommentGroup:
			return false
		}
		lines[fset.Position(n.Pos()).Line] = true
		lines[fset.Position(n.End()).Line] = true
		return true
	})
	return lines
}

// ignores reports whether a code is suppressed at a position.
func (ds *directives) ignores(code Code, pos token.Pos) bool {
	at := ds.fset.Position(pos)
	return slices.ContainsFunc(ds.list, func(d *directive) bool { return d.covers(code, at) })
}

// apply removes suppressed findings and, if all rules have run, adds one for
// each directive that suppresses nothing.
func (ds *directives) apply(list []*Finding, complete bool) []*Finding {
	var kept []*Finding
	for _, finding := range list {
		at := ds.fset.Position(finding.Pos)
		hit := false
		for _, d := range ds.list {
			if d.covers(finding.Code, at) {
				d.used, hit = true, true
			}
		}
		if !hit {
			kept = append(kept, finding)
		}
	}
	for _, d := range ds.list {
		switch {
		case d.malformed:
			kept = append(kept, &Finding{Code: CodeUnused, Pos: d.pos, End: d.end,
				Message: "this directive gives no reason, so it suppresses nothing"})
		case d.strict && !d.used && complete:
			kept = append(kept, &Finding{Code: CodeUnused, Pos: d.pos, End: d.end,
				Message: "this directive suppresses nothing: " + strings.Join(d.codes, ", ") + " does not occur here"})
		}
	}
	return kept
}

// ignoredAsk reports whether the code of an ask is suppressed where it stands.
// Such an ask is handed to no other package.
func (f *finder) ignoredAsk(a *Ask) bool {
	return f.directives.ignores(askCode(a.Kind), a.Call.Pos()) || f.directives.ignores(CodeNoEquivalent, a.Call.Pos())
}
