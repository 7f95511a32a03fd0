package legacyadapter_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// typescript returns a folder in which the scripts of testdata/typescript can
// be run, with the packages that their lock file names. The packages are kept
// in the user's cache between runs, under the digest of the lock file.
//
// Without node the tests are skipped, but not where CI=true says that a skipped
// test would go unnoticed.
func typescript(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("the official TypeScript clients are left out of short runs")
	}
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatalf("%s is needed to test with the official TypeScript clients: %v", program, err)
			}
			t.Skipf("%s is not installed: the official TypeScript clients are not tried", program)
		}
	}
	const source = "testdata/typescript"
	lock, err := os.ReadFile(filepath.Join(source, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	digest := sha256.Sum256(lock)
	kept := filepath.Join(cache, "mrtr-migrate", "typescript-"+hex.EncodeToString(digest[:8]))
	if _, err := os.Stat(filepath.Join(kept, "node_modules")); err != nil {
		if err := os.MkdirAll(filepath.Dir(kept), 0o777); err != nil {
			t.Fatal(err)
		}
		// Installed aside and moved into place, so that a run that is ended
		// half way leaves nothing behind that looks whole.
		fresh, err := os.MkdirTemp(filepath.Dir(kept), "installing-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(fresh)
		for _, name := range []string{"package.json", "package-lock.json"} {
			text, err := os.ReadFile(filepath.Join(source, name))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(fresh, name), text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		install := exec.CommandContext(t.Context(), "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
		install.Dir = fresh
		if out, err := install.CombinedOutput(); err != nil {
			t.Fatalf("npm ci: %v\n%s", err, out)
		}
		if err := os.Rename(fresh, kept); err != nil {
			// Another run was faster, or it could not be moved.
			if _, err := os.Stat(filepath.Join(kept, "node_modules")); err != nil {
				t.Fatal(err)
			}
		}
	}
	// node looks for packages beside a script, links resolved.
	folder := t.TempDir()
	if err := os.Symlink(filepath.Join(kept, "node_modules"), filepath.Join(folder, "node_modules")); err != nil {
		t.Fatal(err)
	}
	scripts, err := fs.Glob(os.DirFS(source), "*.mjs")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range scripts {
		text, err := os.ReadFile(filepath.Join(source, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// The official TypeScript clients of both eras, each against the same endpoint
// and over standard input and output, are asked the same and get the same.
func TestTypeScriptClients(t *testing.T) {
	folder := typescript(t)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	d := newDesk(t)
	url := endpoint(t, d.server, nil)
	tests := []struct {
		name string
		args []string
		era  string
	}{
		{"2026-07-28 http", []string{"modern.mjs", "http", url}, "modern"},
		{"2026-07-28 http, after a probe", []string{"modern.mjs", "http", url, "auto"}, "modern"},
		{"2026-07-28 stdio", []string{"modern.mjs", "stdio", program}, "modern"},
		{"2026-07-28 stdio, after a probe", []string{"modern.mjs", "stdio", program, "auto"}, "modern"},
		{"2025-11-25 http", []string{"legacy.mjs", "http", url}, "legacy"},
		{"2025-11-25 stdio", []string{"legacy.mjs", "stdio", program}, "legacy"},
	}
	asked := []string{
		"Step 0 after []?", "Step 1 after [w1]?", "Step 2 after [w1 w2]?", "Step 3 after [w1 w2 w3]?",
		"Do x?", "First?", "After w6?", "Sign in", "sampling", "roots", "Hand over to night?", "Show the payroll?",
	}
	results := []string{
		"w1 w2 w3 w4", "did x: w5", "w6 w7", "signed in: accept", "short", "1 roots", "plain",
		"handover w11", "payroll w12", "error -32602",
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			script := exec.CommandContext(ctx, "node", tt.args...)
			script.Dir = folder
			var stderr bytes.Buffer
			script.Stderr = &stderr
			out, err := script.Output()
			if err != nil {
				t.Fatalf("%v\n%s%s", err, out, stderr.Bytes())
			}
			var got struct {
				Era            string
				Asked, Results []string
			}
			if err := json.Unmarshal(out, &got); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if got.Era != tt.era {
				t.Errorf("era %s", got.Era)
			}
			if !slices.Equal(got.Asked, asked) {
				t.Errorf("asked %q", got.Asked)
			}
			if !slices.Equal(got.Results, results) {
				t.Errorf("results %q", got.Results)
			}
		})
	}
	if done := d.done(); len(done) != 9 { // steps, confirm and blocking, of three clients
		t.Errorf("effects %q", done)
	}
}
