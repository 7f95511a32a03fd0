package rewrite

import (
	"fmt"
	"go/types"
	"os"
	"reflect"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/mrtr-migrate/mrtr-migrate/analyzer"
)

// analyze runs the finder over the packages, dependencies first. It is a
// driver of its own because the one in x/tools wants the whole dependency
// closure from source: here facts are needed only where an SDK is reached.
func analyze(l *loaded) (map[*types.Package]*analyzer.Report, error) {
	d := &driver{objects: make(map[factKey]analysis.Fact), pkgs: make(map[factKey]analysis.Fact)}
	out := make(map[*types.Package]*analyzer.Report)
	for _, p := range l.pkgs {
		if len(p.Errors) > 0 || p.IllTyped {
			continue
		}
		results := make(map[*analysis.Analyzer]any)
		if err := d.run(analyzer.Asks, p, results); err != nil {
			return nil, fmt.Errorf("%s: %w", p.PkgPath, err)
		}
		if report, ok := results[analyzer.Asks].(*analyzer.Report); ok && report != nil {
			out[p.Types] = report
		}
	}
	return out, nil
}

type factKey struct {
	of   any // types.Object or *types.Package
	kind reflect.Type
}

type driver struct {
	objects, pkgs map[factKey]analysis.Fact
}

func (d *driver) run(a *analysis.Analyzer, p *packages.Package, results map[*analysis.Analyzer]any) error {
	if _, done := results[a]; done {
		return nil
	}
	for _, req := range a.Requires {
		if err := d.run(req, p, results); err != nil {
			return err
		}
	}
	module := &analysis.Module{}
	if p.Module != nil {
		module = &analysis.Module{Path: p.Module.Path, Version: p.Module.Version, GoVersion: p.Module.GoVersion}
	}
	pass := &analysis.Pass{
		Analyzer:     a,
		Fset:         p.Fset,
		Files:        p.Syntax,
		OtherFiles:   p.OtherFiles,
		IgnoredFiles: p.IgnoredFiles,
		Pkg:          p.Types,
		TypesInfo:    p.TypesInfo,
		TypesSizes:   p.TypesSizes,
		Module:       module,
		ResultOf:     results,
		Report:       func(analysis.Diagnostic) {},
		ReadFile:     os.ReadFile,
		ImportObjectFact: func(obj types.Object, fact analysis.Fact) bool {
			return load1(d.objects, obj, fact)
		},
		ExportObjectFact: func(obj types.Object, fact analysis.Fact) {
			d.objects[factKey{obj, reflect.TypeOf(fact)}] = fact
		},
		ImportPackageFact: func(pkg *types.Package, fact analysis.Fact) bool {
			return load1(d.pkgs, pkg, fact)
		},
		ExportPackageFact: func(fact analysis.Fact) {
			d.pkgs[factKey{p.Types, reflect.TypeOf(fact)}] = fact
		},
		AllObjectFacts: func() []analysis.ObjectFact {
			var out []analysis.ObjectFact
			for k, f := range d.objects {
				out = append(out, analysis.ObjectFact{Object: k.of.(types.Object), Fact: f})
			}
			return out
		},
		AllPackageFacts: func() []analysis.PackageFact {
			var out []analysis.PackageFact
			for k, f := range d.pkgs {
				out = append(out, analysis.PackageFact{Package: k.of.(*types.Package), Fact: f})
			}
			return out
		},
	}
	result, err := a.Run(pass)
	if err != nil {
		return err
	}
	results[a] = result
	return nil
}

// load1 copies a fact out, as analysis.Pass promises.
func load1(from map[factKey]analysis.Fact, of any, into analysis.Fact) bool {
	fact, ok := from[factKey{of, reflect.TypeOf(into)}]
	if ok {
		reflect.ValueOf(into).Elem().Set(reflect.ValueOf(fact).Elem())
	}
	return ok
}
