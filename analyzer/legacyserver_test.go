package analyzer_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/mrtr-migrate/mrtr-migrate/analyzer"
)

var update = flag.Bool("update", false, "write the golden files anew")

// load type-checks packages of this module from source, with their
// dependencies.
func load(t *testing.T, patterns ...string) []*packages.Package {
	t.Helper()
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax, Dir: ".."}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	if packages.PrintErrors(pkgs) > 0 {
		t.Fatal("the packages do not load")
	}
	return pkgs
}

// reports runs the finder.
func reports(t *testing.T, pkgs []*packages.Package) map[*packages.Package]*analyzer.Report {
	t.Helper()
	graph, err := checker.Analyze([]*analysis.Analyzer{analyzer.Asks}, pkgs, &checker.Options{SanityCheck: true})
	if err != nil {
		t.Fatal(err)
	}
	m := make(map[*packages.Package]*analyzer.Report)
	for _, act := range graph.Roots {
		if act.Err != nil {
			t.Fatal(act.Err)
		}
		m[act.Package] = act.Result.(*analyzer.Report)
	}
	return m
}

// TestLegacyServer compares everything that is said of the server that the
// project is tried on, handlers and chains included, with a golden file.
func TestLegacyServer(t *testing.T) {
	pkgs := load(t, "./testdata/legacyserver/...")
	byPackage := reports(t, pkgs)
	root, err := filepath.Abs("../testdata/legacyserver")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	asks := 0
	for _, pkg := range pkgs {
		r := byPackage[pkg]
		fmt.Fprintf(&b, "package %s\n", strings.TrimPrefix(pkg.PkgPath, "github.com/mrtr-migrate/mrtr-migrate/testdata/"))
		for _, h := range r.Handlers {
			fmt.Fprintf(&b, "\thandler %s %q typed=%t %s\n", h.Method, h.Name, h.Typed, h.Func.Name)
		}
		for _, fn := range r.Funcs {
			for _, a := range fn.Asks {
				asks++
				fmt.Fprintf(&b, "\task %s in %s async=%t\n", a.Method, fn.Name, a.Async != nil)
				for _, chain := range a.Chains {
					fmt.Fprintf(&b, "\t\tchain")
					for _, frame := range chain {
						fmt.Fprintf(&b, " %s(%s:%d)", frame.Name, filepath.Base(frame.Pos.Filename), frame.Pos.Line)
					}
					b.WriteByte('\n')
				}
			}
			for _, c := range fn.Calls {
				fmt.Fprintf(&b, "\tcall in %s line %d reaches", fn.Name, pkg.Fset.Position(c.Call.Pos()).Line)
				for _, ref := range c.Reaches {
					fmt.Fprintf(&b, " %s(%s:%d)", ref.Method, filepath.Base(ref.Pos.Filename), ref.Pos.Line)
				}
				b.WriteByte('\n')
			}
		}
		for _, f := range r.Findings {
			at := pkg.Fset.Position(f.Pos)
			rel, err := filepath.Rel(root, at.Filename)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "\t%s:%d:%d: %s\n", filepath.ToSlash(rel), at.Line, at.Column, f.Text())
		}
		fmt.Fprintf(&b, "\tsetup servers=%d http=%d transports=%d\n", len(r.Servers), len(r.HTTPHandlers), len(r.Transports))
	}
	if asks != 16 {
		t.Errorf("found %d asks, want the server's 16", asks)
	}
	golden := filepath.Join("testdata", "legacyserver.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.String(); got != string(want) {
		t.Errorf("the report differs from %s (run with -update and read the difference):\n%s", golden, diff(string(want), got))
	}
}

// diff lists the lines that only one of two texts has.
func diff(want, got string) string {
	has := func(text, line string) bool { return strings.Contains("\n"+text, "\n"+line+"\n") }
	var b strings.Builder
	for _, line := range strings.Split(want, "\n") {
		if !has(got, line) {
			fmt.Fprintf(&b, "-%s\n", line)
		}
	}
	for _, line := range strings.Split(got, "\n") {
		if !has(want, line) {
			fmt.Fprintf(&b, "+%s\n", line)
		}
	}
	return b.String()
}

// TestEffectForRewriter checks what the rewriter asks of deferred calls.
func TestEffectForRewriter(t *testing.T) {
	pkgs := load(t, "./testdata/legacyserver/internal/tools")
	r := reports(t, pkgs)[pkgs[0]]
	got := make(map[string]string)
	for _, fn := range r.Funcs {
		for _, f := range r.Findings {
			if f.Code == analyzer.CodeEffectBefore && f.Func == fn {
				got[fn.Name] = f.Message
			}
		}
		for _, a := range fn.Asks {
			if what, ok := r.Effect(a.Call); ok {
				t.Errorf("the ask in %s is said to have the effect %s", fn.Name, what)
			}
		}
	}
	if len(got) != 1 || !strings.HasPrefix(got["desk.provisionMachine"], "d.records.CreateMachine ") {
		t.Errorf("effects before questions: %v, want CreateMachine's only", got)
	}
}
