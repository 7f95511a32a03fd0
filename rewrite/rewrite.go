package rewrite

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// Options say what to rewrite and how. The zero value rewrites the module of
// the current folder.
type Options struct {
	// Dir is where the patterns are resolved; "" is the current folder.
	Dir string
	// Patterns name packages as the go command does; none means ./... .
	// A helper outside of them is edited where a handler in them needs it.
	Patterns []string
	// Env is the environment of the go command; nil is this process's own.
	Env []string
	// ModuleVersion is the version of this module that go.mod will require;
	// "" is the version of the running program.
	ModuleVersion string
	// ModuleReplace is a folder with a clone of this module that go.mod will
	// point to instead.
	ModuleReplace string
	// Progress, if not nil, is told what is going on, a line at a time.
	Progress func(string)
}

// Rewrite plans the rewrite of a module and verifies it, without writing
// anything: every package that it touches type-checks with its tests, the asks
// are gone, and rewriting the result again would change nothing. Handlers that
// do not pass are left as they are, with the reason in the Result.
//
// The error is for what could not be done at all (no packages, no module
// version); what was found and left is in the Result.
func Rewrite(ctx context.Context, opts Options) (*Result, error) {
	if len(opts.Patterns) == 0 {
		opts.Patterns = []string{"./..."}
	}
	if opts.Progress == nil {
		opts.Progress = func(string) {}
	}
	if opts.ModuleVersion == "" {
		opts.ModuleVersion = moduleVersion()
	}
	if opts.Env == nil {
		opts.Env = os.Environ()
	}
	others := workspace(ctx, opts)
	// A workspace would not let go.mod be checked before it is written.
	opts.Env = append(slices.Clone(opts.Env), "GOWORK=off")
	opts.Progress("loading packages")
	p, err := read(ctx, opts, nil, nil)
	if err != nil {
		return nil, err
	}
	p.skipped = append(p.skipped, others.without(p.dir)...)
	result := &Result{Root: p.dir, Module: p.module}
	excluded := make(map[*function]*Reason)
	for {
		sel := p.choose(excluded)
		pl := p.plan(sel)
		edits, failed := pl.edits()
		if pl.exclude(failed, excluded) {
			continue
		}
		if len(failed) > 0 {
			return nil, firstError(failed)
		}
		changes, reasons, err := pl.verify(ctx, opts, edits)
		if err != nil {
			return nil, err
		}
		if pl.exclude(reasons, excluded) {
			continue
		}
		if len(reasons) > 0 {
			return nil, firstError(reasons)
		}
		result.Changes = changes
		pl.report(result, edits)
		return result, nil
	}
}

// read loads and analyses a module.
func read(ctx context.Context, opts Options, overlay map[string][]byte, flags []string) (*program, error) {
	l, err := load(ctx, opts, overlay, flags)
	if err != nil {
		return nil, err
	}
	reports, err := analyze(l)
	if err != nil {
		return nil, err
	}
	p := model(l, reports)
	p.overlay = overlay
	p.judge()
	return p, nil
}

// exclude takes the handlers out that need one of the files that failed; all
// of them where that is a file of the setup. Markers alone are not worth a
// failure: a file that cannot take one goes without. It reports whether
// another attempt can be made.
func (pl *plan) exclude(failed map[string]error, excluded map[*function]*Reason) bool {
	setup := pl.setup.files()
	again := false
	for _, path := range slices.Sorted(maps.Keys(failed)) {
		_, all := setup[path]
		needed := false
		for _, h := range pl.handlers {
			uses := slices.ContainsFunc(pl.tree(h), func(fn *function) bool { return fn.path == path })
			if !uses && !all || excluded[h] != nil {
				continue
			}
			excluded[h] = &Reason{Code: codeElicitation, Position: pl.position(h.node.Pos()), Message: failed[path].Error(), path: path}
			needed = true
		}
		if !needed && !pl.unmarkable[path] {
			pl.unmarkable[path] = true
			needed = true
		}
		again = again || needed
	}
	return again
}

// firstError returns the error of the first file, for the case that leaving
// handlers alone did not help.
func firstError(failed map[string]error) error {
	path := slices.Sorted(maps.Keys(failed))[0]
	return fmt.Errorf("%s: %w", path, failed[path])
}

// sorted returns the changes of a set of edits, by path.
func (pl *plan) sorted(edits map[string][]byte) ([]FileChange, error) {
	var out []FileChange
	for path, after := range edits {
		before, err := pl.read(path)
		if err != nil {
			return nil, err
		}
		out = append(out, FileChange{Path: path, Before: before, After: after})
	}
	slices.SortFunc(out, func(a, b FileChange) int { return cmp.Or(strings.Compare(a.Path, b.Path)) })
	return out, nil
}
