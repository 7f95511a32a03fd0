package rewrite

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// change writes before to a file in dir, with an odd mode, and returns the
// change of it to after.
func change(t *testing.T, dir, name, before, after string) FileChange {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(before), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	return FileChange{Path: path, Before: []byte(before), After: []byte(after)}
}

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// onlyFiles fails if anything but the named files is in dir: a temporary file
// that was left behind.
func onlyFiles(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(names) {
		t.Errorf("%d files in the folder, want %v", len(entries), names)
	}
}

func TestWriteKeepsModes(t *testing.T) {
	dir := t.TempDir()
	r := &Result{Root: dir, Changes: []FileChange{
		change(t, dir, "a.go", "a\n", "A\n"),
		{Path: filepath.Join(dir, "new.sum"), After: []byte("sum\n")},
	}}
	if err := r.Write(false); err != nil {
		t.Fatal(err)
	}
	if got := content(t, filepath.Join(dir, "a.go")); got != "A\n" {
		t.Errorf("a.go is %q", got)
	}
	if got := content(t, filepath.Join(dir, "new.sum")); got != "sum\n" {
		t.Errorf("new.sum is %q", got)
	}
	info, err := os.Stat(filepath.Join(dir, "a.go"))
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode is %v, %v; want 0640", info.Mode(), err)
	}
	onlyFiles(t, dir, "a.go", "new.sum")
}

func TestWriteIsAllOrNothing(t *testing.T) {
	dir := t.TempDir()
	r := &Result{Root: dir, Changes: []FileChange{
		change(t, dir, "a.go", "a\n", "A\n"),
		change(t, dir, "b.go", "b\n", "B\n"),
	}}
	// Somebody edits the second file meanwhile.
	if err := os.WriteFile(filepath.Join(dir, "b.go"), []byte("edited\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := r.Write(false); !errors.Is(err, ErrChanged) {
		t.Errorf("Write = %v, want ErrChanged", err)
	}
	if got := content(t, filepath.Join(dir, "a.go")); got != "a\n" {
		t.Errorf("a.go is %q although nothing should have been written", got)
	}
	onlyFiles(t, dir, "a.go", "b.go")
}

func TestWriteRollsBack(t *testing.T) {
	dir := t.TempDir()
	r := &Result{Root: dir, Changes: []FileChange{
		change(t, dir, "a.go", "a\n", "A\n"),
		{Path: filepath.Join(dir, "new.go"), After: []byte("new\n")},
		change(t, dir, "c.go", "c\n", "C\n"),
	}}
	broken := errors.New("disk is full")
	err := r.write(func(from, to string) error {
		if filepath.Base(to) == "c.go" {
			return broken
		}
		return os.Rename(from, to)
	})
	if !errors.Is(err, broken) {
		t.Errorf("write = %v, want %v", err, broken)
	}
	for name, want := range map[string]string{"a.go": "a\n", "c.go": "c\n"} {
		if got := content(t, filepath.Join(dir, name)); got != want {
			t.Errorf("%s is %q after the roll-back", name, got)
		}
	}
	onlyFiles(t, dir, "a.go", "c.go")
	if err := r.write(os.Rename); err != nil {
		t.Errorf("write with a working disk = %v", err)
	}
	onlyFiles(t, dir, "a.go", "c.go", "new.go")
}

func TestWriteRefusesDirtyTree(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x@example.com"}, args...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	r := &Result{Root: dir, Changes: []FileChange{change(t, dir, "a.go", "a\n", "A\n")}}
	if err := r.Write(false); !errors.Is(err, ErrDirty) || !strings.HasSuffix(err.Error(), " (a.go)") {
		t.Errorf("Write on an untracked file = %v, want ErrDirty with its name", err)
	}
	if got := content(t, filepath.Join(dir, "a.go")); got != "a\n" {
		t.Errorf("a.go is %q although the tree was dirty", got)
	}
	git("add", ".")
	git("commit", "-q", "-m", "x")
	if err := r.Write(false); err != nil {
		t.Errorf("Write on a clean tree = %v", err)
	}
	// The write itself makes the tree dirty; being told so lets it through.
	r.Changes = []FileChange{{Path: filepath.Join(dir, "a.go"), Before: []byte("A\n"), After: []byte("AA\n")}}
	if err := r.Write(false); !errors.Is(err, ErrDirty) {
		t.Errorf("Write on a changed tree = %v, want ErrDirty", err)
	}
	if err := r.Write(true); err != nil {
		t.Errorf("Write with allowDirty = %v", err)
	}
	if got := content(t, filepath.Join(dir, "a.go")); got != "AA\n" {
		t.Errorf("a.go is %q", got)
	}
}

func TestRequireLeavesOwnModuleAlone(t *testing.T) {
	dir := t.TempDir()
	for _, mod := range []string{
		"module " + ModulePath + "\n",
		"module example.com/x\n\nrequire " + ModulePath + " v1.2.3\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := require(dir, "", "")
		if err != nil {
			t.Fatal(err)
		}
		defer r.close()
		if changes, err := r.changes(); err != nil || len(changes) > 0 || r.flags() != nil {
			t.Errorf("go.mod %q would change: %v, %v", mod, changes, err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := require(dir, "", ""); !errors.Is(err, ErrNoVersion) {
		t.Errorf("require without a version = %v, want ErrNoVersion", err)
	}
	clone := filepath.Join(dir, "clone")
	if err := os.Mkdir(clone, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, mod := range []string{"", "module example.com/y\n"} {
		if mod != "" {
			if err := os.WriteFile(filepath.Join(clone, "go.mod"), []byte(mod), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := require(dir, "", clone); !errors.Is(err, ErrNoClone) {
			t.Errorf("require with a clone whose go.mod is %q = %v, want ErrNoClone", mod, err)
		}
	}
	if err := os.WriteFile(filepath.Join(clone, "go.mod"), []byte("module "+ModulePath+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	replaced, err := require(dir, "", clone)
	if err != nil {
		t.Fatalf("require with a clone = %v", err)
	}
	replaced.close()
	r, err := require(dir, "v1.2.3", "")
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	changes, err := r.changes()
	if err != nil || len(changes) != 2 && len(changes) != 1 {
		t.Fatalf("changes = %v, %v", changes, err)
	}
	if got, want := string(changes[0].After), "module example.com/x\n\nrequire "+ModulePath+" v1.2.3\n"; got != want {
		t.Errorf("go.mod = %q, want %q", got, want)
	}
}
