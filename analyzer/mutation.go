package analyzer

import (
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// This file finds changes of memory that outlives a request: fields behind a
// receiver, captured and package variables. Only what adds up counts (append,
// ++, insertion, sending): a plain assignment or deletion that is made again
// each round leaves the same behind.

// A scopeOf is the function relative to which memory is local.
type scopeOf struct {
	node ast.Node
	args map[types.Object]int // receiver 0, i-th parameter i+1
}

// scopeOf returns the scope of a declared function.
func (x *effectInfo) scopeOf(obj *types.Func, decl *ast.FuncDecl) *scopeOf {
	return signatureScope(decl, obj.Signature())
}

// signatureScope returns the scope of a function or literal.
func signatureScope(node ast.Node, sig *types.Signature) *scopeOf {
	s := &scopeOf{node: node, args: make(map[types.Object]int)}
	if recv := sig.Recv(); recv != nil {
		s.args[recv] = 0
	}
	for i := range sig.Params().Len() {
		s.args[sig.Params().At(i)] = i + 1
	}
	return s
}

// touch yields the effect of changing the memory behind an expression, unless
// that memory is local.
func (x *effectInfo) touch(e ast.Expr, scope *scopeOf, site effectSite, what string, yield func(effectSite)) {
	root, deref := x.root(e, scope, 0)
	switch root := root.(type) {
	case nil:
		return
	case *types.Var:
		if i, ok := scope.args[root]; ok {
			if deref {
				site.mutates, site.text = 1<<i, what
				yield(site)
			}
			return
		}
		if within(scope.node, root.Pos()) {
			return
		}
		site.what = what
		yield(site)
	}
}

// root returns the variable that leads to the memory an expression denotes,
// and whether a pointer, map or slice lies between; nil if it is fresh.
func (x *effectInfo) root(e ast.Expr, scope *scopeOf, depth int) (types.Object, bool) {
	if depth > 6 {
		return nil, false
	}
	info := x.pass.TypesInfo
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, ok := info.Uses[e].(*types.Var)
		if !ok {
			if v, ok = info.Defs[e].(*types.Var); !ok {
				return nil, false
			}
		}
		if _, arg := scope.args[v]; !arg && within(scope.node, v.Pos()) && isReference(v.Type()) {
			// A local name for something: what it was declared with decides.
			if init := x.initials[v]; init != nil {
				r, _ := x.root(init, scope, depth+1)
				return r, true
			}
			return nil, false
		}
		return v, isReference(v.Type())
	case *ast.SelectorExpr:
		if s := info.Selections[e]; s == nil { // a package's variable
			return info.Uses[e.Sel], isReference(info.TypeOf(e))
		}
		r, d := x.root(e.X, scope, depth+1)
		return r, d || isReference(info.TypeOf(e))
	case *ast.IndexExpr:
		r, _ := x.root(e.X, scope, depth+1)
		return r, true
	case *ast.StarExpr:
		r, _ := x.root(e.X, scope, depth+1)
		return r, true
	case *ast.SliceExpr:
		r, _ := x.root(e.X, scope, depth+1)
		return r, true
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			if _, lit := ast.Unparen(e.X).(*ast.CompositeLit); lit {
				return nil, false
			}
			return x.root(e.X, scope, depth+1)
		}
	case *ast.TypeAssertExpr:
		return x.root(e.X, scope, depth+1)
	}
	return nil, false
}

// isReference reports whether a value of this type leads to memory that it
// does not contain.
func isReference(t types.Type) bool {
	if t == nil {
		return false
	}
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Slice, *types.Chan, *types.Interface:
		return true
	}
	return false
}

// mutation yields what an assignment, an increment or a send changes for good.
func (x *effectInfo) mutation(stmt ast.Stmt, scope *scopeOf, yield func(effectSite)) {
	info := x.pass.TypesInfo
	site := effectSite{pos: stmt.Pos(), node: stmt}
	switch s := stmt.(type) {
	case *ast.IncDecStmt:
		if obj := lastObject(info, s.X); !isMetric(s.X) && !(x.up[obj] && x.down[obj]) {
			x.touch(s.X, scope, site, types.ExprString(s.X)+s.Tok.String(), yield)
		}
	case *ast.SendStmt:
		t := info.TypeOf(s.Chan)
		if t == nil {
			return
		}
		if ch, ok := t.Underlying().(*types.Chan); ok {
			if st, ok := ch.Elem().Underlying().(*types.Struct); ok && st.NumFields() == 0 {
				return // a signal or a semaphore
			}
		}
		x.touch(s.Chan, scope, site, types.ExprString(s.Chan)+" <- …", yield)
	case *ast.AssignStmt:
		for i, lhs := range s.Lhs {
			var rhs ast.Expr
			if len(s.Lhs) == len(s.Rhs) {
				rhs = s.Rhs[i]
			}
			if s.Tok == token.DEFINE || isBlank(lhs) || isMetric(lhs) {
				continue
			}
			if x.repeats(s, lhs, rhs, scope) {
				x.touch(lhs, scope, site, types.ExprString(lhs)+" "+s.Tok.String()+" …", yield)
			}
		}
	}
}

// repeats reports whether making an assignment again changes something again.
func (x *effectInfo) repeats(s *ast.AssignStmt, lhs, rhs ast.Expr, scope *scopeOf) bool {
	if s.Tok != token.ASSIGN { // += and the like
		return true
	}
	if index, ok := ast.Unparen(lhs).(*ast.IndexExpr); ok {
		if t := x.pass.TypesInfo.TypeOf(index.X); t != nil {
			if _, ok := t.Underlying().(*types.Map); ok {
				return !x.looksUp(index, scope)
			}
		}
	}
	if rhs == nil {
		return false
	}
	// x = append(x, …), n = n + 1
	target, found := types.ExprString(lhs), false
	ast.Inspect(rhs, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && types.ExprString(e) == target {
			found = true
		}
		return !found
	})
	return found
}

// looksUp reports whether the function also looks for the entry that it makes
// in a map: that is a cache, and filling it again is harmless.
func (x *effectInfo) looksUp(index *ast.IndexExpr, scope *scopeOf) bool {
	m := types.ExprString(index.X)
	found := false
	ast.Inspect(scope.node, func(n ast.Node) bool {
		s, ok := n.(*ast.AssignStmt)
		if ok && len(s.Lhs) == 2 && len(s.Rhs) == 1 {
			if i, ok := ast.Unparen(s.Rhs[0]).(*ast.IndexExpr); ok && types.ExprString(i.X) == m {
				found = true
			}
		}
		return !found
	})
	return found
}

// isMetric reports whether a name says that it only counts for statistics.
func isMetric(e ast.Expr) bool {
	name := strings.ToLower(types.ExprString(e))
	for _, word := range []string{"metric", "stats", "counter", "hits", "misses", "requests", "inflight"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// isBlank reports whether e is the blank identifier.
func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// dirOf returns the folder of a package's files.
func dirOf(pass *analysis.Pass) string {
	return filepath.Dir(pass.Fset.File(pass.Files[0].FileStart).Name())
}
