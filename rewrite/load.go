package rewrite

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/mrtr-migrate/mrtr-migrate/analyzer"
)

// sdkPath is the module whose sessions ask.
const sdkPath = "github.com/modelcontextprotocol/go-sdk"

// ErrNoPackages is returned when the patterns match nothing.
var ErrNoPackages = errors.New("no packages match")

// ErrNothing is returned when none of the packages that could ask builds.
var ErrNothing = errors.New("no package could be looked at")

// A loaded set of packages: the module's own, which may be edited, and those
// of other modules that reach an SDK, which are read for what they ask.
type loaded struct {
	fset *token.FileSet
	// dir is the folder of the one module that may be edited.
	dir, module string
	pkgs        []*packages.Package // dependencies first
	editable    map[*types.Package]bool
	asked       map[string]bool // import paths that the patterns name
	skipped     []Skipped
	overlay     map[string][]byte
}

// load type-checks, from source, every package of the patterns' module that
// reaches an SDK, and the packages of other modules that do; everything else
// comes from export data. The whole module is read, not only the patterns: a
// helper cannot change without its callers.
func load(ctx context.Context, opts Options, overlay map[string][]byte, flags []string) (*loaded, error) {
	config := &packages.Config{
		Context:    ctx,
		Dir:        opts.Dir,
		Env:        opts.Env,
		Overlay:    overlay,
		BuildFlags: flags,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedModule,
	}
	named, err := packages.Load(config, opts.Patterns...)
	if err != nil {
		return nil, err
	}
	l := &loaded{fset: token.NewFileSet(), asked: make(map[string]bool), editable: make(map[*types.Package]bool)}
	for _, p := range named {
		if p.Module == nil || !p.Module.Main {
			continue
		}
		l.asked[p.PkgPath] = true
		if l.dir == "" {
			l.dir, l.module = p.Module.Dir, p.Module.Path
		}
	}
	if len(l.asked) == 0 {
		var errs []error
		for _, p := range named {
			for _, e := range p.Errors {
				errs = append(errs, errors.New(located(e, opts.Dir)))
			}
		}
		return nil, errors.Join(append(errs, fmt.Errorf("%s: %w", strings.Join(opts.Patterns, " "), ErrNoPackages))...)
	}
	config.Dir = l.dir
	whole, err := packages.Load(config, "./...")
	if err != nil {
		return nil, err
	}
	paths := reaching(append(named, whole...))
	if len(paths) == 0 {
		return l, nil
	}
	config.Fset = l.fset
	config.Mode = packages.LoadSyntax | packages.NeedModule
	pkgs, err := packages.Load(config, paths...)
	if err != nil {
		return nil, err
	}
	l.pkgs = ordered(pkgs)
	for _, p := range l.pkgs {
		own := p.Module != nil && p.Module.Main && p.Module.Dir == l.dir
		if own && len(p.Errors) > 0 {
			l.fail(p, "does not build: "+located(told(p.Errors)[0], l.dir))
			own = false
		} else if own && p.IllTyped {
			l.fail(p, "a package that it imports does not build")
			own = false
		}
		if own {
			l.editable[p.Types] = true
			for _, name := range p.IgnoredFiles {
				if filepath.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go") {
					l.skipped = append(l.skipped, Skipped{Path: name, Reason: "not part of this build (build constraints)"})
				}
			}
		}
	}
	if len(l.editable) == 0 && len(l.skipped) > 0 && l.skipped[0].Failed {
		return nil, fmt.Errorf("%w: %s: %s", ErrNothing, l.skipped[0].Path, l.skipped[0].Reason)
	}
	return l, nil
}

// located is a load error in one line, its file relative to dir.
func located(e packages.Error, dir string) string {
	msg := strings.Join(strings.Fields(e.Msg), " ")
	if e.Pos == "" || e.Pos == "-" {
		return msg
	}
	if abs, err := filepath.Abs(dir); err == nil {
		return strings.TrimPrefix(e.Pos, abs+string(filepath.Separator)) + ": " + msg
	}
	return e.Pos + ": " + msg
}

// fail lists a package that cannot be looked at.
func (l *loaded) fail(p *packages.Package, reason string) {
	l.skipped = append(l.skipped, Skipped{Path: p.PkgPath, Reason: reason, Failed: l.asked[p.PkgPath]})
}

// reaching returns the import paths of the packages, among those given and
// their dependencies, that are worth a look: those that import an SDK,
// directly or not, and what they depend on in modules that use one, whose
// functions may have effects. The SDK itself and this module's run-time
// packages are left out: they are known by table.
func reaching(roots []*packages.Package) []string {
	memo := make(map[*packages.Package]bool)
	var reaches func(p *packages.Package) bool
	reaches = func(p *packages.Package) bool {
		if r, ok := memo[p]; ok {
			return r
		}
		memo[p] = false
		r := analyzer.IsSDK(p.PkgPath)
		for _, dep := range p.Imports {
			r = reaches(dep) || r
		}
		memo[p] = r
		return r
	}
	var asking []*packages.Package
	for _, p := range roots {
		if reaches(p) {
			asking = append(asking, p)
		}
	}
	var paths []string
	packages.Visit(asking, nil, func(p *packages.Package) {
		inScope := p.Module != nil && len(p.GoFiles) > 0 && analyzer.InScope(p.Module.Path, filepath.Dir(p.GoFiles[0]))
		if (reaches(p) || inScope) && !runtimePackage(p.PkgPath) {
			paths = append(paths, p.PkgPath)
		}
	})
	slices.Sort(paths)
	return slices.Compact(paths)
}

// runtimePackage reports whether a package belongs to the SDK, or to what
// rewritten code calls.
func runtimePackage(path string) bool {
	for _, p := range []string{sdkPath, ModulePath + "/shim", ModulePath + "/legacyadapter"} {
		if path == p || strings.HasPrefix(path, p+"/") {
			return true
		}
	}
	return false
}

// ordered sorts packages so that each comes after what it imports.
func ordered(pkgs []*packages.Package) []*packages.Package {
	in := make(map[string]*packages.Package)
	for _, p := range pkgs {
		in[p.ID] = p
	}
	var out []*packages.Package
	seen := make(map[string]bool)
	var visit func(p *packages.Package)
	visit = func(p *packages.Package) {
		if seen[p.ID] {
			return
		}
		seen[p.ID] = true
		deps := make([]string, 0, len(p.Imports))
		for path := range p.Imports {
			deps = append(deps, path)
		}
		slices.Sort(deps)
		for _, path := range deps {
			visit(p.Imports[path])
		}
		if root := in[p.ID]; root != nil {
			out = append(out, root)
		}
	}
	slices.SortFunc(pkgs, func(a, b *packages.Package) int { return strings.Compare(a.ID, b.ID) })
	for _, p := range pkgs {
		visit(p)
	}
	return out
}

// fileOf returns the syntax of the file that contains pos.
func fileOf(p *packages.Package, pos token.Pos) *ast.File {
	for _, f := range p.Syntax {
		if f.FileStart <= pos && pos <= f.FileEnd {
			return f
		}
	}
	return nil
}
