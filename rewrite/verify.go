package rewrite

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/packages"
)

// verify checks edits before anything is written: every package that they
// reach type-checks with its tests, the asks of the rewritten handlers are
// gone, and a second rewrite would change nothing. It returns the changes to
// write, or the files that failed, with why.
func (pl *plan) verify(ctx context.Context, opts Options, edits map[string][]byte) ([]FileChange, map[string]error, error) {
	changes, err := pl.sorted(edits)
	if err != nil || len(changes) == 0 {
		return changes, nil, err
	}
	var flags []string
	if len(pl.handlers) > 0 {
		req, err := require(pl.dir, opts.ModuleVersion, opts.ModuleReplace)
		if err != nil {
			return nil, nil, err
		}
		defer req.close()
		flags = req.flags()
		opts.Progress("type-checking the rewritten packages and their tests")
		failed, err := pl.typeCheck(ctx, opts, edits, flags)
		if err != nil || len(failed) > 0 {
			return nil, failed, err
		}
		module, err := req.changes()
		if err != nil {
			return nil, nil, err
		}
		changes = append(changes, module...)
	}
	opts.Progress("rewriting the result again")
	failed, err := pl.again(ctx, opts, edits, flags)
	if err != nil || len(failed) > 0 {
		return nil, failed, err
	}
	return changes, nil, nil
}

// typeCheck loads the packages that the edits reach, with their tests, and
// returns the files that do not compile any more.
func (pl *plan) typeCheck(ctx context.Context, opts Options, edits map[string][]byte, flags []string) (map[string]error, error) {
	config := &packages.Config{
		Context:    ctx,
		Dir:        pl.dir,
		Env:        opts.Env,
		Overlay:    edits,
		BuildFlags: flags,
		Tests:      true,
		Mode:       packages.LoadSyntax | packages.NeedModule,
	}
	pkgs, err := packages.Load(config, pl.affected(edits)...)
	if err != nil {
		return nil, err
	}
	failed := make(map[string]error)
	for _, p := range pkgs {
		for _, e := range told(p.Errors) {
			path := errorFile(e)
			if _, edited := edits[path]; !edited {
				// An error elsewhere counts against the package's edited files.
				path = firstEdited(p, edits)
			}
			if path == "" {
				path = slices.Sorted(maps.Keys(edits))[0]
			}
			if failed[path] == nil {
				failed[path] = fmt.Errorf("the rewritten code does not type-check: %s", e.Msg)
			}
		}
	}
	return failed, nil
}

// told leaves out what the go command says about errors that the type checker
// reports with better positions.
func told(errs []packages.Error) []packages.Error {
	typed := slices.DeleteFunc(slices.Clone(errs), func(e packages.Error) bool { return e.Kind == packages.ListError || e.Kind == packages.UnknownError })
	if len(typed) > 0 {
		return typed
	}
	return errs
}

// affected returns the packages of the module that contain an edited file, or
// import one that does.
func (pl *plan) affected(edits map[string][]byte) []string {
	dirty := make(map[string]bool)
	var out []string
	for _, p := range pl.pkgs { // dependencies first
		hit := slices.ContainsFunc(p.GoFiles, func(f string) bool { return edits[f] != nil })
		for path := range p.Imports {
			hit = hit || dirty[path]
		}
		if hit && pl.editable[p.Types] {
			dirty[p.PkgPath] = true
			out = append(out, p.PkgPath)
		}
	}
	return out
}

func firstEdited(p *packages.Package, edits map[string][]byte) string {
	for _, f := range p.GoFiles {
		if edits[f] != nil {
			return f
		}
	}
	return ""
}

// errorFile returns the file of a load error.
func errorFile(e packages.Error) string {
	for i := len(e.Pos) - 1; i > 0; i-- {
		if e.Pos[i] == ':' {
			if _, ok := cutPosition(e.Pos[:i]); !ok {
				return filepath.Clean(e.Pos[:i])
			}
		}
	}
	return e.Pos
}

// cutPosition reports whether s still ends in a line number.
func cutPosition(s string) (string, bool) {
	for i := len(s) - 1; i > 0; i-- {
		switch {
		case s[i] >= '0' && s[i] <= '9':
		case s[i] == ':' && i < len(s)-1:
			return s[:i], true
		default:
			return s, false
		}
	}
	return s, false
}

// errNotGone says that a handler would still ask in the old way.
var errNotGone = errors.New("after the rewrite the old call would still be there")

// errUnstable says that rewriting the result would change it once more.
var errUnstable = errors.New("rewriting the result would change it again")

// again analyses and rewrites the result of a rewrite.
func (pl *plan) again(ctx context.Context, opts Options, edits map[string][]byte, flags []string) (map[string]error, error) {
	p, err := read(ctx, opts, edits, flags)
	if err != nil {
		return nil, err
	}
	failed := make(map[string]error)
	// What was refused stays refused: it has not changed.
	excluded := make(map[*function]*Reason)
	for h, reason := range pl.refused {
		for _, same := range p.entries() {
			if same.path == h.path && same.label() == h.label() && same.name() == h.name() {
				excluded[same] = reason
			}
		}
	}
	next := p.plan(p.choose(excluded))
	second, broken := next.edits()
	for path, err := range broken {
		failed[path] = fmt.Errorf("%w: %w", errUnstable, err)
	}
	for path, data := range second {
		failed[path] = fmt.Errorf("%w:\n%s", errUnstable, FileChange{Path: path, Before: edits[path], After: data}.Diff(pl.dir))
	}
	for _, h := range next.handlers {
		failed[h.path] = fmt.Errorf("%w: %s", errNotGone, h.name())
	}
	return failed, nil
}
