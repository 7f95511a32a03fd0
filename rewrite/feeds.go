package rewrite

import (
	"go/ast"
	"go/types"
)

// feeds records, with an effect in a loop, the calls that make what the loop
// goes through. A later round would ask for it again, after the effects of the
// rounds before: of a list from which each round removes an element, it would
// go through the rest only, and miss what is recorded.
func (e *effect) feeds(fn *function, call *ast.CallExpr) {
	for n := fn.parents[ast.Node(call)]; n != nil; n = fn.parents[n] {
		if r, ok := n.(*ast.RangeStmt); ok && within1(r.Body, call) {
			e.sources(fn, r.X, make(map[types.Object]bool))
		}
	}
}

// sources records the calls that an expression takes its value from. What comes
// with the request is the same in each round, and so is an answer.
func (e *effect) sources(fn *function, x ast.Expr, seen map[types.Object]bool) {
	info := fn.pkg.TypesInfo
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		v := fn.localRoot(x)
		if v == nil || seen[v] {
			return
		}
		seen[v] = true
		for _, from := range fn.assigned(v) {
			e.sources(fn, from, seen)
		}
	case *ast.SelectorExpr:
		e.sources(fn, x.X, seen)
	case *ast.IndexExpr:
		e.sources(fn, x.X, seen)
	case *ast.SliceExpr:
		e.sources(fn, x.X, seen)
	case *ast.StarExpr:
		e.sources(fn, x.X, seen)
	case *ast.UnaryExpr:
		e.sources(fn, x.X, seen)
	case *ast.CallExpr:
		if computes(info, x) {
			for _, arg := range x.Args {
				e.sources(fn, arg, seen)
			}
			return
		}
		e.record(fn, x)
	}
}

// computes reports whether the result of a call depends on its arguments only:
// conversions, builtins, and packages that know nothing but what they are
// given.
func computes(info *types.Info, call *ast.CallExpr) bool {
	fun := ast.Unparen(call.Fun)
	if tv := info.Types[fun]; tv.IsType() || tv.IsBuiltin() {
		return true
	}
	if index, ok := fun.(*ast.IndexExpr); ok {
		fun = index.X
	}
	sel, ok := fun.(*ast.SelectorExpr)
	if !ok || info.Selections[sel] != nil {
		return false
	}
	f, ok := info.Uses[sel.Sel].(*types.Func)
	if !ok || f.Pkg() == nil {
		return false
	}
	switch f.Pkg().Path() {
	case "slices", "maps", "strings", "bytes", "sort", "strconv", "path", "unicode":
		return true
	}
	return false
}
