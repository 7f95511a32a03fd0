package rewrite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// ModulePath is the module that rewritten code depends on: this one.
const ModulePath = "github.com/mrtr-migrate/mrtr-migrate"

// ErrNoVersion is returned when rewritten code would need this module and it
// is not known in which version: the command was built from a working copy and
// Options.ModuleReplace does not name one.
var ErrNoVersion = errors.New("rewritten code needs " + ModulePath + ", and this build does not know its version: name a clone of it with --module-replace DIR, or install a released version")

// placeholder is the version of a requirement that is replaced by a folder.
const placeholder = "v0.0.0-00010101000000-000000000000"

// moduleVersion returns the version of this module that is running, or "" for
// one that no proxy has.
func moduleVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	found := ""
	if info.Main.Path == ModulePath {
		found = info.Main.Version
	}
	for _, dep := range info.Deps {
		if dep.Path == ModulePath && dep.Replace == nil {
			found = dep.Version
		}
	}
	// A version with build metadata is a working copy with changes.
	if !semver.IsValid(found) || semver.Build(found) != "" {
		return ""
	}
	return found
}

// requirement is the go.mod of the user's module on its way to require ours.
// It is kept in a scratch folder, where the go command completes it while the
// edited packages are checked: the versions it selects and their checksums.
type requirement struct {
	dir     string // of the user's module
	scratch string // "" when the module needs no change
}

// require prepares the requirement. The module at dir is left alone if it is
// our own module, or has a requirement already.
func require(dir, version, replace string) (*requirement, error) {
	r := &requirement{dir: dir}
	data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return nil, err
	}
	file, err := modfile.Parse(filepath.Join(dir, "go.mod"), data, nil)
	if err != nil {
		return nil, err
	}
	if file.Module == nil || file.Module.Mod.Path == ModulePath {
		return r, nil
	}
	for _, have := range file.Require {
		if have.Mod.Path == ModulePath {
			return r, nil
		}
	}
	if version == "" {
		if replace == "" {
			return nil, ErrNoVersion
		}
		version = placeholder
	}
	all := append(file.Require, &modfile.Require{Mod: module.Version{Path: ModulePath, Version: version}})
	file.SetRequireSeparateIndirect(all)
	if replace != "" {
		if replace, err = filepath.Abs(replace); err != nil {
			return nil, err
		}
		if err := checkClone(replace); err != nil {
			return nil, err
		}
		if err := file.AddReplace(ModulePath, "", replace, ""); err != nil {
			return nil, err
		}
	}
	file.Cleanup()
	out, err := file.Format()
	if err != nil {
		return nil, err
	}
	if r.scratch, err = os.MkdirTemp("", "mrtr-migrate-*"); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(r.scratch, "go.mod"), out, 0o600); err != nil {
		return nil, err
	}
	sums, err := os.ReadFile(filepath.Join(dir, "go.sum"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(r.scratch, "go.sum"), sums, 0o600); err != nil {
		return nil, err
	}
	return r, nil
}

// ErrNoClone is returned for an Options.ModuleReplace that holds no clone of
// this module.
var ErrNoClone = errors.New("--module-replace: no clone of " + ModulePath)

// checkClone returns ErrNoClone if dir is not the root of this module: the go
// command would only say that imports have no name.
func checkClone(dir string) error {
	data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoClone, err)
	}
	if path := modfile.ModulePath(data); path != ModulePath {
		return fmt.Errorf("%w: %s holds the module %s", ErrNoClone, dir, path)
	}
	return nil
}

// flags are the build flags under which the edited module resolves.
func (r *requirement) flags() []string {
	if r.scratch == "" {
		return nil
	}
	return []string{"-modfile=" + filepath.Join(r.scratch, "go.mod"), "-mod=mod"}
}

// changes returns go.mod and go.sum as the go command has completed them.
func (r *requirement) changes() ([]FileChange, error) {
	if r.scratch == "" {
		return nil, nil
	}
	var out []FileChange
	for _, name := range []string{"go.mod", "go.sum"} {
		after, err := os.ReadFile(filepath.Join(r.scratch, name))
		if err != nil {
			return nil, fmt.Errorf("the edited %s: %w", name, err)
		}
		path := filepath.Join(r.dir, name)
		before, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		if string(before) != string(after) {
			out = append(out, FileChange{Path: path, Before: before, After: after})
		}
	}
	return out, nil
}

// close removes the scratch folder.
func (r *requirement) close() {
	if r.scratch != "" {
		_ = os.RemoveAll(r.scratch) // a leftover in the temporary folder harms nobody
	}
}
