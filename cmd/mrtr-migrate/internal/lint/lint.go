// Package lint loads packages and runs the analyzers on them, in one process.
package lint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/token"
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
	// Skipped are the packages that could not be analysed, or not completely,
	// and why. The job is not done if there are any.
	Skipped []output.Skipped
	// Ignored is what the patterns cover and the build leaves out.
	Ignored []output.Ignored
	// Counts sum it up.
	Counts output.Counts
}

// ErrIncomplete is returned if packages could not be analysed, ErrNoPackages
// if the patterns match none.
var (
	ErrIncomplete = errors.New("the analysis is not complete")
	ErrNoPackages = errors.New("no packages match")
)

const (
	graphMode = packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule
	typesMode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
		packages.NeedModule | packages.NeedExportFile | packages.NeedTypes | packages.NeedTypesSizes |
		packages.NeedTypesInfo | packages.NeedSyntax
)

// Run lints packages. If some of them do not load, the error is ErrIncomplete
// and the result is that of the others; with ErrNoPackages it says what is
// ignored. On any other error there is no result.
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
	roots := wanted(all)
	res := &Result{Skipped: broken(roots)}
	res.Counts.Packages = countPackages(slices.DeleteFunc(slices.Clone(roots), func(p *packages.Package) bool {
		return slices.ContainsFunc(res.Skipped, func(s output.Skipped) bool { return s.Package == p.ID })
	}))
	if res.Ignored, err = leftOut(roots, opts, patterns); err != nil {
		return nil, err
	}
	if len(roots) == 0 {
		return res, fmt.Errorf("%w: %s", ErrNoPackages, strings.Join(patterns, " "))
	}

	scope := newScope()
	paths := scope.paths(roots)
	if len(paths) > 0 {
		opts.Progress("loading %s", output.Plural(len(paths), "package"))
		loaded, err := load(ctx, opts, typesMode, paths)
		if err != nil {
			return nil, err
		}
		if err := res.analyse(loaded, roots, opts); err != nil {
			return nil, err
		}
	}
	res.Counts.Findings = output.CountCodes(res.Findings)
	if len(res.Skipped) > 0 {
		return res, fmt.Errorf("%w: %s", ErrIncomplete, output.Plural(len(res.Skipped), "package"))
	}
	return res, nil
}

// countPackages counts packages with their tests as one.
func countPackages(pkgs []*packages.Package) int {
	dirs := make(map[string]bool)
	for _, p := range pkgs {
		dirs[strings.TrimSuffix(p.PkgPath, "_test")] = true
	}
	return len(dirs)
}

// load loads packages in one mode.
func load(ctx context.Context, opts Options, mode packages.LoadMode, patterns []string) ([]*packages.Package, error) {
	cfg := &packages.Config{Context: ctx, Mode: mode, Dir: opts.Dir, Tests: opts.Tests}
	if opts.Tags != "" {
		cfg.BuildFlags = []string{"-tags=" + opts.Tags}
	}
	pkgs, err := packages.Load(cfg, patterns...)
	if err != nil {
		// What the go command says is all there is to know.
		if _, said, ok := strings.Cut(err.Error(), "exit status 1: stderr: "); ok {
			return nil, fmt.Errorf("loading packages: %s", strings.TrimSpace(said))
		}
		return nil, fmt.Errorf("loading packages: %w", err)
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

// reason is a load error in one line. Of the compiler's errors it is the first.
func reason(e packages.Error) string {
	msg := strings.TrimSpace(e.Msg)
	if heading, rest, ok := strings.Cut(msg, "\n"); ok && strings.HasPrefix(heading, "# ") {
		first, others, more := strings.Cut(strings.TrimSpace(rest), "\n")
		if msg = first; more {
			msg += fmt.Sprintf(" (and %d more)", strings.Count(others, "\n")+1)
		}
	}
	msg = strings.Join(strings.Fields(msg), " ")
	if e.Pos != "" && e.Pos != "-" {
		return e.Pos + ": " + msg
	}
	return msg
}

// analyse runs the analyzers on the loaded packages that are roots.
func (res *Result) analyse(loaded, roots []*packages.Package, opts Options) error {
	byID := make(map[string]*packages.Package)
	for _, p := range roots {
		byID[p.ID] = p
	}
	var targets []*packages.Package
	for _, p := range wanted(loaded) {
		root := byID[p.ID]
		if root == nil {
			continue
		}
		if p.IllTyped {
			// Something in it is broken; the rest is looked at all the same.
			partial := p.Types != nil && len(p.Syntax) > 0
			res.skip(p, cmp.Or(notFound(root), illTyped(p)), partial)
			if !partial {
				continue
			}
		}
		targets = append(targets, p)
	}
	if len(targets) == 0 {
		return nil
	}
	res.Counts.Analysed = countPackages(targets)
	opts.Progress("analysing %s", output.Plural(len(targets), "package"))
	graph, err := checker.Analyze([]*analysis.Analyzer{analyzer.Asks}, targets, nil)
	if err != nil {
		return fmt.Errorf("analysing: %w", err)
	}
	asks, handlers := make(map[token.Position]bool), make(map[token.Position]bool)
	for _, act := range graph.Roots {
		if act.Err != nil {
			res.skip(act.Package, act.Err.Error(), false)
			continue
		}
		report := act.Result.(*analyzer.Report)
		for _, fn := range report.Funcs {
			for _, ask := range fn.Asks {
				asks[act.Package.Fset.Position(ask.Call.Pos())] = true
			}
		}
		for _, h := range report.Handlers {
			if h.Registration != nil {
				handlers[act.Package.Fset.Position(h.Registration.Pos())] = true
			}
		}
		for _, f := range report.Findings {
			out := output.NewFinding(act.Package.Fset, f)
			out.Package = act.Package.PkgPath
			res.Findings = append(res.Findings, out)
		}
	}
	output.Sort(res.Findings)
	res.Counts.Asks, res.Counts.Handlers = len(asks), len(handlers)
	return nil
}

// skip notes why a package was not analysed completely, once.
func (res *Result) skip(p *packages.Package, why string, partial bool) {
	if !slices.ContainsFunc(res.Skipped, func(s output.Skipped) bool { return s.Package == p.ID }) {
		res.Skipped = append(res.Skipped, output.Skipped{Package: p.ID, Reason: why, Partial: partial})
	}
}

// notFound names a dependency that the go command could not find, which the
// type checker only knows as an import without a name. The package comes from
// the graph of all dependencies.
func notFound(p *packages.Package) (why string) {
	packages.Visit([]*packages.Package{p}, func(dep *packages.Package) bool {
		for _, e := range dep.Errors {
			if why == "" && e.Kind == packages.ListError {
				why = reason(e)
			}
		}
		return why == ""
	}, nil)
	return why
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
