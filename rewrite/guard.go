package rewrite

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"

	"github.com/dave/dst"

	"github.com/mrtr-migrate/mrtr-migrate/analyzer"
)

// A guard is the refusal that replaces a fail-open path: where the old code
// went on although the question had failed, the new code returns until
// somebody decides.
type guard struct {
	site *site
	text string // of the marker
	// failed is the variable of the error; introduce says that the old code
	// discarded it.
	failed    string
	introduce bool
	// branch is the body of `if err != nil` when the refusal goes at its end.
	branch *ast.BlockStmt
	// flipped are boolean results that a failure had set to the value that
	// goes on, and what they are instead.
	flipped map[int]bool
	// value is the variable that holds a failing value of a call without an
	// error, and blank the expression of that value.
	value string
	blank ast.Expr
}

const (
	wentOn     = "this went on as if the answer were yes; it refuses until you decide"
	goesOn     = "the code below went on as if the answer were yes when the question failed; it refuses until you decide"
	sameAsFail = "a failed question looks like this answer; it refuses until you let the error through"
)

// planGuards plans a refusal for every fail-open path that the finder names.
func (pl *plan) planGuards() {
	for _, fn := range pl.functions {
		if !pl.edited[fn] {
			continue
		}
		for _, f := range pl.findings(fn, codeFailOpen) {
			s := fn.siteOf(f)
			if s == nil || !pl.guardAt(s, f) {
				pl.mark(fn, f.Pos, codeFailOpen, f.Message)
			}
		}
	}
}

// siteOf returns the site that a finding is about.
func (fn *function) siteOf(f *analyzer.Finding) *site {
	for _, s := range fn.sites {
		if f.Ask != nil && s.ask == f.Ask || f.Call != nil && s.call == f.Call.Call {
			return s
		}
	}
	return nil
}

// guardAt plans the refusal for one finding, where the failure can still be
// told from an answer.
func (pl *plan) guardAt(s *site, f *analyzer.Finding) bool {
	if s.guard != nil {
		return true
	}
	if s.guard = s.fn.guard(s); s.guard != nil {
		return true
	}
	if s.callee == nil || len(f.Related) == 0 {
		return false
	}
	// The failure is swallowed further down: refuse there.
	swallow, ret := pl.swallowed(f.Related[0].Pos)
	if ret == nil {
		return false
	}
	if pl.edited[swallow] && pl.guardReturn(swallow, ret) {
		return true
	}
	if swallow == s.callee && len(ret.Results) > 0 {
		s.guard = s.fn.guardValue(s, ret.Results[0])
	}
	return s.guard != nil
}

// swallowed returns the return statement at a position, and its function.
func (pl *plan) swallowed(at token.Position) (*function, *ast.ReturnStmt) {
	for _, fn := range pl.functions {
		if fn.path != at.Filename {
			continue
		}
		var found *ast.ReturnStmt
		fn.ownNodes(func(n ast.Node) bool {
			if r, ok := n.(*ast.ReturnStmt); ok && pl.position(r.Pos()).Line == at.Line {
				found = r
			}
			return true
		})
		if found != nil {
			return fn, found
		}
	}
	return nil, nil
}

// guardReturn plans the refusal in a helper without an error result, behind
// the last question before the return that swallows its failure: a boolean
// becomes its opposite, a nil result of a tool becomes one that says so.
func (pl *plan) guardReturn(fn *function, ret *ast.ReturnStmt) bool {
	results := fn.sig.Results()
	if len(ret.Results) != results.Len() || results.Len() == 0 || isError(results.At(results.Len()-1).Type()) {
		return false
	}
	var last *site
	for _, s := range fn.sites {
		if s.call.Pos() < ret.Pos() {
			last = s
		}
	}
	if last == nil || last.guard != nil {
		return last != nil
	}
	flipped := make(map[int]bool)
	for i, x := range ret.Results {
		if v := fn.pkg.TypesInfo.Types[x].Value; v != nil && v.Kind() == constant.Bool {
			flipped[i] = !constant.BoolVal(v)
		}
	}
	if len(flipped) == 0 && !(results.Len() == 1 && isSDK(results.At(0).Type(), "CallToolResult")) {
		return false
	}
	g := fn.guard(last)
	if g == nil {
		return false
	}
	g.flipped, g.branch, g.text = flipped, nil, goesOn
	last.guard = g
	return true
}

// guardValue plans the refusal at the call of a helper that returns the same
// value for a failure and for an answer.
func (fn *function) guardValue(s *site, blank ast.Expr) *guard {
	results := fn.sig.Results()
	if n := results.Len(); n == 0 || !isError(results.At(n-1).Type()) {
		return nil
	}
	id := fn.assignedTo(s, 0)
	tv := s.callee.pkg.TypesInfo.Types[blank]
	if id == nil || id.Name == "_" || tv.Value == nil && !tv.IsNil() {
		return nil
	}
	if _, basic := ast.Unparen(blank).(*ast.BasicLit); !basic && !tv.IsNil() {
		return nil // a named constant of another package may not be in reach
	}
	return &guard{site: s, text: sameAsFail, value: id.Name, blank: blank}
}

// assignedTo returns the variable that takes the result of a site with this
// index; a negative one counts from the end.
func (fn *function) assignedTo(s *site, index int) *ast.Ident {
	assign, ok := fn.parents[s.call].(*ast.AssignStmt)
	if !ok || len(assign.Rhs) != 1 {
		return nil
	}
	if index < 0 {
		index += len(assign.Lhs)
	}
	id, _ := assign.Lhs[index].(*ast.Ident)
	return id
}

// guard plans the refusal at a site that has an error, or returns nil.
func (fn *function) guard(s *site) *guard {
	results := s.results()
	if n := results.Len(); n == 0 || !isError(results.At(n-1).Type()) {
		return nil
	}
	g := &guard{site: s, text: goesOn}
	if stmt, ok := fn.parents[s.call].(*ast.ExprStmt); ok && next(fn, stmt) != nil {
		g.introduce = true
		return g
	}
	id := fn.assignedTo(s, -1)
	if id == nil {
		return nil
	}
	g.failed = id.Name
	assign := fn.parents[s.call].(*ast.AssignStmt)
	if id.Name == "_" {
		if _, tok := fn.errorName(s.call); tok == token.DEFINE && assign.Tok != token.DEFINE {
			return nil // the other variables must stay what they are
		}
		g.introduce = true
		return g
	}
	obj := fn.pkg.TypesInfo.ObjectOf(id)
	if check, ok := next(fn, assign).(*ast.IfStmt); ok && isNotNil(fn.pkg.TypesInfo, check.Cond, obj) && fn.falls(check.Body) {
		g.branch, g.text = check.Body, wentOn
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
	name, op, value := s.guard.failed, token.NEQ, dst.Expr(dst.NewIdent("nil"))
	if s.guard.value != "" {
		name, op = s.guard.value, token.EQL
		if lit, ok := ast.Unparen(s.guard.blank).(*ast.BasicLit); ok {
			value = &dst.BasicLit{Kind: lit.Kind, Value: lit.Value}
		}
	}
	check := &dst.IfStmt{
		Cond: &dst.BinaryExpr{X: dst.NewIdent(name), Op: op, Y: value},
		Body: &dst.BlockStmt{List: w.refuse(s)},
	}
	check.Decs.Before, check.Decs.After = dst.NewLine, dst.NewLine
	check.Decs.Start = dst.Decorations{markerText(codeFailOpen, s.guard.text)}
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
		case i == n-1 && fails && s.guard.value != "":
			ret.Results = append(ret.Results, &dst.CallExpr{
				Fun: w.selector(w.imported("errors"), "New"), Args: []dst.Expr{stringLit("the question could not be asked")},
			})
		case i == n-1 && fails:
			ret.Results = append(ret.Results, dst.NewIdent(s.guard.failed))
		case s.guard.flips(i):
			ret.Results = append(ret.Results, dst.NewIdent(strconv.FormatBool(s.guard.flipped[i])))
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

// flips reports whether the result with this index is a boolean that a failure
// must not set as it did.
func (g *guard) flips(i int) bool {
	_, ok := g.flipped[i]
	return ok
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
	first.Start = dst.Decorations{markerText(codeFailOpen, g.text)}
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
