package demo

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/mrtr-migrate/mrtr-migrate/testdata"
)

// serverModule is the path of the copied server's module.
const serverModule = "example.com/legacyserver"

// workspace is the temporary folder of a demonstration.
type workspace struct {
	dir    string
	source source
}

// newWorkspace creates the folder.
func newWorkspace(src source) (*workspace, error) {
	dir, err := os.MkdirTemp("", "mrtr-demo-*")
	if err != nil {
		return nil, err
	}
	return &workspace{dir: dir, source: src}, nil
}

func (w *workspace) original() string        { return filepath.Join(w.dir, "original") }
func (w *workspace) rewritten() string       { return filepath.Join(w.dir, "rewritten") }
func (w *workspace) bin(name string) string  { return filepath.Join(w.dir, "bin", name) }
func (w *workspace) data(name string) string { return filepath.Join(w.dir, "data", name) }

// copyServer writes out the embedded server, as a module of its own. It
// returns how many files that were.
func (w *workspace) copyServer() (int, error) {
	dir := w.original()
	tree, err := fs.Sub(testdata.LegacyServer, "legacyserver")
	if err != nil {
		return 0, err
	}
	files := 0
	err = fs.WalkDir(tree, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(dir, filepath.FromSlash(path))
		if d.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		data, err := fs.ReadFile(tree, path)
		if err != nil {
			return err
		}
		if strings.HasSuffix(path, ".go") {
			data = bytes.ReplaceAll(data, []byte(testdata.LegacyServerPath), []byte(serverModule))
		}
		files++
		return os.WriteFile(target, data, 0o644)
	})
	if err != nil {
		return 0, fmt.Errorf("copying the server: %w", err)
	}
	return files, w.writeModule(dir)
}

// copyOriginal makes the copy that is to be rewritten.
func (w *workspace) copyOriginal() error {
	return os.CopyFS(w.rewritten(), os.DirFS(w.original()))
}

// writeModule gives the copied server its go.mod and go.sum: the versions and
// checksums that our own module has, so that nothing needs to be looked up.
func (w *workspace) writeModule(dir string) error {
	data, err := os.ReadFile(filepath.Join(w.source.dir, "go.mod"))
	if err != nil {
		return err
	}
	ours, err := modfile.ParseLax("go.mod", data, nil)
	if err != nil {
		return err
	}
	theirs := new(modfile.File)
	if err := theirs.AddModuleStmt(serverModule); err != nil {
		return err
	}
	if ours.Go != nil {
		if err := theirs.AddGoStmt(ours.Go.Version); err != nil {
			return err
		}
	}
	for _, r := range ours.Require {
		switch r.Mod.Path {
		case "github.com/google/jsonschema-go", "github.com/modelcontextprotocol/go-sdk":
			if err := theirs.AddRequire(r.Mod.Path, r.Mod.Version); err != nil {
				return err
			}
		}
	}
	text, err := theirs.Format()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), text, 0o644); err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(w.source.dir, "go.sum"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o644)
}

// build compiles the server in dir. It completes go.mod with what the
// requirements themselves require.
func (w *workspace) build(ctx context.Context, dir, name string) error {
	// Without paths and symbols the go command's cache serves any folder.
	_, err := goCommand(ctx, dir, "build", "-mod=mod", "-trimpath", "-ldflags=-s -w", "-o", w.bin(name), ".")
	return err
}

// test runs the copied server's own tests.
func (w *workspace) test(ctx context.Context, dir string) error {
	_, err := goCommand(ctx, dir, "test", "-mod=mod", "-trimpath", "-ldflags=-s -w", "./...")
	return err
}

// remove deletes the folder.
func (w *workspace) remove() error { return os.RemoveAll(w.dir) }
