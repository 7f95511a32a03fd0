package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// build returns the path of the command, built from this tree.
func build(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "mrtr-migrate")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("building the command: %v\n%s", err, out)
	}
	return bin
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

// TestDriversAgree runs the linter in all its forms on the desk: each finding,
// its position and its text must be the same.
func TestDriversAgree(t *testing.T) {
	bin, root := build(t), filepath.Join("..", "..")
	const pattern = "./testdata/legacyserver/..."

	lint := exec.Command(bin, "lint", "--format", "json", pattern)
	lint.Dir = root
	raw, err := lint.Output()
	if got := status(t, err); got != 1 {
		t.Fatalf("lint: exit status %d, want 1\n%s", got, raw)
	}
	var report struct {
		Findings []struct {
			Code, Message string
			Position      struct {
				File         string
				Line, Column int
			}
		}
	}
	if err := json.Unmarshal(raw, &report); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, f := range report.Findings {
		want = append(want, fmt.Sprintf("%s:%d:%d: %s %s", f.Position.File, f.Position.Line, f.Position.Column, f.Code, f.Message))
	}
	slices.Sort(want)
	if len(want) < 17 {
		t.Fatalf("lint: %d findings, want one for each of the desk's 17 asks at least", len(want))
	}

	vet := exec.Command("go", "vet", "-vettool="+bin, pattern)
	vet.Dir = root
	var text bytes.Buffer
	vet.Stderr = &text
	if got := status(t, vet.Run()); got != 1 {
		t.Fatalf("go vet: exit status %d, want 1\n%s", got, text.String())
	}
	if diff := cmp.Diff(want, findingLines(text.String())); diff != "" {
		t.Errorf("go vet differs from lint (-lint +vet):\n%s", diff)
	}

	plain := exec.Command(bin, "lint", pattern)
	plain.Dir = root
	out, err := plain.Output()
	if got := status(t, err); got != 1 {
		t.Fatalf("lint: exit status %d, want 1", got)
	}
	if diff := cmp.Diff(want, findingLines(string(out))); diff != "" {
		t.Errorf("lint as text differs from lint as JSON (-json +text):\n%s", diff)
	}
}

// findingLines returns the first line of each finding, sorted: not what is
// indented below it, nor the go command's headings.
func findingLines(text string) []string {
	var list []string
	for line := range strings.Lines(text) {
		if _, rest, ok := strings.Cut(line, ": "); ok && strings.HasPrefix(rest, "MRTR") {
			list = append(list, strings.TrimSuffix(line, "\n"))
		}
	}
	slices.Sort(list)
	return list
}

// TestVetJSON checks the form of go vet -json, and that it does not fail.
func TestVetJSON(t *testing.T) {
	bin := build(t)
	vet := exec.Command("go", "vet", "-vettool="+bin, "-json", "./testdata/legacyserver/internal/consent")
	vet.Dir = filepath.Join("..", "..")
	raw, err := vet.Output()
	if got := status(t, err); got != 0 {
		t.Fatalf("go vet -json: exit status %d, want 0", got)
	}
	raw = raw[max(bytes.IndexByte(raw, '{'), 0):]
	var tree map[string]map[string][]struct{ Category, Posn, Message string }
	if err := json.NewDecoder(bytes.NewReader(raw)).Decode(&tree); err != nil {
		t.Fatalf("%v\n%s", err, raw)
	}
	for _, unit := range tree {
		if list := unit["mrtr"]; len(list) == 0 || list[0].Category != "MRTR001" {
			t.Errorf("got %v, want an MRTR001", list)
		}
		return
	}
	t.Error("no unit in the output")
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
