// Package tsclient runs the official TypeScript clients in tests.
package tsclient

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Folder returns a folder in which the scripts of source, a folder itself, can be
// run by node, with the packages that their lock file names. The packages are kept
// in the user's cache between runs, under the digest of the lock file.
//
// Without node the tests are skipped, but not where CI=true says that a skipped
// test would go unnoticed.
func Folder(t *testing.T, source string) string {
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
