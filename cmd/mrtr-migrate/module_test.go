package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheckFolder(t *testing.T) {
	t.Setenv("GO111MODULE", "")
	t.Setenv("GOWORK", "off")
	dir := t.TempDir()
	below := filepath.Join(dir, "module", "below")
	if err := os.MkdirAll(below, 0o700); err != nil {
		t.Fatal(err)
	}
	check := func(dir, want string) {
		t.Helper()
		if err := checkFolder(dir); err == nil && want != "" || err != nil && (want == "" || !strings.Contains(err.Error(), want)) {
			t.Errorf("checkFolder(%s) = %v, want %q", dir, err, want)
		}
	}
	check(below, "no go.mod in "+below+" or above it")
	check(filepath.Join(dir, "none"), "there is no such directory")
	for _, name := range []string{"go.mod", "go.work"} {
		path := filepath.Join(dir, "module", name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		check(path, "there is no such directory")
		check(below, "")
		check(dir, "no go.mod")
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	// The go command is told where else to look.
	t.Setenv("GOWORK", filepath.Join(dir, "elsewhere", "go.work"))
	check(below, "")
	// Our own folder is in a module.
	t.Setenv("GOWORK", "")
	check("", "")
}
