package lint

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/go/packages"

	"github.com/mrtr-migrate/mrtr-migrate/analyzer"
	"github.com/mrtr-migrate/mrtr-migrate/cmd/mrtr-migrate/internal/output"
)

// This file finds what the go command leaves out without a word: files that
// the build constraints exclude, folders that have only such files, and other
// modules below a pattern. Only modules that require an SDK are looked at.

// leftOut lists what the patterns cover and the build does not, in the order of
// names.
func leftOut(roots []*packages.Package, opts Options, patterns []string) ([]output.Ignored, error) {
	dir, err := filepath.Abs(opts.Dir)
	if err != nil {
		return nil, err
	}
	found := make(map[string]output.Ignored)
	add := func(file, why string) { found[file] = output.Ignored{File: file, Reason: why} }
	loaded := make(map[string]bool) // folders
	for _, p := range roots {
		loaded[p.Dir] = true
		if p.Module == nil || !analyzer.InScope(p.Module.Path, p.Dir) {
			continue
		}
		for _, file := range p.IgnoredFiles {
			if strings.HasSuffix(file, ".go") && (opts.Tests || !strings.HasSuffix(file, "_test.go")) {
				add(file, whyIgnored(file))
			}
		}
	}
	for _, pattern := range patterns {
		base, match := localPattern(dir, pattern)
		if match == nil {
			continue
		}
		if base != dir && skipped(filepath.Base(base)) {
			if inModule(base) {
				add(base, "the go command matches nothing in a folder of that name: name those below it")
			}
			continue
		}
		if err := walk(base, match, loaded, opts.Tests, add); err != nil {
			return nil, fmt.Errorf("looking for what %s leaves out: %w", pattern, err)
		}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b output.Ignored) int { return strings.Compare(a.File, b.File) }), nil
}

// localPattern returns the folder below which a pattern such as ./... matches,
// and what it matches there; nil for one that names a single package, or
// packages by their import path.
func localPattern(dir, pattern string) (base string, match *regexp.Regexp) {
	if !build.IsLocalImport(pattern) && !filepath.IsAbs(pattern) || !strings.Contains(pattern, "...") {
		return "", nil
	}
	if !filepath.IsAbs(pattern) {
		pattern = filepath.Join(dir, pattern)
	}
	pattern = filepath.ToSlash(filepath.Clean(pattern))
	fixed, _, _ := strings.Cut(pattern, "...")
	expr := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\.\.\.`, `.*`)
	if below, ok := strings.CutSuffix(expr, "/.*"); ok { // ./a/... matches ./a, too
		expr = below + "(/.*)?"
	}
	return filepath.Clean(filepath.FromSlash(fixed[:strings.LastIndex(fixed, "/")+1])), regexp.MustCompile("^" + expr + "$")
}

// skipped reports whether patterns never match in folders of that name.
func skipped(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata"
}

// walk adds the files of folders that hold Go files and no package, and the
// modules that the build does not include.
func walk(base string, match *regexp.Regexp, loaded map[string]bool, tests bool, add func(file, why string)) error {
	return filepath.WalkDir(base, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			add(path, err.Error())
			return fs.SkipDir
		case !entry.IsDir():
			return nil
		}
		if path != base {
			if name := entry.Name(); skipped(name) || name == "vendor" {
				return fs.SkipDir
			}
			if data, err := os.ReadFile(filepath.Join(path, "go.mod")); err == nil && !loadedBelow(loaded, path) {
				if module := modfile.ModulePath(data); analyzer.InScope(module, path) {
					add(path, fmt.Sprintf("it is another module, %s: lint it with -C", module))
				}
				return fs.SkipDir
			}
		}
		if loaded[path] || !match.MatchString(filepath.ToSlash(path)) {
			return nil
		}
		files, err := goFiles(path, tests)
		if err != nil {
			add(path, err.Error())
		}
		if len(files) == 0 || !inModule(path) {
			return nil
		}
		for _, file := range files {
			add(file, whyIgnored(file))
		}
		return nil
	})
}

// goFiles returns the Go files of a folder that some build may include.
func goFiles(dir string, tests bool) (files []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, entry := range entries {
		name := entry.Name()
		if filepath.Ext(name) == ".go" && name[0] != '_' && name[0] != '.' && (tests || !strings.HasSuffix(name, "_test.go")) {
			files = append(files, filepath.Join(dir, name))
		}
	}
	return files, err
}

// loadedBelow reports whether a package in a folder, or below it, was loaded.
func loadedBelow(loaded map[string]bool, dir string) bool {
	for d := range loaded {
		if d == dir || strings.HasPrefix(d, dir+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// inModule reports whether the module that a folder is in requires an SDK.
func inModule(dir string) bool {
	for d := dir; ; d = filepath.Dir(d) {
		if data, err := os.ReadFile(filepath.Join(d, "go.mod")); err == nil {
			return analyzer.InScope(modfile.ModulePath(data), dir)
		}
		if d == filepath.Dir(d) {
			return false
		}
	}
}

// whyIgnored says why the build leaves a file out.
func whyIgnored(file string) string {
	ctx := build.Default
	ctx.OpenFile = func(string) (io.ReadCloser, error) { // the name alone
		return io.NopCloser(strings.NewReader("package p\n")), nil
	}
	if ok, err := ctx.MatchFile(filepath.Dir(file), filepath.Base(file)); err == nil && !ok {
		return fmt.Sprintf("its name is for another system than %s/%s: set GOOS and GOARCH to lint it", ctx.GOOS, ctx.GOARCH)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	f, err := parser.ParseFile(token.NewFileSet(), file, data, parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		return strings.Join(strings.Fields(err.Error()), " ")
	}
	for _, group := range f.Comments {
		for _, c := range group.List {
			if c.Pos() < f.Package && constraint.IsGoBuild(c.Text) {
				return fmt.Sprintf("its build constraint is %s", strings.TrimSpace(strings.TrimPrefix(c.Text, "//go:build")))
			}
		}
	}
	if slices.ContainsFunc(f.Imports, func(spec *ast.ImportSpec) bool { return spec.Path.Value == `"C"` }) {
		return "it uses cgo, which is disabled"
	}
	return "the go command leaves it out of the build"
}
