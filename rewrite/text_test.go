package rewrite

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/dave/dst"
	"pgregory.net/rapid"
)

// openText decorates source text.
func openText(t *testing.T, src string) *document {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "a.go", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := open(fset, file, "a.go", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// appendCall appends a call of name to the function with index i.
func appendCall(doc *document, i int, name string) ast.Decl {
	decl := doc.tree.Decls[i].(*dst.FuncDecl)
	stmt := &dst.ExprStmt{X: &dst.CallExpr{Fun: dst.NewIdent(name)}}
	stmt.Decs.Before, stmt.Decs.After = dst.NewLine, dst.NewLine
	decl.Body.List = append(decl.Body.List, stmt)
	return doc.file.Decls[i]
}

func TestCloseChangesOnlyWhatTheEditNeeds(t *testing.T) {
	const src = `// Licence.

//go:build linux

package p

import . "fmt"
import f "fmt"
import g "fmt"

var   x   =  1 // not gofmt-clean

// doc of a
func a( ) {
	y :=   x
	_ = y
	Println(f.Sprint(), g.Sprint())
} // behind a

func b()   { /* nothing */ }
`
	want := strings.Replace(src, "	Println(f.Sprint(), g.Sprint())\n", "	Println(f.Sprint(), g.Sprint())\n	b()\n", 1)
	for _, ending := range []string{"\n", "\r\n"} {
		doc := openText(t, strings.ReplaceAll(src, "\n", ending))
		touched := appendCall(doc, 4, "b")
		got, err := doc.close([]ast.Decl{touched})
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.ReplaceAll(want, "\n", ending); string(got) != want {
			t.Errorf("with %q: got\n%q\nwant\n%q", ending, got, want)
		}
	}
}

func TestCloseWithoutEditKeepsTheBytes(t *testing.T) {
	const src = "\ufeffpackage p\r\n\nfunc  a() {}\n"
	doc := openText(t, src)
	got, err := doc.close(nil)
	if err != nil || string(got) != src {
		t.Errorf("close = %q, %v; want the original", got, err)
	}
}

func TestCloseRefusesOtherDeclarations(t *testing.T) {
	doc := openText(t, "package p\n\nfunc a() {}\n\nfunc b() {}\n")
	touched := appendCall(doc, 0, "b")
	appendCall(doc, 1, "a")
	if got, err := doc.close([]ast.Decl{touched}); err == nil {
		t.Errorf("an edit of an untouched declaration passed: %s", got)
	}
	doc = openText(t, "package p\n\nfunc a() {}\n\nfunc b() {}\n")
	touched = appendCall(doc, 0, "b")
	got, err := doc.close([]ast.Decl{touched})
	if want := "package p\n\nfunc a() {\n\tb()\n}\n\nfunc b() {}\n"; err != nil || string(got) != want {
		t.Errorf("close = %q, %v; want %q", got, err, want)
	}
}

func TestOpenRefusesLineDirectives(t *testing.T) {
	const src = "package p\n\n//line x.y:1\nfunc a() {}\n"
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "a.go", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := open(fset, file, "a.go", []byte(src)); err == nil {
		t.Error("a file with //line directives was opened")
	}
	openText(t, strings.Replace(src, "//line x.y:1", "// line x.y:1", 1))
}

func TestAddImport(t *testing.T) {
	const sdk = `"github.com/modelcontextprotocol/go-sdk/mcp"`
	const shim = `mrtr "github.com/mrtr-migrate/mrtr-migrate/shim/gosdk"`
	tests := []struct{ name, in, want string }{
		{"none", "package p\n\nfunc a() {}\n", "package p\n\nimport " + shim + "\n\nfunc a() {}\n"},
		{"single", "package p\n\nimport " + sdk + "\n\nfunc a() {}\n",
			"package p\n\nimport (\n\t" + sdk + "\n\t" + shim + "\n)\n\nfunc a() {}\n"},
		{"only the standard library", "package p\n\nimport (\n\t\"context\"\n\t\"fmt\" // text\n)\n\nfunc a() {}\n",
			"package p\n\nimport (\n\t\"context\"\n\t\"fmt\" // text\n\n\t" + shim + "\n)\n\nfunc a() {}\n"},
		{"groups", "package p\n\nimport (\n\t\"fmt\"\n\n\t" + sdk + "\n\t\"golang.org/x/sync\"\n\n\t\"example.com/own\"\n)\n\nfunc a() {}\n",
			"package p\n\nimport (\n\t\"fmt\"\n\n\t" + sdk + "\n\t" + shim + "\n\t\"golang.org/x/sync\"\n\n\t\"example.com/own\"\n)\n\nfunc a() {}\n"},
		{"cgo apart", "package p\n\n// #include <stdio.h>\nimport \"C\"\n\nimport (\n\t\"fmt\"\n)\n\nfunc a() {}\n",
			"package p\n\n// #include <stdio.h>\nimport \"C\"\n\nimport (\n\t\"fmt\"\n\n\t" + shim + "\n)\n\nfunc a() {}\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			doc := openText(t, test.in)
			addImport(doc.tree, shimPath, shimName)
			var touched []ast.Decl
			for _, d := range doc.file.Decls {
				if gen, ok := d.(*ast.GenDecl); ok && gen.Tok == token.IMPORT {
					touched = append(touched, d)
				}
			}
			got, err := doc.close(touched)
			if err != nil || string(got) != test.want {
				t.Errorf("got %v\n%s\nwant\n%s", err, got, test.want)
			}
		})
	}
}

// TestLineEdits holds the diff against its definition on random texts of few
// different lines, where there are many ways to be wrong.
func TestLineEdits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "}\n", "\n", "unique 1\n", "unique 2\n", "unique 3\n"})
		text := rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(line, 0, 30).Draw(t, "lines"), "") + rapid.SampledFrom([]string{"", "end"}).Draw(t, "end")
		})
		before, after := text.Draw(t, "before"), text.Draw(t, "after")
		diff := FileChange{Path: "/x/a.go", Before: []byte(before), After: []byte(after)}.Diff("/x")
		if (diff == "") != (before == after) {
			t.Fatalf("diff of %q and %q is %q", before, after, diff)
		}
		got := before
		for i := len(lineEdits(before, after)) - 1; i >= 0; i-- {
			e := lineEdits(before, after)[i]
			got = got[:e.Start] + e.New + got[e.End:]
		}
		if got != after {
			t.Fatalf("the edits of %q turn it into %q, not %q", before, got, after)
		}
	})
}

func TestCloseRefusesLostComments(t *testing.T) {
	const src = "package p\n\nfunc a() {\n\tb( /* why */ 1)\n}\n\nfunc b(int) {}\n"
	doc := openText(t, src)
	touched := appendCall(doc, 0, "a")
	if _, err := doc.close([]ast.Decl{touched}); err != nil {
		t.Fatalf("an edit that keeps the comment: %v", err)
	}
	doc = openText(t, src)
	touched = appendCall(doc, 0, "a")
	decl := doc.tree.Decls[0].(*dst.FuncDecl)
	decl.Body.List = decl.Body.List[1:]
	if _, err := doc.close([]ast.Decl{touched}); err == nil || !strings.Contains(err.Error(), "/* why */") {
		t.Errorf("an edit that drops the comment: got error %v", err)
	}
}

// TestCloseSurvivesABadTree sees that a tree that dst cannot print costs the
// file, not the run.
func TestCloseSurvivesABadTree(t *testing.T) {
	doc := openText(t, "package p\n\nfunc a() {\n\tb()\n}\n\nfunc b() {}\n")
	decl := doc.tree.Decls[0].(*dst.FuncDecl)
	decl.Body.List = append(decl.Body.List, decl.Body.List[0])
	if _, err := doc.close([]ast.Decl{doc.file.Decls[0]}); err == nil {
		t.Error("a tree with one node twice was printed")
	}
}
