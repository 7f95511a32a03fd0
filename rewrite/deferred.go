package rewrite

import (
	"go/ast"
	"slices"

	"github.com/dave/dst"
)

// Deferred calls run at the end of every round, not once. Those that release
// something should; a literal that reads the function's result is told by it
// (exit.go); any other effect has to wait for the last round.

// releasing are the names of functions that give back what the round took.
var releasing = []string{
	"Cancel", "Close", "Done", "End", "Free", "RUnlock", "Release", "Remove", "RemoveAll", "Rollback", "Shutdown", "Stop", "Unlock",
	"cancel", "close", "cleanup", "release", "stop", "unlock",
}

// judgeDefers blocks a function with a deferred effect that cannot be made to
// wait, and remembers the literals that can.
func (p *program) judgeDefers(fn *function) {
	report := p.reports[fn.pkg.Types]
	fn.ownNodes(func(n ast.Node) bool {
		d, ok := n.(*ast.DeferStmt)
		if !ok || !slices.ContainsFunc(fn.sites, func(s *site) bool { return s.call.Pos() > d.End() }) {
			return true
		}
		what, effect := report.Effect(d.Call)
		if !effect {
			return true
		}
		lit, ok := d.Call.Fun.(*ast.FuncLit)
		switch {
		case !ok && slices.Contains(releasing, calledName(d.Call)):
		case !ok:
			fn.block(codeDefer, d, "%s is deferred and would run at the end of every round: call it where the work is done", what)
		default:
			releases, effects := fn.deferredCalls(lit, func(c *ast.CallExpr) bool {
				_, has := report.Effect(c)
				return has
			})
			switch {
			case effects == 0:
			case releases > 0 && fn.readsError(d):
				// It is told that the work is not done, and gives it up.
			case releases > 0 || lit.Type.Results.NumFields() > 0 || len(d.Call.Args) > 0 || !fn.seesContext(lit):
				fn.block(codeDefer, d, "%s is deferred and would run at the end of every round: call it where the work is done", what)
			default:
				fn.waits = append(fn.waits, lit)
			}
		}
		return true
	})
}

// fails reports whether the function's last result is an error.
func (fn *function) fails() bool {
	n := fn.sig.Results().Len()
	return n > 0 && isError(fn.sig.Results().At(n-1).Type())
}

// deferredCalls counts the calls in a deferred literal that release something,
// and those that have another effect.
func (fn *function) deferredCalls(lit *ast.FuncLit, effect func(*ast.CallExpr) bool) (releases, effects int) {
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		switch {
		case !ok:
		case slices.Contains(releasing, calledName(c)):
			releases++
			return false
		case effect(c):
			effects++
		}
		return true
	})
	return releases, effects
}

// seesContext reports whether the function's context can be named at the start
// of a literal in it.
func (fn *function) seesContext(lit *ast.FuncLit) bool {
	ctx := fn.parameterContext()
	if ctx == nil || len(lit.Body.List) == 0 {
		return false
	}
	obj := fn.lookup(ctx.Name, lit.Body.List[0])
	return obj != nil && isContext(obj.Type())
}

// wait makes a deferred literal do nothing while the round ends in a question.
func (w *writer) wait(fn *function, lit *ast.FuncLit) {
	n, ok := w.doc.node(lit).(*dst.FuncLit)
	if !ok || len(n.Body.List) == 0 {
		return
	}
	check := &dst.IfStmt{
		Cond: w.runtime("Pending", dst.NewIdent(fn.parameterContext().Name)),
		Body: &dst.BlockStmt{List: []dst.Stmt{&dst.ReturnStmt{}}},
	}
	check.Decs.Before, check.Decs.After = dst.NewLine, dst.NewLine
	n.Body.List = append([]dst.Stmt{check}, n.Body.List...)
}
