package rewrite_test

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mrtr-migrate/mrtr-migrate/internal/equiv"
	"github.com/mrtr-migrate/mrtr-migrate/internal/equiv/desk"
	"github.com/mrtr-migrate/mrtr-migrate/shim/state"
	"github.com/mrtr-migrate/mrtr-migrate/testdata"
)

// copyDesk copies the operations desk into dir as a module of its own.
func copyDesk(t *testing.T, dir string) {
	t.Helper()
	const path = "example.com/legacyserver"
	goModule(t, dir, path)
	err := fs.WalkDir(testdata.LegacyServer, "legacyserver", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := testdata.LegacyServer.ReadFile(name)
		if err != nil {
			return err
		}
		data = bytes.ReplaceAll(data, []byte(testdata.LegacyServerPath), []byte(path))
		writeFile(t, filepath.Join(dir, strings.TrimPrefix(name, "legacyserver/")), data)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// build builds the module in dir.
func build(t *testing.T, dir, name string) equiv.Program {
	t.Helper()
	bin := filepath.Join(t.TempDir(), name)
	cmd := exec.Command("go", "build", "-o", bin, ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return equiv.Program{Name: name, Bin: bin, Env: []string{state.EnvKeys + "=" + state.NewSecret()}}
}

// TestDesk rewrites the operations desk and plays every script to it and to
// the original: what the rewriter has written asks, answers and does the same
// on both eras, on one instance and without stickiness.
func TestDesk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	copyDesk(t, dir)
	original := build(t, dir, "original")

	result := run(t, dir)
	if got, want := len(result.Handlers), 14; got < want {
		t.Errorf("%d handlers were rewritten, want at least %d", got, want)
	}
	var left []string
	for _, m := range result.Markers {
		left = append(left, m.Code+" "+filepath.Base(m.Path))
	}
	if got, want := strings.Join(left, ", "), "MRTR010 cache.go, MRTR014 paging.go"; got != want {
		t.Errorf("markers: %s; want %s", got, want)
	}
	if len(result.Untouched) != 1 || filepath.Base(result.Untouched[0].Path) != "paging.go" {
		t.Errorf("untouched: %+v; want the ask in paging.go", result.Untouched)
	}
	vet(t, dir)
	rewritten := build(t, dir, "rewritten")

	baseline, subject := fleet(t, original), fleet(t, rewritten)
	for _, script := range desk.Scripts() {
		base, err := equiv.Record(t.Context(), baseline, script)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []equiv.Subject{
			{Era: equiv.Legacy, Rewritten: true},
			{Era: equiv.Modern, Rewritten: true},
			{Era: equiv.Modern, Rewritten: true, Fault: equiv.Switched},
			{Era: equiv.Modern, Rewritten: true, Fault: equiv.Moved},
		} {
			got, err := equiv.Play(t.Context(), subject, s.Era, script, s.Fault, nil)
			if err != nil {
				t.Fatal(err)
			}
			diffs, err := equiv.Judge(script, base, s, got)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range diffs {
				if d.Rule == 0 {
					t.Errorf("%s, client %s, %s: %s", script.Title(), s.Era, s.Fault, d)
				}
			}
		}
	}
}

func fleet(t *testing.T, p equiv.Program) *equiv.Fleet {
	t.Helper()
	world, err := desk.NewWorld(filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	f := &equiv.Fleet{Program: p, Transport: equiv.Stdio, World: world}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}
