package rewrite_test

import (
	"bytes"
	"context"
	"flag"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mrtr-migrate/mrtr-migrate/rewrite"
)

var update = flag.Bool("update", false, "write what the rewriter gives into the golden files")

// A golden case is an archive: the files of packages below
// example.com/golden/<case>, under want/ what each becomes where it changes,
// and in report what the summary says. An archive with a go.mod is a module of
// its own; all others are packages of one module, so that one run rewrites
// them all.
type goldenCase struct {
	name    string
	path    string
	archive *txtar.Archive
	own     bool
}

func goldenCases(t *testing.T) []*goldenCase {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	var out []*goldenCase
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		c := &goldenCase{name: strings.TrimSuffix(filepath.Base(path), ".txtar"), path: path, archive: archive}
		c.own = slices.ContainsFunc(archive.Files, func(f txtar.File) bool { return f.Name == "go.mod" })
		out = append(out, c)
	}
	return out
}

// lay writes the input files of a case below dir.
func (c *goldenCase) lay(t *testing.T, dir string) {
	t.Helper()
	for _, f := range c.archive.Files {
		if !strings.HasPrefix(f.Name, "want/") && f.Name != "report" {
			writeFile(t, filepath.Join(dir, filepath.FromSlash(f.Name)), f.Data)
		}
	}
}

func writeFile(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// check compares what the run made of the case's files in dir, or with
// -update records it.
func (c *goldenCase) check(t *testing.T, dir, report string) {
	t.Helper()
	want := make(map[string][]byte)
	wantReport := ""
	var inputs []txtar.File
	for _, f := range c.archive.Files {
		switch {
		case strings.HasPrefix(f.Name, "want/"):
			want[strings.TrimPrefix(f.Name, "want/")] = f.Data
		case f.Name == "report":
			wantReport = string(f.Data)
		default:
			inputs = append(inputs, f)
		}
	}
	updated := &txtar.Archive{Comment: c.archive.Comment, Files: inputs}
	clone := options(t, dir).ModuleReplace
	for _, f := range inputs {
		got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f.Name)))
		if err != nil {
			t.Fatal(err)
		}
		got = bytes.ReplaceAll(got, []byte(clone), []byte("$CLONE"))
		if filepath.Ext(f.Name) == ".go" {
			if formatted, err := format.Source(got); err != nil {
				t.Errorf("%s: %v", f.Name, err)
			} else if before, _ := format.Source(f.Data); bytes.Equal(before, f.Data) && !bytes.Equal(formatted, got) {
				t.Errorf("%s was gofmt-clean and is not any more", f.Name)
			}
		}
		if !bytes.Equal(got, f.Data) && filepath.Base(f.Name) != "go.sum" {
			updated.Files = append(updated.Files, txtar.File{Name: "want/" + f.Name, Data: got})
		}
		if *update || filepath.Base(f.Name) == "go.sum" {
			continue
		}
		expect, changes := want[f.Name]
		if !changes {
			expect = f.Data
		}
		if !bytes.Equal(got, expect) {
			t.Errorf("%s: got\n%s\nwant\n%s", f.Name, got, expect)
		}
	}
	if *update {
		updated.Files = append(updated.Files, txtar.File{Name: "report", Data: []byte(report)})
		if err := os.WriteFile(c.path, txtar.Format(updated), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if report != wantReport {
		t.Errorf("report: got\n%s\nwant\n%s", report, wantReport)
	}
}

// goModule makes an empty module in dir that can use the SDK and this module.
func goModule(t *testing.T, dir, path string) {
	t.Helper()
	writeFile(t, filepath.Join(dir, "go.mod"), []byte(`module `+path+`

go 1.26.0

require (
	github.com/google/jsonschema-go v0.4.3
	github.com/modelcontextprotocol/go-sdk v1.8.0
)

require (
	github.com/segmentio/asm v1.1.3 // indirect
	github.com/segmentio/encoding v0.5.4 // indirect
	github.com/yosida95/uritemplate/v3 v3.0.2 // indirect
	golang.org/x/oauth2 v0.35.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/time v0.15.0 // indirect
)
`))
	sums, err := os.ReadFile("../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "go.sum"), sums)
}

// options are those of every run in a test: this clone is the module that
// rewritten code requires.
func options(t *testing.T, dir string) rewrite.Options {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	return rewrite.Options{Dir: dir, ModuleReplace: root, Env: append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")}
}

// run rewrites the module in dir on disk, and once more to see that the second
// run finds nothing to do.
func run(t *testing.T, dir string) *rewrite.Result {
	t.Helper()
	first, err := rewrite.Rewrite(context.Background(), options(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Write(false); err != nil {
		t.Fatal(err)
	}
	second, err := rewrite.Rewrite(context.Background(), options(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range second.Changes {
		t.Errorf("a second run changes %s:\n%s", c.Path, c.Diff(dir))
	}
	if len(second.Handlers) != 0 {
		t.Errorf("a second run rewrites %v", second.Handlers)
	}
	if got, want := len(second.Markers), len(first.Markers); got != want {
		t.Errorf("a second run reports %d markers, the first one %d", got, want)
	}
	return first
}

// report is the part of a summary that is about the files below one folder.
func report(t *testing.T, r *rewrite.Result, folder string) string {
	t.Helper()
	part := *r
	part.Root = filepath.Join(r.Root, folder)
	in := func(path string) bool { return strings.HasPrefix(path, part.Root+string(filepath.Separator)) }
	part.Changes = slices.DeleteFunc(slices.Clone(r.Changes), func(c rewrite.FileChange) bool { return !in(c.Path) })
	part.Handlers = slices.DeleteFunc(slices.Clone(r.Handlers), func(h rewrite.HandlerReport) bool { return !in(h.Path) })
	part.Markers = slices.DeleteFunc(slices.Clone(r.Markers), func(m rewrite.MarkerReport) bool { return !in(m.Path) })
	part.Untouched = slices.DeleteFunc(slices.Clone(r.Untouched), func(u rewrite.Untouched) bool { return !in(u.Path) })
	part.Skipped = slices.DeleteFunc(slices.Clone(r.Skipped), func(s rewrite.Skipped) bool { return filepath.IsAbs(s.Path) && !in(s.Path) })
	if folder != "." {
		part.Setup = rewrite.SetupReport{}
	}
	var b strings.Builder
	if err := part.WriteText(&b, true); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestGolden rewrites every case, compares the files and the summary, builds
// and vets the result against the real SDK and the real run-time, and rewrites
// it again.
func TestGolden(t *testing.T) {
	t.Parallel()
	shared := t.TempDir()
	goModule(t, shared, "example.com/golden")
	var together []*goldenCase
	for _, c := range goldenCases(t) {
		if c.own {
			t.Run(c.name, func(t *testing.T) {
				dir := t.TempDir()
				goModule(t, dir, "example.com/golden")
				c.lay(t, dir)
				result := run(t, dir)
				c.check(t, dir, report(t, result, "."))
				vet(t, dir)
			})
			continue
		}
		c.lay(t, filepath.Join(shared, c.name))
		together = append(together, c)
	}
	result := run(t, shared)
	for _, c := range together {
		t.Run(c.name, func(t *testing.T) {
			c.check(t, filepath.Join(shared, c.name), report(t, result, c.name))
		})
	}
	vet(t, shared)
}

// vet builds and vets a module with its tests.
func vet(t *testing.T, dir string) {
	t.Helper()
	cmd := exec.Command("go", "vet", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go vet: %v\n%s", err, out)
	}
}
