package rewrite

import (
	"go/ast"
	"go/types"
	"slices"
)

// held returns what a function acquires before a site and releases behind it
// without a defer, as the source writes the release, or "". A round that ends
// at the site would never release it.
func (fn *function) held(s *site) string {
	deferred := make(map[string]bool)
	var releases []*ast.CallExpr
	fn.ownNodes(func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.DeferStmt:
			deferred[types.ExprString(n.Call.Fun)] = true
			// A deferred literal releases what it calls.
			ast.Inspect(n.Call, func(n ast.Node) bool {
				if c, ok := n.(*ast.CallExpr); ok {
					deferred[types.ExprString(c.Fun)] = true
				}
				return true
			})
			return false
		case *ast.ExprStmt:
			if call, ok := n.X.(*ast.CallExpr); ok && call.Pos() > s.call.End() {
				releases = append(releases, call)
			}
		}
		return true
	})
	for _, call := range releases {
		name := types.ExprString(call.Fun)
		if !deferred[name] && fn.releases(call, s) {
			return name
		}
	}
	return ""
}

// ownNodes visits the function's body without the literals in it.
func (fn *function) ownNodes(visit func(ast.Node) bool) {
	ast.Inspect(fn.body, func(n ast.Node) bool {
		if _, lit := n.(*ast.FuncLit); lit {
			return false
		}
		return visit(n)
	})
}

// acquires are the calls that a release undoes; nil means that the variable
// comes from a call.
var acquires = map[string][]string{
	"Unlock": {"Lock", "TryLock"}, "RUnlock": {"RLock", "TryRLock"},
	"Close": nil, "Release": nil, "Rollback": nil, "End": nil,
}

// releases reports whether a call behind a site undoes what was done before
// it: it unlocks, closes, or calls a function that a call has returned.
func (fn *function) releases(call *ast.CallExpr, s *site) bool {
	info := fn.pkg.TypesInfo
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		v, ok := info.Uses[f].(*types.Var)
		return ok && fn.fromCall(v, s)
	case *ast.SelectorExpr:
		acquire, known := acquires[f.Sel.Name]
		if !known {
			return false
		}
		if acquire == nil {
			id, ok := ast.Unparen(f.X).(*ast.Ident)
			if !ok {
				return false
			}
			v, ok := info.Uses[id].(*types.Var)
			return ok && fn.fromCall(v, s)
		}
		what := types.ExprString(f.X)
		found := false
		fn.ownNodes(func(n ast.Node) bool {
			c, ok := n.(*ast.CallExpr)
			if !ok || c.Pos() > s.call.Pos() {
				return !found
			}
			if sel, ok := c.Fun.(*ast.SelectorExpr); ok && types.ExprString(sel.X) == what && slices.Contains(acquire, sel.Sel.Name) {
				found = true
			}
			return !found
		})
		return found
	}
	return false
}

// fromCall reports whether a local variable got its value from a call before
// the site.
func (fn *function) fromCall(v *types.Var, s *site) bool {
	if !fn.contains(v.Pos()) || v.Pos() > s.call.Pos() {
		return false
	}
	for _, x := range fn.assigned(v) {
		if c, ok := ast.Unparen(x).(*ast.CallExpr); ok && c != s.call && c.Pos() < s.call.Pos() {
			return true
		}
	}
	return false
}
