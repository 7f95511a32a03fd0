package vetunit

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"errors"
	"fmt"
	"go/types"
	"os"
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/objectpath"
)

// facts are what one unit hands to those that import it. A unit that was not
// looked at writes an empty file.
type facts struct {
	// Reaches reports whether an SDK is among the unit's dependencies.
	Reaches bool
	List    []fact
}

// A fact is about a package, or about an object that others can reach.
type fact struct {
	Package string
	Object  objectpath.Path // empty for a fact about the package
	Fact    analysis.Fact
}

// register makes the analyzers' fact types known to the encoding.
func register(analyzers []*analysis.Analyzer) {
	for _, a := range analyzers {
		for _, f := range a.FactTypes {
			gob.Register(f)
		}
		register(a.Requires)
	}
}

// readFacts reads what the unit's direct imports handed down.
func readFacts(cfg *config) (map[string]*facts, error) {
	all := make(map[string]*facts)
	for path, name := range cfg.PackageVetx {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if len(data) == 0 {
			continue
		}
		f := new(facts)
		if err := gob.NewDecoder(bytes.NewReader(data)).Decode(f); err != nil {
			return nil, fmt.Errorf("facts of %s: %w", path, err)
		}
		all[path] = f
	}
	return all, nil
}

// A factKey identifies a fact in memory. The object is nil for packages.
type factKey struct {
	pkg  *types.Package
	obj  types.Object
	kind reflect.Type
}

// A factSet holds the facts of a pass: those handed down, and its own.
type factSet struct {
	pkg    *types.Package
	m      map[factKey]analysis.Fact
	misuse error // of the interface, by an analyzer
}

// newFactSet finds the objects that the facts handed down are about. Those that
// the unit cannot reach are left out.
func newFactSet(pkg *types.Package, known map[string]*facts) *factSet {
	s := &factSet{pkg: pkg, m: make(map[factKey]analysis.Fact)}
	packages := make(map[string]*types.Package)
	var visit func(*types.Package)
	visit = func(p *types.Package) {
		if packages[p.Path()] == nil {
			packages[p.Path()] = p
			for _, imp := range p.Imports() {
				visit(imp)
			}
		}
	}
	visit(pkg)
	for _, f := range known {
		for _, one := range f.List {
			p := packages[one.Package]
			if p == nil || p == pkg {
				continue
			}
			key := factKey{pkg: p, kind: reflect.TypeOf(one.Fact)}
			if one.Object != "" {
				obj, err := objectpath.Object(p, one.Object)
				if err != nil {
					continue // not in the export data: nothing here can use it
				}
				key.obj = obj
			}
			s.m[key] = one.Fact
		}
	}
	return s
}

// encode returns the facts for units that import this one: its own, and those
// about methods of other packages, whose values can be had without importing
// the package.
func (s *factSet) encode(reaches bool) ([]byte, error) {
	out := facts{Reaches: reaches}
	encoder := new(objectpath.Encoder)
	for key, f := range s.m {
		one := fact{Package: key.pkg.Path(), Fact: f}
		if key.obj != nil {
			if key.pkg != s.pkg && key.obj.Parent() == key.pkg.Scope() {
				continue
			}
			path, err := encoder.For(key.obj)
			if err != nil {
				continue // no other package can name it
			}
			one.Object = path
		} else if key.pkg != s.pkg {
			continue
		}
		out.List = append(out.List, one)
	}
	slices.SortFunc(out.List, func(a, b fact) int {
		return cmp.Or(
			cmp.Compare(a.Package, b.Package),
			cmp.Compare(a.Object, b.Object),
			cmp.Compare(reflect.TypeOf(a.Fact).String(), reflect.TypeOf(b.Fact).String()),
		)
	})
	var buf bytes.Buffer
	if err := gob.NewEncoder(&buf).Encode(&out); err != nil {
		return nil, fmt.Errorf("writing facts: %w", err)
	}
	return buf.Bytes(), nil
}

// get copies a fact into ptr and reports whether there is one.
func (s *factSet) get(key factKey, ptr analysis.Fact) bool {
	f, ok := s.m[key]
	if ok {
		reflect.ValueOf(ptr).Elem().Set(reflect.ValueOf(f).Elem())
	}
	return ok
}

// install gives a pass access to the facts of its analyzer's types.
func (s *factSet) install(pass *analysis.Pass) {
	own := func(f analysis.Fact) bool {
		return slices.ContainsFunc(pass.Analyzer.FactTypes, func(t analysis.Fact) bool {
			return reflect.TypeOf(t) == reflect.TypeOf(f)
		})
	}
	pass.ImportObjectFact = func(obj types.Object, ptr analysis.Fact) bool {
		return obj != nil && obj.Pkg() != nil && s.get(factKey{obj.Pkg(), obj, reflect.TypeOf(ptr)}, ptr)
	}
	pass.ExportObjectFact = func(obj types.Object, f analysis.Fact) {
		if obj == nil || obj.Pkg() != s.pkg || !own(f) {
			s.misuse = errors.Join(s.misuse, fmt.Errorf("%s: fact %T about %v does not belong to this pass", pass.Analyzer.Name, f, obj))
			return
		}
		s.m[factKey{s.pkg, obj, reflect.TypeOf(f)}] = f
	}
	pass.ImportPackageFact = func(pkg *types.Package, ptr analysis.Fact) bool {
		return s.get(factKey{pkg: pkg, kind: reflect.TypeOf(ptr)}, ptr)
	}
	pass.ExportPackageFact = func(f analysis.Fact) {
		s.m[factKey{pkg: s.pkg, kind: reflect.TypeOf(f)}] = f
	}
	pass.AllObjectFacts = func() (list []analysis.ObjectFact) {
		for key, f := range s.m {
			if key.obj != nil && own(f) {
				list = append(list, analysis.ObjectFact{Object: key.obj, Fact: f})
			}
		}
		return list
	}
	pass.AllPackageFacts = func() (list []analysis.PackageFact) {
		for key, f := range s.m {
			if key.obj == nil && own(f) {
				list = append(list, analysis.PackageFact{Package: key.pkg, Fact: f})
			}
		}
		return list
	}
}
