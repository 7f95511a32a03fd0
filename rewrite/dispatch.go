package rewrite

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/packages"
)

// implementation returns the method of this program that a question through an
// interface may end in, other than the session's own: a policy that answers by
// itself, or a wrapper that changes the question. The run-time puts such a
// question to the client without it. A method that only hands the question to
// what it wraps makes no difference.
func (p *program) implementation(s *site) *types.Func {
	iface := s.askInterface()
	if iface == nil {
		return nil
	}
	for _, pkg := range p.pkgs {
		if pkg != s.fn.pkg && pkg.Name != "main" && !p.imported(pkg) {
			continue // for tests only
		}
		scope := pkg.Types.Scope()
		for _, name := range scope.Names() {
			obj, ok := scope.Lookup(name).(*types.TypeName)
			if !ok || obj.IsAlias() || types.IsInterface(obj.Type()) {
				continue
			}
			ptr := types.NewPointer(obj.Type())
			if !types.Implements(ptr, iface) {
				continue
			}
			method, _, _ := types.LookupFieldOrMethod(ptr, false, pkg.Types, s.ask.Method)
			m, ok := method.(*types.Func)
			if !ok || m.Pkg() == nil || m.Pkg().Path() == sdkPath+"/mcp" || m.Pkg().Path() == shimPath {
				continue
			}
			if !p.handsOn(m) {
				return m
			}
		}
	}
	return nil
}

// imported reports whether a package of the program imports pkg.
func (p *program) imported(pkg *packages.Package) bool {
	return slices.ContainsFunc(p.pkgs, func(by *packages.Package) bool { return by.Imports[pkg.PkgPath] != nil })
}

// askInterface is the interface that an ask goes through, or nil.
func (s *site) askInterface() *types.Interface {
	if s.ask == nil || s.ask.Session == nil {
		return nil
	}
	t := s.fn.pkg.TypesInfo.TypeOf(s.ask.Session)
	if t == nil {
		return nil
	}
	iface, _ := t.Underlying().(*types.Interface)
	return iface
}

// handsOn reports whether a method does nothing but ask the same question
// with the same context.
func (p *program) handsOn(m *types.Func) bool {
	fn := p.byObject[m.Origin()]
	if fn == nil || len(fn.body.List) != 1 || len(fn.sites) != 1 {
		return false
	}
	ret, ok := fn.body.List[0].(*ast.ReturnStmt)
	s := fn.sites[0]
	if !ok || s.ask == nil || len(ret.Results) != 1 || ast.Unparen(ret.Results[0]) != ast.Expr(s.call) || len(s.call.Args) != 2 {
		return false
	}
	for i, arg := range s.call.Args {
		id, ok := ast.Unparen(arg).(*ast.Ident)
		if !ok || fn.pkg.TypesInfo.Uses[id] != types.Object(fn.sig.Params().At(i)) {
			return false
		}
	}
	return true
}

// checkContext returns the name of the context at a site: what the check
// behind the site asks whether the round has ended. It is "" where no name is
// known to hold the request's context there: another variable may have taken
// it, or the site's own statement does.
func (s *site) checkContext() string {
	fn := s.fn
	id, ok := ast.Unparen(s.ctx).(*ast.Ident)
	if !ok {
		if id = fn.parameterContext(); id == nil {
			return ""
		}
		var param types.Object
		for f := fn; f != nil && param == nil; f = f.outer {
			param = f.pkg.TypesInfo.Defs[id]
		}
		if fn.lookup(id.Name, s.call) != param || reassigned(fn, param) {
			return ""
		}
	}
	if assign, ok := fn.parents[s.call].(*ast.AssignStmt); ok {
		for _, lhs := range assign.Lhs {
			if x, ok := lhs.(*ast.Ident); ok && x.Name == id.Name {
				return ""
			}
		}
	}
	return id.Name
}

// reassigned reports whether fn gives a variable a value that does not come
// from the request's context.
func reassigned(fn *function, v types.Object) bool {
	for _, x := range fn.assigned(v) {
		if !fn.derives(x) {
			return true
		}
	}
	return false
}

// withinSelect reports whether a site stands in a case of a select statement.
func (fn *function) withinSelect(s *site) bool {
	for n := ast.Node(s.call); n != nil && n != fn.node; n = fn.parents[n] {
		if _, ok := n.(*ast.CommClause); ok {
			return true
		}
	}
	return false
}
