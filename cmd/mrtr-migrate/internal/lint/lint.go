// Package lint loads packages and runs the analyzers on them, in one process.
package lint

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/mrtr-migrate/mrtr-migrate/analyzer"
	"github.com/mrtr-migrate/mrtr-migrate/cmd/mrtr-migrate/internal/output"
)

// Options say what to lint and how.
type Options struct {
	// Dir is where patterns are resolved, the working directory if empty.
	Dir string
	// Patterns name packages as for the go command, "." if there are none.
	Patterns []string
	// Tags are build tags, separated by commas.
	Tags string
	// Tests includes the packages' tests.
	Tests bool
	// Progress is told what is being done, if it is not nil.
	Progress func(format string, args ...any)
}

// A Result is what linting found.
type Result struct {
	// Findings are in the order in which they are printed.
	Findings []output.Finding
	// Skipped are the packages that could not be analysed, or only in part, and
	// why.
	Skipped []output.Skipped
	// Matched and Analysed count the packages that the patterns match, and
	// those among them that can reach an SDK and so were analysed in full.
	Matched, Analysed int
}

// ErrNothing is returned if no package could be analysed.
var ErrNothing = errors.New("no package could be analysed")

const (
	graphMode = packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule
	typesMode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
		packages.NeedModule | packages.NeedExportFile | packages.NeedTypes | packages.NeedTypesSizes |
		packages.NeedTypesInfo | packages.NeedSyntax
)

// Run lints packages. Packages that do not load are in the result; an error
// means that nothing could be done.
func Run(ctx context.Context, opts Options) (*Result, error) {
	if opts.Progress == nil {
		opts.Progress = func(string, ...any) {}
	}
	patterns := opts.Patterns
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	opts.Progress("resolving %s", strings.Join(patterns, " "))
	all, err := load(ctx, opts, graphMode, patterns)
	if err != nil {
		return nil, err
	}
	res := new(Result)
	roots := wanted(all)
	res.Matched = len(roots)
	res.Skipped = broken(roots)

	scope := newScope()
	paths := scope.paths(roots)
	if len(paths) > 0 {
		opts.Progress("loading %d of %d packages", len(paths), len(roots))
		loaded, err := load(ctx, opts, typesMode, paths)
		if err != nil {
			return nil, err
		}
		if err := res.analyse(loaded, roots, opts); err != nil {
			return nil, err
		}
	}
	if len(res.Skipped) > 0 && len(res.Skipped) >= res.Matched && len(res.Findings) == 0 {
		return res, fmt.Errorf("%w: %s: %s", ErrNothing, res.Skipped[0].Package, res.Skipped[0].Reason)
	}
	return res, nil
}

// load loads packages in one mode.
func load(ctx context.Context, opts Options, mode packages.LoadMode, patterns []string) ([]*packages.Package, error) {
	cfg := &packages.Config{Context: ctx, Mode: mode, Dir: opts.Dir, Tests: opts.Tests}
	if opts.Tags != "" {
		cfg.BuildFlags = []string{"-tags=" + opts.Tags}
	}
	pkgs, err := packages.Load(cfg, patterns...)
	if err != nil {
		return nil, fmt.Errorf("loading packages: %w", err)
	}
	if len(pkgs) == 0 {
		return nil, fmt.Errorf("no packages match %s", strings.Join(patterns, " "))
	}
	return pkgs, nil
}

// wanted leaves out what would be looked at twice: a package whose test
// variant is there too, and the generated mains of tests.
func wanted(pkgs []*packages.Package) []*packages.Package {
	tested := make(map[string]bool)
	for _, p := range pkgs {
		if p.ID != p.PkgPath && strings.HasPrefix(p.ID, p.PkgPath+" [") {
			tested[p.PkgPath] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(pkgs), func(p *packages.Package) bool {
		return strings.HasSuffix(p.ID, ".test") || p.ID == p.PkgPath && tested[p.PkgPath]
	})
}

// broken lists the packages that cannot even be resolved.
func broken(pkgs []*packages.Package) []output.Skipped {
	var list []output.Skipped
	for _, p := range pkgs {
		for _, e := range p.Errors {
			if e.Kind == packages.ListError || e.Kind == packages.ParseError || len(p.GoFiles) == 0 {
				list = append(list, output.Skipped{Package: p.ID, Reason: reason(e)})
				break
			}
		}
	}
	return list
}

// reason is a load error in one line.
func reason(e packages.Error) string {
	msg := strings.Join(strings.Fields(e.Msg), " ")
	if e.Pos != "" && e.Pos != "-" {
		return e.Pos + ": " + msg
	}
	return msg
}

// analyse runs the analyzers on the loaded packages that are roots.
func (res *Result) analyse(loaded, roots []*packages.Package, opts Options) error {
	isRoot := make(map[string]bool)
	for _, p := range roots {
		isRoot[p.ID] = true
	}
	var targets []*packages.Package
	for _, p := range wanted(loaded) {
		if !isRoot[p.ID] {
			continue
		}
		if p.IllTyped {
			res.skip(p, illTyped(p))
			if p.Types == nil || len(p.Syntax) == 0 {
				continue
			}
			// Something in it is broken; the rest is looked at all the same.
		} else {
			res.Analysed++
		}
		targets = append(targets, p)
	}
	if len(targets) == 0 {
		return nil
	}
	opts.Progress("analysing %d packages", len(targets))
	graph, err := checker.Analyze([]*analysis.Analyzer{analyzer.Asks}, targets, nil)
	if err != nil {
		return fmt.Errorf("analysing: %w", err)
	}
	seen := make(map[string]bool)
	for _, act := range graph.Roots {
		if act.Err != nil {
			res.skip(act.Package, act.Err.Error())
			continue
		}
		for _, f := range act.Result.(*analyzer.Report).Findings {
			out := output.NewFinding(act.Package.Fset, f)
			out.Package = act.Package.PkgPath
			if key := out.Key(); !seen[key] {
				seen[key] = true
				res.Findings = append(res.Findings, out)
			}
		}
	}
	output.Sort(res.Findings)
	return nil
}

// skip notes why a package was not analysed, once.
func (res *Result) skip(p *packages.Package, why string) {
	if !slices.ContainsFunc(res.Skipped, func(s output.Skipped) bool { return s.Package == p.ID }) {
		res.Skipped = append(res.Skipped, output.Skipped{Package: p.ID, Reason: why})
	}
}

// illTyped says why a package does not type-check.
func illTyped(p *packages.Package) string {
	if len(p.Errors) > 0 {
		return reason(p.Errors[0])
	}
	var why string
	packages.Visit([]*packages.Package{p}, nil, func(dep *packages.Package) {
		if why == "" && len(dep.Errors) > 0 {
			why = fmt.Sprintf("its dependency %s does not load: %s", dep.ID, reason(dep.Errors[0]))
		}
	})
	if why == "" {
		why = "it does not type-check"
	}
	return why
}

// A scope decides which packages are worth a look.
type scope struct {
	reaches map[*packages.Package]bool
}

func newScope() *scope { return &scope{reaches: make(map[*packages.Package]bool)} }

// paths returns the import paths of the packages among roots that can reach an
// SDK, and of what they depend on as far as it is worth a look: functions
// there may ask, or have effects.
func (s *scope) paths(roots []*packages.Package) []string {
	want := make(map[string]bool)
	var visit func(p *packages.Package)
	seen := make(map[*packages.Package]bool)
	visit = func(p *packages.Package) {
		if seen[p] {
			return
		}
		seen[p] = true
		if s.reachesSDK(p) || inScope(p) {
			want[p.PkgPath] = true
		}
		for _, imp := range p.Imports {
			visit(imp)
		}
	}
	for _, p := range roots {
		if s.reachesSDK(p) {
			visit(p)
		}
	}
	var list []string
	for path := range want {
		list = append(list, strings.TrimSuffix(path, "_test"))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// reachesSDK reports whether an SDK is among the dependencies of a package,
// or the package is one's own.
func (s *scope) reachesSDK(p *packages.Package) bool {
	if r, ok := s.reaches[p]; ok {
		return r
	}
	s.reaches[p] = false // import cycles do not load anyway
	r := analyzer.IsSDK(p.PkgPath)
	for _, imp := range p.Imports {
		r = s.reachesSDK(imp) || r
	}
	s.reaches[p] = r
	return r
}

// inScope reports whether a package belongs to a module that uses an SDK.
func inScope(p *packages.Package) bool {
	if p.Module == nil || len(p.GoFiles) == 0 {
		return false
	}
	return analyzer.InScope(p.Module.Path, filepath.Dir(p.GoFiles[0]))
}
