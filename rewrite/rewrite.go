package rewrite

import (
	"cmp"
	"context"
	"maps"
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
	opts.Progress("loading packages")
	p, err := read(ctx, opts, nil, nil)
	if err != nil {
		return nil, err
	}
	result := &Result{Root: p.dir, Module: p.module}
	excluded := make(map[*function]*Reason)
	for {
		sel := p.choose(excluded)
		pl := p.plan(sel)
		edits, failed := pl.edits()
		if pl.exclude(failed, excluded) {
			continue
		}
		changes, reasons, err := pl.verify(ctx, opts, edits)
		if err != nil {
			return nil, err
		}
		if pl.exclude(reasons, excluded) {
			continue
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

// exclude takes the handlers out that need one of the files that failed. It
// reports whether it took out any: then another attempt can be made.
func (pl *plan) exclude(failed map[string]error, excluded map[*function]*Reason) bool {
	again := false
	paths := slices.Sorted(maps.Keys(failed))
	for _, path := range paths {
		for _, h := range pl.handlers {
			for _, fn := range pl.tree(h) {
				if fn.path != path || excluded[h] != nil {
					continue
				}
				excluded[h] = &Reason{Code: codeElicitation, Position: pl.position(h.node.Pos()), Message: failed[path].Error(), path: path}
				again = true
			}
		}
		if !again && len(pl.handlers) > 0 {
			// The setup, or a marker, is what failed: nothing can be kept.
			for _, h := range pl.handlers {
				excluded[h] = &Reason{Code: codeElicitation, Position: pl.position(h.node.Pos()), Message: failed[path].Error(), path: path}
				again = true
			}
		}
	}
	return again
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
