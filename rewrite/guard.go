package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"github.com/dave/dst"
)

// A guard is the refusal that replaces a fail-open path: where the old code
// went on although the question had failed, the new code returns the error
// until somebody decides.
type guard struct {
	site *site
	// failed is the variable of the ask's error; introduce says that the ask
	// discarded it.
	failed    string
	introduce bool
	// branch is the body of `if err != nil` when the refusal goes at its end.
	branch *ast.BlockStmt
}

const refusal = "the code below went on as if the question had been answered with yes when it could not be asked: it refuses until you decide"

// planGuards plans a refusal for every fail-open path that the finder names.
func (pl *plan) planGuards() {
	for _, fn := range pl.functions {
		if !pl.edited[fn] {
			continue
		}
		for _, f := range pl.findings(fn, codeFailOpen) {
			s := pl.siteOf(fn, f.Pos, func(s *site) bool {
				return f.Ask != nil && s.ask == f.Ask || f.Call != nil && s.call == f.Call.Call
			})
			if s == nil {
				pl.mark(fn, f.Pos, codeFailOpen, f.Message)
				continue
			}
			s.guard = fn.guard(s)
			if s.guard == nil {
				pl.mark(fn, s.call.Pos(), codeFailOpen, f.Message)
			}
		}
	}
}

// siteOf returns the site that a finding is about: the one it names, else the
// last one before it.
func (pl *plan) siteOf(fn *function, pos token.Pos, named func(*site) bool) *site {
	var before *site
	for _, s := range fn.sites {
		if named(s) {
			return s
		}
		if s.call.Pos() <= pos {
			before = s
		}
	}
	return before
}

// guard plans the refusal at a site, or returns nil where the site has no
// error to refuse with.
func (fn *function) guard(s *site) *guard {
	results := s.results()
	if n := results.Len(); n == 0 || !isError(results.At(n-1).Type()) {
		return nil
	}
	assign, ok := fn.parents[s.call].(*ast.AssignStmt)
	if !ok || len(assign.Rhs) != 1 {
		return nil
	}
	id, ok := assign.Lhs[len(assign.Lhs)-1].(*ast.Ident)
	if !ok {
		return nil
	}
	g := &guard{site: s, failed: id.Name}
	if id.Name == "_" {
		g.introduce = true
		return g
	}
	obj := fn.pkg.TypesInfo.ObjectOf(id)
	if check, ok := next(fn, assign).(*ast.IfStmt); ok && isNotNil(fn.pkg.TypesInfo, check.Cond, obj) && fn.falls(check.Body) {
		g.branch = check.Body
	}
	return g
}

// falls reports whether a branch does nothing but log and fall through: the
// refusal can then be its last statement.
func (fn *function) falls(b *ast.BlockStmt) bool {
	for _, s := range b.List {
		switch s := s.(type) {
		case *ast.ExprStmt:
			call, ok := s.X.(*ast.CallExpr)
			if !ok || !logs(fn.pkg.TypesInfo, call) {
				return false
			}
		case *ast.AssignStmt:
			for _, x := range s.Rhs {
				if hasCall(x) {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

func hasCall(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		_, call := n.(*ast.CallExpr)
		found = found || call
		return !found
	})
	return found
}

// logs reports whether a call only writes to a log, or makes an error.
func logs(info *types.Info, call *ast.CallExpr) bool {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	f, ok := info.Uses[sel.Sel].(*types.Func)
	if !ok || f.Pkg() == nil {
		return false
	}
	switch f.Pkg().Path() {
	case "log":
		return f.Name() != "Fatal" && f.Name() != "Fatalf" && f.Name() != "Fatalln" && f.Name() != "Panic" && f.Name() != "Panicf" && f.Name() != "Panicln"
	case "log/slog", "errors":
		return true
	case "fmt":
		return f.Name() == "Errorf" || f.Name() == "Sprintf"
	}
	return false
}

// guardStmts returns the refusal as statements behind the pending check.
func (w *writer) guardStmts(s *site) []dst.Stmt {
	check := &dst.IfStmt{
		Cond: &dst.BinaryExpr{X: dst.NewIdent(s.guard.failed), Op: token.NEQ, Y: dst.NewIdent("nil")},
		Body: &dst.BlockStmt{List: w.refuse(s)},
	}
	check.Decs.Before, check.Decs.After = dst.NewLine, dst.NewLine
	check.Decs.Start = dst.Decorations{markerText(codeFailOpen, refusal)}
	return []dst.Stmt{check}
}

// refuse returns the statements that end a function because a question has
// failed.
func (w *writer) refuse(s *site) []dst.Stmt {
	fn := s.fn
	results := fn.sig.Results()
	exprs := resultTypes(fn.typ)
	ret := &dst.ReturnStmt{}
	var before []dst.Stmt
	n := results.Len()
	fails := n > 0 && isError(results.At(n-1).Type())
	for i := range n {
		t := results.At(i).Type()
		switch {
		case i == n-1 && fails:
			ret.Results = append(ret.Results, dst.NewIdent(s.guard.failed))
		case i == 0 && !fails && isSDK(t, "CallToolResult"):
			ret.Results = append(ret.Results, dst.NewIdent("refused"))
			before = append(before,
				&dst.AssignStmt{
					Lhs: []dst.Expr{dst.NewIdent("refused")}, Tok: token.DEFINE,
					Rhs: []dst.Expr{&dst.CallExpr{Fun: dst.NewIdent("new"), Args: []dst.Expr{pointee(plainClone(w.typeExpr(exprs[i])))}}},
				},
				&dst.ExprStmt{X: &dst.CallExpr{Fun: w.selector("refused", "SetError"), Args: []dst.Expr{dst.NewIdent(s.guard.failed)}}})
		default:
			ret.Results = append(ret.Results, zero(t, w.typeExpr(exprs[i])))
		}
	}
	out := append(before, ret)
	for _, s := range out {
		s.Decorations().Before, s.Decorations().After = dst.NewLine, dst.NewLine
	}
	return out
}

func pointee(x dst.Expr) dst.Expr {
	if star, ok := x.(*dst.StarExpr); ok {
		return star.X
	}
	return x
}

// refuseInBranch puts the refusal at the end of the old error branch.
func (w *writer) refuseInBranch(g *guard) {
	body, ok := w.doc.node(g.branch).(*dst.BlockStmt)
	if !ok {
		return
	}
	stmts := w.refuse(g.site)
	first := stmts[0].Decorations()
	first.Start = dst.Decorations{markerText(codeFailOpen, "this went on as if the question had been answered with yes; it refuses until you decide")}
	if len(body.List) > 0 {
		last := body.List[len(body.List)-1].Decorations()
		last.After = dst.NewLine
		for i, d := range last.End {
			if d == "\n" {
				first.Start = append(append(dst.Decorations{}, last.End[i+1:]...), first.Start...)
				last.End = last.End[:i:i]
				break
			}
		}
	}
	body.List = append(body.List, stmts...)
}

func stringLit(s string) *dst.BasicLit {
	return &dst.BasicLit{Kind: token.STRING, Value: strconv.Quote(s)}
}
