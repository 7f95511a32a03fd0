package rewrite

import (
	"go/ast"
	"go/types"

	"github.com/dave/dst"
)

// A writer builds the statements that rewritten functions of one file need.
// It implements exits for the function that is being lowered.
type writer struct {
	doc *document
	fn  *function

	shim    string // the name of the run-time's package in this file
	adapter string
	used    map[string]bool // names of imports that were needed
	needs   map[string]string
}

var _ exits = (*writer)(nil)

// runtime returns a call of a function of the run-time.
func (w *writer) runtime(name string, args ...dst.Expr) *dst.CallExpr {
	w.used[w.shim] = true
	return &dst.CallExpr{Fun: w.selector(w.shim, name), Args: args}
}

func (w *writer) selector(pkg, name string) *dst.SelectorExpr {
	return &dst.SelectorExpr{X: dst.NewIdent(pkg), Sel: dst.NewIdent(name)}
}

// context returns the expression for the context at a site: the variable that
// the site passes on, else the one that the function was called with.
func (w *writer) context(s *site) dst.Expr {
	if name := s.checkContext(); name != "" {
		return dst.NewIdent(name)
	}
	return dst.NewIdent(s.fn.parameterContext().Name) // a memo's check
}

func (w *writer) pending(s *site) dst.Expr {
	return w.runtime("Pending", w.context(s))
}

// leave returns the statement by which a function ends a round: handlers say
// what happens, helpers hand it up.
func (w *writer) leave(s *site) *dst.ReturnStmt {
	fn := s.fn
	results := fn.sig.Results()
	exprs := resultTypes(fn.typ)
	ret := &dst.ReturnStmt{}
	for i := range results.Len() {
		t := results.At(i).Type()
		last := i == results.Len()-1
		switch {
		case last && isError(t) && (fn.handler == nil || fn.deferReadsResult()):
			w.used[w.shim] = true
			ret.Results = append(ret.Results, w.selector(w.shim, "ErrInputRequired"))
		case i == 0 && w.resultCall(t, s) != nil && (fn.handler != nil || results.Len() == 1):
			ret.Results = append(ret.Results, w.resultCall(t, s))
		default:
			ret.Results = append(ret.Results, zero(t, w.typeExpr(exprs[i])))
		}
	}
	return ret
}

// resultCall returns the call that makes a handler's result say that input is
// required, or nil for a type that is none.
func (w *writer) resultCall(t types.Type, s *site) dst.Expr {
	if _, ok := types.Unalias(t).(*types.Pointer); !ok {
		return nil
	}
	for _, k := range []struct{ result, call string }{
		{"CallToolResult", "InputRequired"},
		{"GetPromptResult", "PromptInputRequired"},
		{"ReadResourceResult", "ResourceInputRequired"},
	} {
		if isSDK(t, k.result) {
			return w.runtime(k.call, w.context(s))
		}
	}
	return nil
}

// typeExpr returns a copy of a type expression of the file.
func (w *writer) typeExpr(x ast.Expr) dst.Expr {
	n, _ := w.doc.node(x).(dst.Expr)
	return n
}

func (w *writer) after(s *site) []dst.Stmt {
	if s.guard == nil || s.guard.branch != nil {
		return nil
	}
	return w.guardStmts(s)
}

// deferReadsResult reports whether a deferred function looks at a named result:
// it would take the nil error of an unanswered question for success.
func (fn *function) deferReadsResult() bool {
	found := false
	ast.Inspect(fn.body, func(n ast.Node) bool {
		d, ok := n.(*ast.DeferStmt)
		found = found || ok && fn.readsResult(d)
		return !found
	})
	return found
}

// readsResult reports whether a deferred call names a result of the function.
func (fn *function) readsResult(d *ast.DeferStmt) bool {
	found := false
	ast.Inspect(d.Call, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return !found
		}
		for v := range fn.sig.Results().Variables() {
			found = found || fn.pkg.TypesInfo.Uses[id] == v
		}
		return !found
	})
	return found
}

// readsError reports whether a deferred call names the function's error.
func (fn *function) readsError(d *ast.DeferStmt) bool {
	if !fn.fails() {
		return false
	}
	results := fn.sig.Results()
	found := false
	ast.Inspect(d.Call, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && fn.pkg.TypesInfo.Uses[id] == types.Object(results.At(results.Len()-1))
		return !found
	})
	return found
}

// expression copies an expression that the plan made from the file's syntax.
func (w *writer) expression(x ast.Expr) dst.Expr {
	switch x := x.(type) {
	case *ast.Ident:
		return dst.NewIdent(x.Name)
	case *ast.SelectorExpr:
		return &dst.SelectorExpr{X: w.expression(x.X), Sel: dst.NewIdent(x.Sel.Name)}
	case *ast.IndexExpr:
		return &dst.IndexExpr{X: w.expression(x.X), Index: w.expression(x.Index)}
	case *ast.CallExpr:
		return &dst.CallExpr{Fun: w.expression(x.Fun)}
	}
	return dst.NewIdent("nil")
}
