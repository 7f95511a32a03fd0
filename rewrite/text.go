package rewrite

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/dave/dst"
	"github.com/dave/dst/decorator"
)

// A document is one Go file that is being edited: its bytes as they are on
// disk, and its decorated tree. The decorator runs without its import manager,
// which merges two names of one path, refuses dot imports and guesses package
// names; imports are edited by this package (imports.go).
type document struct {
	name string
	orig []byte
	fset *token.FileSet
	file *ast.File

	dec  *decorator.Decorator
	tree *dst.File
	base string // the tree as it prints before any edit
}

// errLineDirective is why a file with //line comments is left alone: positions
// in it belong to another file.
var errLineDirective = errors.New("the file has //line directives, so it is generated from another one")

// open decorates a parsed file. The file must have been parsed with comments
// from exactly the bytes in orig.
func open(fset *token.FileSet, file *ast.File, name string, orig []byte) (*document, error) {
	if lineDirective(file) {
		return nil, errLineDirective
	}
	d := &document{name: name, orig: orig, fset: fset, file: file, dec: decorator.NewDecorator(fset)}
	tree, err := d.dec.DecorateFile(file)
	if err != nil {
		return nil, fmt.Errorf("decorating: %w", err)
	}
	d.tree = tree
	if d.base, err = printTree(tree); err != nil {
		return nil, err
	}
	return d, nil
}

// lineDirective reports whether a file says that its lines are another's.
func lineDirective(file *ast.File) bool {
	for _, group := range file.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//line ") || strings.HasPrefix(c.Text, "/*line ") {
				return true
			}
		}
	}
	return false
}

// node returns the decorated counterpart of a syntax node.
func (d *document) node(n ast.Node) dst.Node { return d.dec.Dst.Nodes[n] }

// syntax returns the syntax node that a decorated node was made from, or nil
// for one that an edit has added.
func (d *document) syntax(n dst.Node) ast.Node { return d.dec.Ast.Nodes[n] }

func printTree(tree *dst.File) (text string, err error) {
	// dst panics on a tree that is none, as where a node stands twice: that is
	// our mistake, and costs the file.
	defer func() {
		if r := recover(); r != nil {
			text, err = "", errors.New("the edit does not make a tree that can be printed")
		}
	}()
	restorer := decorator.NewRestorer()
	file, err := restorer.RestoreFile(tree)
	if err != nil {
		return "", fmt.Errorf("restoring: %w", err)
	}
	var out bytes.Buffer
	if err := format.Node(&out, restorer.Fset, file); err != nil {
		return "", fmt.Errorf("printing: %w", err)
	}
	return out.String(), nil
}

// close prints the edited tree and splices the declarations that the edit has
// changed into the original bytes. Everything else, and within a declaration
// what the printer alone would change (text that is not gofmt-clean, line
// endings), stays as it was. A change outside of the touched declarations is
// an error.
func (d *document) close(touched []ast.Decl) ([]byte, error) {
	edited, err := printTree(d.tree)
	if err != nil {
		return nil, err
	}
	if edited == d.base {
		return d.orig, nil
	}
	ours, err := split(d.fset, d.file)
	if err != nil {
		return nil, err
	}
	base, err := splitText(d.base)
	if err != nil {
		return nil, err
	}
	theirs, err := splitText(edited)
	if err != nil {
		return nil, err
	}
	if len(base) != len(ours) {
		return nil, errors.New("the file does not print as it reads")
	}
	var edits []udiff.Edit
	if len(theirs) == len(base)+1 && len(d.file.Imports) == 0 {
		at := d.offset(d.file.Name.End())
		edits = append(edits, udiff.Edit{Start: at, End: at, New: d.endings("\n\n" + theirs[0].text(edited))})
		theirs = theirs[1:]
	}
	if len(theirs) != len(base) {
		return nil, errors.New("the edit would add or remove a declaration")
	}
	for i := range base {
		was, now := base[i].text(d.base), theirs[i].text(edited)
		if was == now {
			continue
		}
		if !slices.Contains(touched, d.file.Decls[i]) {
			return nil, fmt.Errorf("the edit would change a declaration that it must not change (line %d)", d.fset.PositionFor(d.file.Decls[i].Pos(), false).Line)
		}
		if lost := lostComment(was, now); lost != "" {
			return nil, fmt.Errorf("the edit would lose the comment %q", lost)
		}
		have := strings.ReplaceAll(string(d.orig[ours[i].start:ours[i].end]), "\r\n", "\n")
		edits = append(edits, udiff.Edit{Start: ours[i].start, End: ours[i].end, New: d.endings(merge(was, have, now))})
	}
	out, err := udiff.ApplyBytes(d.orig, edits)
	if err != nil {
		return nil, fmt.Errorf("carrying the edit over to the file: %w", err)
	}
	return out, nil
}

// lostComment returns a comment of one text that another does not have as
// often, or "".
func lostComment(before, after string) string {
	left := make(map[string]int)
	for _, c := range comments(after) {
		left[c]++
	}
	for _, c := range comments(before) {
		if left[c]--; left[c] < 0 {
			return c
		}
	}
	return ""
}

// comments returns the comments of a piece of Go text.
func comments(text string) []string {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), []byte(text), nil, scanner.ScanComments)
	var out []string
	for {
		_, tok, lit := s.Scan()
		switch tok {
		case token.EOF:
			return out
		case token.COMMENT:
			// The printer indents the lines of a comment anew.
			lines := strings.Split(lit, "\n")
			for i := range lines {
				lines[i] = strings.TrimSpace(lines[i])
			}
			out = append(out, strings.Join(lines, "\n"))
		}
	}
}

// endings gives text the line endings that most lines of the file have.
func (d *document) endings(text string) string {
	if 2*bytes.Count(d.orig, []byte("\r\n")) > bytes.Count(d.orig, []byte("\n")) {
		return strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

func (d *document) offset(pos token.Pos) int { return d.fset.File(d.file.FileStart).Offset(pos) }

// span is the range of bytes of a declaration with its comment.
type span struct{ start, end int }

func (s span) text(of string) string { return of[s.start:s.end] }

// split returns where the declarations of a file are.
func split(fset *token.FileSet, file *ast.File) ([]span, error) {
	tokens := fset.File(file.FileStart)
	out := make([]span, len(file.Decls))
	for i, decl := range file.Decls {
		start := decl.Pos()
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Doc != nil {
				start = decl.Doc.Pos()
			}
		case *ast.GenDecl:
			if decl.Doc != nil {
				start = decl.Doc.Pos()
			}
		default:
			return nil, errors.New("the file has a declaration that does not parse")
		}
		out[i] = span{tokens.Offset(start), tokens.Offset(decl.End())}
	}
	return out, nil
}

func splitText(text string) ([]span, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("the edited file does not parse: %w", err)
	}
	return split(fset, file)
}

// merge is a three-way merge by lines: base to ours is how the file differs
// from its own print, base to theirs is the edit. Where both changed the same
// lines, the edit's version of them wins.
func merge(base, ours, theirs string) string {
	edit := lineEdits(base, theirs)
	var keep []udiff.Edit
	for _, e := range lineEdits(base, ours) {
		clash := false
		for _, t := range edit {
			// Two changes that touch are taken for one: which text comes
			// first could not be told.
			if e.Start <= t.End && t.Start <= e.End {
				clash = true
				break
			}
		}
		if !clash {
			keep = append(keep, e)
		}
	}
	all := append(keep, edit...)
	udiff.SortEdits(all)
	out, err := udiff.Apply(base, all)
	if err != nil {
		return theirs // edits of one base that do not touch always apply
	}
	return out
}
