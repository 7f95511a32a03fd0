package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"github.com/dave/dst"
)

// A lowering gives every call that may end the round a place where a check can
// follow it, and puts the check there. It works on one function body and knows
// nothing of what the check says.
//
// Where a call is already a statement of its own, only the check is added.
// Where it stands in the header of an if or a tagless switch, the check
// becomes the first branch, so that the header keeps its scope. Everywhere
// else the call moves in front of its statement, together with whatever the
// statement evaluates before it.
type lowering struct {
	doc   *document
	info  *types.Info
	names *names
	sites map[*dst.CallExpr]*site
	exits exits
	// gotos are the labels that a goto names: nothing can be put in front of
	// those statements.
	gotos map[string]bool
	// occurrences counts the uses of a name outside a statement.
	occurrences func(name string, n dst.Node) int

	failed *unsupported // the first place that cannot be lowered
}

// exits builds what follows a call that may end the round.
type exits interface {
	// pending is the condition of the check.
	pending(s *site) dst.Expr
	// leave is the statement that ends the function.
	leave(s *site) *dst.ReturnStmt
	// after is called once the check is in place at the statement level;
	// what it returns is placed behind the check.
	after(s *site) []dst.Stmt
}

// unsupported is a place where a call that may end the round cannot be
// followed by a check.
type unsupported struct {
	site *site
	code string
	why  string
}

func (l *lowering) refuse(n dst.Node, why string) { l.refuseAs("", n, why) }

func (l *lowering) refuseAs(code string, n dst.Node, why string) {
	if l.failed != nil {
		return
	}
	var at *site
	dst.Inspect(n, func(n dst.Node) bool {
		if call, ok := n.(*dst.CallExpr); ok && at == nil {
			at = l.sites[call]
		}
		_, lit := n.(*dst.FuncLit)
		return at == nil && !lit
	})
	if code == "" {
		code = codeElicitation
		if at != nil {
			code = at.code()
		}
	}
	l.failed = &unsupported{site: at, code: code, why: why}
}

// has reports whether a call that may end the round is evaluated within n. A
// function literal is evaluated without running its body.
func (l *lowering) has(n dst.Node) bool {
	if isNil(n) {
		return false
	}
	found := false
	dst.Inspect(n, func(n dst.Node) bool {
		if call, ok := n.(*dst.CallExpr); ok && l.sites[call] != nil {
			found = true
		}
		_, lit := n.(*dst.FuncLit)
		return !found && !lit
	})
	return found
}

func isNil(n dst.Node) bool {
	switch n := n.(type) {
	case nil:
		return true
	case *dst.BlockStmt:
		return n == nil
	case *dst.CallExpr:
		return n == nil
	}
	return false
}

// body lowers all statements of the function.
func (l *lowering) body(b *dst.BlockStmt) { b.List = l.list(b.List) }

func (l *lowering) list(in []dst.Stmt) []dst.Stmt {
	out := make([]dst.Stmt, 0, len(in))
	for _, s := range in {
		if !l.has(s) {
			out = append(out, s)
			continue
		}
		out = append(out, l.stmt(s)...)
	}
	return out
}

// stmt lowers one statement that contains a site.
func (l *lowering) stmt(s dst.Stmt) []dst.Stmt {
	switch s := s.(type) {
	case *dst.BlockStmt:
		s.List = l.list(s.List)
		return []dst.Stmt{s}
	case *dst.IfStmt:
		return l.ifStmt(s)
	case *dst.SwitchStmt:
		return l.switchStmt(s)
	case *dst.TypeSwitchStmt:
		return l.typeSwitch(s)
	case *dst.ForStmt:
		return l.forStmt(s)
	case *dst.RangeStmt:
		var pre []dst.Stmt
		s.X = l.lift(s.X, &pre, false)
		l.body(s.Body)
		return front(pre, s)
	case *dst.SelectStmt:
		for _, c := range s.Body.List {
			clause := c.(*dst.CommClause)
			if clause.Comm != nil && l.has(clause.Comm) {
				l.refuse(clause.Comm, "the question is asked in a case of a select")
			}
			clause.Body = l.list(clause.Body)
		}
		return []dst.Stmt{s}
	case *dst.LabeledStmt:
		return l.labeled(s)
	case *dst.GoStmt:
		l.refuseAs(codeGoroutine, s, "the question is asked in a new goroutine, which may outlive the request")
	case *dst.DeferStmt:
		l.refuseAs(codeDefer, s, "the question is asked in a deferred call, after the result is decided")
	case *dst.ReturnStmt:
		return l.returnStmt(s)
	default:
		return l.simple(s)
	}
	return []dst.Stmt{s}
}

// simple lowers a statement without a body.
func (l *lowering) simple(s dst.Stmt) []dst.Stmt {
	if site := l.direct(s); site != nil {
		return l.checked(s, site)
	}
	var pre []dst.Stmt
	switch s := s.(type) {
	case *dst.ExprStmt:
		s.X = l.lift(s.X, &pre, false)
	case *dst.AssignStmt:
		for i, lhs := range s.Lhs {
			s.Lhs[i] = l.target(lhs, &pre)
		}
		l.liftAll(pointers(s.Rhs), &pre)
	case *dst.SendStmt:
		l.liftAll([]*dst.Expr{&s.Chan, &s.Value}, &pre)
	case *dst.IncDecStmt:
		s.X = l.target(s.X, &pre)
	case *dst.DeclStmt:
		decl, ok := s.Decl.(*dst.GenDecl)
		if !ok || decl.Tok != token.VAR || len(decl.Specs) != 1 {
			l.refuse(s, "the question is asked in a group of declarations")
			return []dst.Stmt{s}
		}
		l.liftAll(pointers(decl.Specs[0].(*dst.ValueSpec).Values), &pre)
	default:
		l.refuse(s, fmt.Sprintf("the question is asked in a statement that is not known (%T)", s))
	}
	return front(pre, s)
}

// direct returns the site that is the whole right side of a simple statement:
// a check can follow the statement as it is.
func (l *lowering) direct(s dst.Stmt) *site {
	var x dst.Expr
	switch s := s.(type) {
	case *dst.ExprStmt:
		x = s.X
	case *dst.AssignStmt:
		if len(s.Rhs) != 1 || (s.Tok != token.ASSIGN && s.Tok != token.DEFINE) {
			return nil
		}
		for _, lhs := range s.Lhs {
			if l.has(lhs) {
				return nil
			}
		}
		x = s.Rhs[0]
	case *dst.DeclStmt:
		decl, ok := s.Decl.(*dst.GenDecl)
		if !ok || decl.Tok != token.VAR || len(decl.Specs) != 1 {
			return nil
		}
		spec := decl.Specs[0].(*dst.ValueSpec)
		if len(spec.Values) != 1 {
			return nil
		}
		x = spec.Values[0]
	}
	return l.whole(x)
}

// whole returns the site that x is, if nothing else in x asks.
func (l *lowering) whole(x dst.Expr) *site {
	call, ok := unparen(x).(*dst.CallExpr)
	if !ok || l.sites[call] == nil {
		return nil
	}
	for _, arg := range call.Args {
		if l.has(arg) {
			return nil
		}
	}
	if l.has(call.Fun) {
		return nil
	}
	return l.sites[call]
}

// checked returns the statement followed by its check.
func (l *lowering) checked(s dst.Stmt, site *site) []dst.Stmt {
	check := &dst.IfStmt{
		Cond: l.exits.pending(site),
		Body: &dst.BlockStmt{List: []dst.Stmt{l.exits.leave(site)}},
	}
	return chain(append([]dst.Stmt{s, check}, l.exits.after(site)...))
}

func (l *lowering) returnStmt(s *dst.ReturnStmt) []dst.Stmt {
	if l.tail(s) {
		return []dst.Stmt{s}
	}
	var pre []dst.Stmt
	if len(s.Results) == 1 {
		if call, ok := unparen(s.Results[0]).(*dst.CallExpr); ok && l.sites[call] != nil {
			if results := l.sites[call].results(); results.Len() > 1 {
				s.Results = l.spread(call, &pre)
				return front(pre, s)
			}
		}
	}
	l.liftAll(pointers(s.Results), &pre)
	return front(pre, s)
}

// tail reports whether a return statement ends in a call whose results are
// returned as they are, with nothing evaluated after it: a helper's pending
// results are then the caller's, and no check is needed.
func (l *lowering) tail(s *dst.ReturnStmt) bool {
	for i, x := range s.Results {
		if !l.has(x) {
			continue
		}
		site := l.whole(x)
		if site == nil {
			return false
		}
		if h := site.callee; h != nil && h.handler != nil && site.fn.deferReadsResult() {
			// Another handler returns no error at an unanswered question: the
			// defer would take that for success.
			return false
		}
		for _, later := range s.Results[i+1:] {
			if l.impure(later) || l.has(later) {
				return false
			}
		}
		return true
	}
	return false
}

// unparen strips parentheses.
func unparen(x dst.Expr) dst.Expr {
	for {
		p, ok := x.(*dst.ParenExpr)
		if !ok {
			return x
		}
		x = p.X
	}
}

func pointers(list []dst.Expr) []*dst.Expr {
	out := make([]*dst.Expr, len(list))
	for i := range list {
		out[i] = &list[i]
	}
	return out
}

// callee returns the syntax of a call, or nil for one that was added.
func (l *lowering) callOf(call *dst.CallExpr) *ast.CallExpr {
	c, _ := l.doc.syntax(call).(*ast.CallExpr)
	return c
}
