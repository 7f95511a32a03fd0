package rewrite

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// modules are the folders of the modules of a workspace.
type modules []string

// workspace returns the modules of the workspace that is in force, none if
// there is no go.work. Each module is rewritten by itself, as it is built
// without the workspace.
func workspace(ctx context.Context, opts Options) modules {
	cmd := exec.CommandContext(ctx, "go", "env", "GOWORK")
	cmd.Dir, cmd.Env = opts.Dir, opts.Env
	out, err := cmd.Output()
	path := strings.TrimSpace(string(out))
	if err != nil || path == "" || path == "off" {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	work, err := modfile.ParseWork(path, data, nil)
	if err != nil {
		return nil // loading will say so with more context
	}
	var dirs modules
	for _, use := range work.Use {
		dir := filepath.FromSlash(use.Path)
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(filepath.Dir(path), dir)
		}
		dirs = append(dirs, filepath.Clean(dir))
	}
	slices.Sort(dirs)
	return dirs
}

// without lists the modules but the one in dir as not looked at.
func (m modules) without(dir string) []Skipped {
	var out []Skipped
	for _, other := range m {
		if other != filepath.Clean(dir) {
			out = append(out, Skipped{Path: other, Reason: "another module of the workspace: run the command there"})
		}
	}
	return out
}
