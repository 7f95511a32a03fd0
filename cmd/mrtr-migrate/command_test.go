package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/modfile"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write what the commands print into testdata/*.txtar")

func TestMain(m *testing.M) {
	status := m.Run()
	if built.dir != "" {
		os.RemoveAll(built.dir)
	}
	os.Exit(status)
}

var built struct {
	sync.Once
	dir string
	err error
}

// build returns the path of the command, built from this tree once.
func build(t *testing.T) string {
	t.Helper()
	built.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "mrtr-migrate"); built.err != nil {
			return
		}
		if out, err := exec.Command("go", "build", "-o", built.dir, ".").CombinedOutput(); err != nil {
			built.err = fmt.Errorf("building the command: %w\n%s", err, out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return filepath.Join(built.dir, "mrtr-migrate")
}

// status returns the exit status of a command that has run.
func status(t *testing.T, err error) int {
	t.Helper()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	t.Fatal(err)
	return 0
}

// TestCommands runs the cases in testdata. The comment of each has command
// lines, after "$ ", each followed by a line with its exit status; what the
// n-th one prints is in the files "stdout n" and "stderr n", which are left out
// if empty. All other files are laid out first; $SDK in go.mod stands for the
// requirements of this module.
func TestCommands(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d cases, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			before, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			after := txtar.Format(runCase(t, txtar.Parse(before)))
			if *update {
				if err := os.WriteFile(file, after, 0o666); err != nil {
					t.Fatal(err)
				}
			} else if diff := cmp.Diff(string(before), string(after)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", file, diff)
			}
		})
	}
}

var outputFile = regexp.MustCompile(`^(stdout|stderr) \d+$`)

// runCase returns the archive with what the commands print.
func runCase(t *testing.T, in *txtar.Archive) *txtar.Archive {
	t.Helper()
	dir := caseDir(t)
	out := new(txtar.Archive)
	for _, f := range in.Files {
		if outputFile.MatchString(f.Name) {
			continue
		}
		out.Files = append(out.Files, f)
		layOut(t, dir, f)
	}
	n := 0
	var comment strings.Builder
	for line := range strings.Lines(string(in.Comment)) {
		if strings.HasPrefix(line, "status ") {
			continue
		}
		comment.WriteString(line)
		command, ok := strings.CutPrefix(strings.TrimSpace(line), "$ ")
		if !ok {
			continue
		}
		n++
		got, stdout, stderr := runLine(t, dir, command)
		fmt.Fprintf(&comment, "status %d\n", got)
		for _, f := range []txtar.File{{Name: "stdout " + strconv.Itoa(n), Data: stdout}, {Name: "stderr " + strconv.Itoa(n), Data: stderr}} {
			if len(f.Data) > 0 {
				out.Files = append(out.Files, f)
			}
		}
	}
	if n == 0 {
		t.Error("the case has no commands")
	}
	out.Comment = []byte(comment.String())
	return out
}

// caseDir returns a folder under the name that the commands will print.
func caseDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// layOut writes a file of a case.
func layOut(t *testing.T, dir string, f txtar.File) {
	t.Helper()
	name := filepath.Join(dir, filepath.FromSlash(f.Name))
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if filepath.Base(name) == "go.mod" && bytes.Contains(f.Data, []byte("$SDK")) {
		require, sums := sdkRequirements(t)
		f.Data = bytes.ReplaceAll(f.Data, []byte("$SDK"), require)
		if err := os.WriteFile(filepath.Join(filepath.Dir(name), "go.sum"), sums, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(name, f.Data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// sdkRequirements returns the requirements of this module, and its go.sum.
func sdkRequirements(t *testing.T) (require, sums []byte) {
	t.Helper()
	root := filepath.Join("..", "..")
	data, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range mod.Require {
		require = fmt.Appendf(require, "require %s %s\n", r.Mod.Path, r.Mod.Version)
	}
	if sums, err = os.ReadFile(filepath.Join(root, "go.sum")); err != nil {
		t.Fatal(err)
	}
	return require, sums
}

// runLine runs a command line: variables, then mrtr-migrate or go, where
// $TOOL is the path of the former. It returns what was printed, with $WORK for
// the folder.
func runLine(t *testing.T, dir, line string) (exit int, stdout, stderr []byte) {
	t.Helper()
	words := strings.Fields(strings.ReplaceAll(line, "$TOOL", build(t)))
	env := append(os.Environ(), "GOFLAGS=", "GOWORK=off", "PWD="+dir)
	for len(words) > 0 && strings.Contains(words[0], "=") {
		env, words = append(env, words[0]), words[1:]
	}
	switch {
	case len(words) > 0 && words[0] == "mrtr-migrate":
		words[0] = build(t)
	case len(words) > 0 && words[0] == "go":
	default:
		t.Fatalf("%q runs neither mrtr-migrate nor go", line)
	}
	var out, errs bytes.Buffer
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, &out, &errs
	exit = status(t, cmd.Run())
	tidy := func(b []byte) []byte {
		b = bytes.ReplaceAll(b, []byte(dir), []byte("$WORK"))
		if len(b) > 0 && b[len(b)-1] != '\n' {
			b = append(b, '\n')
		}
		return b
	}
	return exit, tidy(out.Bytes()), tidy(errs.Bytes())
}
