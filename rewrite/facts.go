package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// sources returns an expression and everything that the values of the local
// variables in it are made from, in fn.
func (fn *function) sources(x ast.Expr) []ast.Expr {
	if x == nil {
		return nil
	}
	info := fn.pkg.TypesInfo
	out := []ast.Expr{x}
	seen := make(map[types.Object]bool)
	for i := 0; i < len(out); i++ {
		ast.Inspect(out[i], func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			v, ok := info.Uses[id].(*types.Var)
			if !ok || v.IsField() || seen[v] || !fn.contains(v.Pos()) || isContext(v.Type()) {
				return true
			}
			seen[v] = true
			out = append(out, fn.assigned(v)...)
			return true
		})
	}
	return out
}

// shows reports whether a question that is made from the given sources shows
// the whole value of v: a plain value that is mentioned is part of the text. A
// struct of which a field is mentioned is not shown whole.
func (fn *function) shows(sources []ast.Expr, v *types.Var) bool {
	whole := false
	for _, x := range sources {
		ast.Inspect(x, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if id, ok := ast.Unparen(n.X).(*ast.Ident); ok && fn.pkg.TypesInfo.Uses[id] == v {
					return false
				}
			case *ast.CallExpr:
				// len(x) and the like do not show x.
				if fn.pkg.TypesInfo.Types[ast.Unparen(n.Fun)].IsBuiltin() {
					return false
				}
			case *ast.Ident:
				whole = whole || fn.pkg.TypesInfo.Uses[n] == v
			}
			return !whole
		})
	}
	return whole
}

// helperFacts returns the parameters of a helper that decide what an answer is
// for and that the question does not show. A handler's own input needs none:
// the digest of the request covers it.
func (fn *function) helperFacts(s *site) []ast.Expr {
	return fn.parametersBeside(s.call, fn.sources(s.ask.Params))
}

// unseen returns the parameters of a helper that a call of another asking
// function does not pass on, not even as part of something: the question that
// is asked there cannot show them.
func (fn *function) unseen(s *site) []ast.Expr {
	if s.ask != nil {
		return nil
	}
	var sources []ast.Expr
	for _, arg := range s.call.Args {
		sources = append(sources, fn.sources(arg)...)
	}
	return fn.parametersBeside(s.call, sources)
}

// parametersBeside returns the plain parameters of a helper that the sources
// do not show.
func (fn *function) parametersBeside(call *ast.CallExpr, sources []ast.Expr) []ast.Expr {
	if fn.handler != nil || fn.isLiteral() {
		return nil
	}
	var out []ast.Expr
	for _, field := range fn.typ.Params.List {
		for _, name := range field.Names {
			v, ok := fn.pkg.TypesInfo.Defs[name].(*types.Var)
			if !ok || name.Name == "_" || !plain(v.Type()) || fn.shows(sources, v) || fn.hidden(v, call) || fn.given(v) {
				continue
			}
			out = append(out, name)
		}
	}
	return out
}

// given reports whether every call of fn passes a value for its parameter v
// that the request or the call path decides: a constant, or a part of the
// request that its digest covers.
func (fn *function) given(v *types.Var) bool {
	return fn.givenVia(v, make(map[*types.Var]bool))
}

func (fn *function) givenVia(v *types.Var, seen map[*types.Var]bool) bool {
	if seen[v] {
		return true // decided by the calls from outside of the recursion
	}
	seen[v] = true
	index := -1
	for i := range fn.sig.Params().Len() {
		if fn.sig.Params().At(i) == v {
			index = i
		}
	}
	if index < 0 || fn.sig.Variadic() || len(fn.callers) == 0 || fn.written(v) {
		return false
	}
	for _, s := range fn.callers {
		if index >= len(s.call.Args) || !s.fn.fromRequest(s.call.Args[index], seen) {
			return false
		}
	}
	return true
}

// digested are the fields of a request's parameters that its digest covers.
var digested = []string{"Arguments", "Name", "URI"}

// fromRequest reports whether an expression in fn is a constant, or a part of
// the request as the client has sent it, also handed on through parameters.
func (fn *function) fromRequest(x ast.Expr, seen map[*types.Var]bool) bool {
	info := fn.pkg.TypesInfo
	if info.Types[x].Value != nil {
		return true
	}
	var path []string
	for {
		sel, ok := ast.Unparen(x).(*ast.SelectorExpr)
		if !ok {
			break
		}
		path = append(path, sel.Sel.Name)
		x = sel.X
	}
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := info.Uses[id].(*types.Var)
	if !ok || !isParameter(info, fn.typ, v) || fn.written(v) {
		return false
	}
	slices.Reverse(path)
	if fn.handler == nil {
		return fn.givenVia(v, seen)
	}
	if fn.handler.Typed && v == fn.sig.Params().At(fn.sig.Params().Len()-1) {
		return true
	}
	return len(path) >= 2 && path[0] == "Params" && slices.Contains(digested, path[1])
}

// written reports whether fn assigns to a variable, a part of it, or takes its
// address.
func (fn *function) written(v *types.Var) bool {
	info := fn.pkg.TypesInfo
	found := false
	root := func(x ast.Expr) bool {
		for {
			switch e := ast.Unparen(x).(type) {
			case *ast.SelectorExpr:
				x = e.X
				continue
			case *ast.IndexExpr:
				x = e.X
				continue
			case *ast.StarExpr:
				x = e.X
				continue
			case *ast.Ident:
				return info.Uses[e] == v
			}
			return false
		}
	}
	ast.Inspect(fn.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, lhs := range n.Lhs {
				found = found || root(lhs)
			}
		case *ast.IncDecStmt:
			found = found || root(n.X)
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && root(n.X)
		}
		return !found
	})
	return found
}

// hidden reports whether another declaration of the same name is in scope at
// the call.
func (fn *function) hidden(v *types.Var, call *ast.CallExpr) bool {
	obj := fn.lookup(v.Name(), call)
	return obj != nil && obj != v
}
