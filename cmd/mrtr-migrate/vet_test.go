package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/mrtr-migrate/mrtr-migrate/cmd/mrtr-migrate/internal/output"
)

// TestDriversAgree runs the linter in all its forms on the desk, and on a module
// with tests, suppressions and a chain through two packages: each finding, its
// position, its text and its related places must be the same.
func TestDriversAgree(t *testing.T) {
	chain := caseDir(t)
	archive, err := txtar.ParseFile("testdata/lint_chain.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		layOut(t, chain, f)
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, dir, pattern string
		least              int // findings, so that agreeing means something
	}{
		{"desk", root, "./testdata/legacyserver/...", 17},
		{"chain", chain, "./...", 4},
	} {
		t.Run(test.name, func(t *testing.T) {
			run := func(name string, args ...string) (code int, stdout, stderr string) {
				var out, errs bytes.Buffer
				cmd := exec.Command(name, append(args, test.pattern)...)
				cmd.Dir, cmd.Stdout, cmd.Stderr = test.dir, &out, &errs
				return status(t, cmd.Run()), out.String(), errs.String()
			}
			bin := build(t)
			code, text, errs := run(bin, "lint")
			if code != 1 {
				t.Fatalf("lint: exit status %d, want 1\n%s", code, errs)
			}
			want := findings(text)
			if len(want) < test.least {
				t.Fatalf("lint: %d findings, want %d at least\n%s", len(want), test.least, text)
			}
			compare := func(form string, code, wantCode int, got []string) {
				t.Helper()
				if code != wantCode {
					t.Errorf("%s: exit status %d, want %d", form, code, wantCode)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s differs from lint (-lint +other):\n%s", form, diff)
				}
			}
			code, raw, _ := run(bin, "lint", "--format=json")
			compare("lint --format=json", code, 1, findingsOfReport(t, raw))
			code, _, text = run("go", "vet", "-vettool="+bin)
			compare("go vet", code, 1, findings(text))
			code, raw, _ = run("go", "vet", "-vettool="+bin, "-json")
			compare("go vet -json", code, 0, findingsOfVet(t, raw, test.dir))
		})
	}
}

// findings cuts text into findings, each with what is indented below it, and
// sorts them. The go command's headings are left out.
func findings(text string) []string {
	var list []string
	for line := range strings.Lines(text) {
		_, rest, ok := strings.Cut(line, ": ")
		switch {
		case ok && strings.HasPrefix(rest, "MRTR"):
			list = append(list, line)
		case ok && strings.HasPrefix(rest, "\t") && len(list) > 0:
			list[len(list)-1] += line
		}
	}
	slices.Sort(list)
	return list
}

// findingsOfReport returns what is in the JSON of lint, in the form of its
// text.
func findingsOfReport(t *testing.T, raw string) []string {
	t.Helper()
	var report output.Report
	if err := json.Unmarshal([]byte(raw), &report); err != nil {
		t.Fatalf("%v\n%s", err, raw)
	}
	var text bytes.Buffer
	if err := output.Text(&text, report.Findings, output.Style{}); err != nil {
		t.Fatal(err)
	}
	return findings(text.String())
}

// findingsOfVet does the same for the JSON of go vet.
func findingsOfVet(t *testing.T, raw, dir string) []string {
	t.Helper()
	var text strings.Builder
	dec := json.NewDecoder(strings.NewReader(raw))
	for {
		var tree map[string]map[string][]struct {
			Category, Posn, Message string
			Related                 []struct{ Posn, Message string }
		}
		if err := dec.Decode(&tree); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("%v\n%s", err, raw)
		}
		for _, unit := range tree {
			for _, list := range unit {
				for _, d := range list {
					if !strings.HasPrefix(d.Message, d.Category+" ") {
						t.Errorf("category %q of %q", d.Category, d.Message)
					}
					fmt.Fprintf(&text, "%s: %s\n", d.Posn, d.Message)
					for _, r := range d.Related {
						fmt.Fprintf(&text, "%s: \t%s\n", r.Posn, r.Message)
					}
				}
			}
		}
	}
	return findings(strings.ReplaceAll(text.String(), dir+string(filepath.Separator), ""))
}

// TestVetSkips gives the tool a unit that does not even parse. It must not be
// looked at while no SDK can be reached from it, and must fail when one can.
func TestVetSkips(t *testing.T) {
	bin, dir := build(t), t.TempDir()
	source := filepath.Join(dir, "broken.go")
	if err := os.WriteFile(source, []byte("package broken\n\nfunc {\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	vetx := filepath.Join(dir, "vetx")
	for _, test := range []struct {
		imports string
		status  int
	}{
		{"fmt", 0},
		{"github.com/modelcontextprotocol/go-sdk/mcp", 1},
		{"github.com/mark3labs/mcp-go/server", 1},
	} {
		os.Remove(vetx)
		cfg := filepath.Join(dir, "vet.cfg")
		data, err := json.Marshal(map[string]any{
			"ID": "broken", "ImportPath": "broken", "GoVersion": "go1.26", "GoFiles": []string{source},
			"ImportMap": map[string]string{test.imports: test.imports}, "VetxOutput": vetx,
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(cfg, data, 0o666); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(bin, cfg).CombinedOutput()
		if got := status(t, err); got != test.status {
			t.Errorf("a unit that imports %s: exit status %d, want %d\n%s", test.imports, got, test.status, out)
		}
		if _, err := os.Stat(vetx); (err == nil) != (test.status == 0) {
			t.Errorf("a unit that imports %s: facts written: %v, want them only without an SDK", test.imports, err == nil)
		}
	}
}
