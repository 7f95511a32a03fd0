package vetunit

import (
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"runtime"

	"golang.org/x/tools/go/analysis"
)

// run looks at one unit, hands its facts on, and prints its findings. The
// status is 1 if there are some, which the go command takes for a failure.
func run(cfg *config, opts *options, stdout, stderr io.Writer, analyzers []*analysis.Analyzer) (status int, err error) {
	register(analyzers)
	known, err := readFacts(cfg)
	if err != nil {
		return 1, err
	}
	look, reaches := needed(cfg, known)
	if !look {
		return 0, writeSkipped(cfg, reaches)
	}
	u, err := load(cfg, known)
	if err != nil {
		if cfg.SucceedOnTypecheckFailure {
			return 0, writeSkipped(cfg, reaches)
		}
		return 1, err
	}
	found, err := u.analyse(analyzers)
	if err != nil {
		return 1, err
	}
	data, err := u.facts.encode(reaches)
	if err != nil {
		return 1, err
	}
	if err := writeVetx(cfg, data); err != nil {
		return 1, err
	}
	if cfg.VetxOnly {
		return 0, nil
	}
	if cfg.Stdout != "" {
		f, err := os.Create(cfg.Stdout)
		if err != nil {
			return 1, err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		stdout = f
	}
	if opts.fix {
		return 0, applyFixes(u, opts, found, stdout)
	}
	if opts.json {
		return 0, printJSON(stdout, u.fset, cfg.ID, found)
	}
	return printText(stderr, u.fset, opts.context, found), nil
}

// writeSkipped hands on what is known of a unit that was not looked at.
func writeSkipped(cfg *config, reaches bool) error {
	if !reaches {
		return writeVetx(cfg, nil)
	}
	data, err := (&factSet{}).encode(true)
	if err != nil {
		return err
	}
	return writeVetx(cfg, data)
}

func writeVetx(cfg *config, data []byte) error {
	if cfg.VetxOutput == "" {
		return nil
	}
	return os.WriteFile(cfg.VetxOutput, data, 0o666)
}

// A unit is a type-checked package.
type unit struct {
	cfg   *config
	fset  *token.FileSet
	files []*ast.File
	pkg   *types.Package
	info  *types.Info
	sizes types.Sizes
	facts *factSet
}

// load parses and type-checks the unit, with the types of its imports from
// export data.
func load(cfg *config, known map[string]*facts) (*unit, error) {
	u := &unit{cfg: cfg, fset: token.NewFileSet(), sizes: types.SizesFor("gc", runtime.GOARCH)}
	for _, name := range cfg.GoFiles {
		f, err := parser.ParseFile(u.fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		u.files = append(u.files, f)
	}
	compiled := importer.ForCompiler(u.fset, "gc", func(path string) (io.ReadCloser, error) {
		name, ok := cfg.PackageFile[path]
		if !ok {
			return nil, fmt.Errorf("the go command gave no export data for %s; use mrtr-migrate lint with this version of Go", path)
		}
		return os.Open(name)
	})
	conf := &types.Config{
		Importer: importerFunc(func(path string) (*types.Package, error) {
			mapped, ok := cfg.ImportMap[path] // vendoring, test variants
			if !ok {
				return nil, fmt.Errorf("import %q is not in the unit's configuration", path)
			}
			if mapped == "unsafe" {
				return types.Unsafe, nil
			}
			return compiled.Import(mapped)
		}),
		Sizes:     u.sizes,
		GoVersion: cfg.GoVersion,
	}
	u.info = &types.Info{
		Types:        make(map[ast.Expr]types.TypeAndValue),
		Defs:         make(map[*ast.Ident]types.Object),
		Uses:         make(map[*ast.Ident]types.Object),
		Implicits:    make(map[ast.Node]types.Object),
		Instances:    make(map[*ast.Ident]types.Instance),
		Scopes:       make(map[ast.Node]*types.Scope),
		Selections:   make(map[*ast.SelectorExpr]*types.Selection),
		FileVersions: make(map[*ast.File]string),
	}
	pkg, err := conf.Check(cfg.ImportPath, u.fset, u.files, u.info)
	if err != nil {
		return nil, err
	}
	u.pkg, u.facts = pkg, newFactSet(pkg, known)
	return u, nil
}

type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

// A found is what one analyzer reported.
type found struct {
	analyzer    *analysis.Analyzer
	diagnostics []analysis.Diagnostic
}

// analyse runs the analyzers, each after those that it requires.
func (u *unit) analyse(analyzers []*analysis.Analyzer) ([]found, error) {
	results := make(map[*analysis.Analyzer]any)
	var list []found
	var exec func(a *analysis.Analyzer, root bool) error
	exec = func(a *analysis.Analyzer, root bool) error {
		if _, done := results[a]; done {
			return nil
		}
		inputs := make(map[*analysis.Analyzer]any)
		for _, req := range a.Requires {
			if err := exec(req, false); err != nil {
				return err
			}
			inputs[req] = results[req]
		}
		var diagnostics []analysis.Diagnostic
		pass := &analysis.Pass{
			Analyzer:     a,
			Fset:         u.fset,
			Files:        u.files,
			OtherFiles:   u.cfg.NonGoFiles,
			IgnoredFiles: u.cfg.IgnoredFiles,
			Pkg:          u.pkg,
			TypesInfo:    u.info,
			TypesSizes:   u.sizes,
			ResultOf:     inputs,
			ReadFile:     os.ReadFile,
			Report:       func(d analysis.Diagnostic) { diagnostics = append(diagnostics, d) },
		}
		if u.cfg.ModulePath != "" {
			pass.Module = &analysis.Module{Path: u.cfg.ModulePath, Version: u.cfg.ModuleVersion, GoVersion: u.cfg.GoVersion}
		}
		u.facts.install(pass)
		result, err := a.Run(pass)
		if err = errors.Join(err, u.facts.misuse); err != nil {
			return fmt.Errorf("%s: analysing %s: %w", a.Name, u.cfg.ImportPath, err)
		}
		results[a] = result
		if root {
			list = append(list, found{a, diagnostics})
		}
		return nil
	}
	for _, a := range analyzers {
		if err := exec(a, true); err != nil {
			return nil, err
		}
	}
	return list, nil
}
