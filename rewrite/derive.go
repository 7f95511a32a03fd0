package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
)

// derives reports whether a context expression in fn comes from the context
// that fn was called with, as far as the text of fn shows: a parameter, or a
// variable whose every value is made from one. Only such a context carries
// the request's answers.
func (fn *function) derives(x ast.Expr) bool {
	return fn.derivesVia(x, make(map[types.Object]bool))
}

func (fn *function) derivesVia(x ast.Expr, seen map[types.Object]bool) bool {
	info := fn.pkg.TypesInfo
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		obj, ok := info.Uses[x].(*types.Var)
		if !ok || obj.IsField() {
			return false
		}
		if !fn.contains(obj.Pos()) {
			// A literal that is called in place sees its function's context;
			// any other captured context may be of another request.
			return fn.outer != nil && fn.outer.derivesVia(x, seen)
		}
		if isParameter(info, fn.typ, obj) {
			return true
		}
		if seen[obj] {
			return true // decided by the other values of the variable
		}
		seen[obj] = true
		values := fn.assigned(obj)
		for _, v := range values {
			if !fn.derivesVia(v, seen) {
				return false
			}
		}
		return len(values) > 0
	case *ast.CallExpr:
		for _, arg := range x.Args {
			if isContext(info.TypeOf(arg)) && fn.derivesVia(arg, seen) {
				return true
			}
		}
	}
	return false
}

func (fn *function) contains(pos token.Pos) bool {
	return fn.node.Pos() <= pos && pos < fn.node.End()
}

// isParameter reports whether obj is declared by the signature ft.
func isParameter(info *types.Info, ft *ast.FuncType, obj types.Object) bool {
	for _, f := range ft.Params.List {
		for _, name := range f.Names {
			if info.Defs[name] == obj {
				return true
			}
		}
	}
	return false
}

// assigned returns every expression that is assigned to a local variable in
// fn. A value that cannot be named by one expression (the second result of a
// call, a range variable) is the whole right side.
func (fn *function) assigned(obj types.Object) []ast.Expr {
	info := fn.pkg.TypesInfo
	is := func(x ast.Expr) bool {
		id, ok := ast.Unparen(x).(*ast.Ident)
		return ok && (info.Defs[id] == obj || info.Uses[id] == obj)
	}
	var out []ast.Expr
	ast.Inspect(fn.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, lhs := range n.Lhs {
				if !is(lhs) {
					continue
				}
				if len(n.Rhs) == len(n.Lhs) {
					out = append(out, n.Rhs[i])
				} else {
					out = append(out, n.Rhs[0])
				}
			}
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if info.Defs[name] != obj || len(n.Values) == 0 {
					continue
				}
				if len(n.Values) == len(n.Names) {
					out = append(out, n.Values[i])
				} else {
					out = append(out, n.Values[0])
				}
			}
		case *ast.RangeStmt:
			if n.Key != nil && is(n.Key) || n.Value != nil && is(n.Value) {
				out = append(out, n.X)
			}
		}
		return true
	})
	return out
}
