package rewrite

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mrtr-migrate/mrtr-migrate/analyzer"
)

// TestCodesAreExplained looks for every code that this package names: each has
// one meaning, the analyzer's or its own.
func TestCodesAreExplained(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile(`^MRTR[0-9]+$`)
	found := make(map[string]bool)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if s, err := strconv.Unquote(lit.Value); err == nil && code.MatchString(s) {
					found[s] = true
				}
			}
			return true
		})
	}
	if !found[codeElicitation] || !found[codeDefer] {
		t.Fatalf("found only %v", found)
	}
	for code := range found {
		_, rule := analyzer.RuleOf(analyzer.Code(code))
		own := slices.ContainsFunc(Diagnostics(), func(d Diagnostic) bool { return d.Code == code })
		if rule == own {
			t.Errorf("%s: the analyzer explains it: %v, the rewriter does: %v; want one of them", code, rule, own)
		}
	}
}
