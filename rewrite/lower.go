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
		l.liftAll(append(pointers(s.Lhs), pointers(s.Rhs)...), &pre)
	case *dst.SendStmt:
		l.liftAll([]*dst.Expr{&s.Chan, &s.Value}, &pre)
	case *dst.IncDecStmt:
		s.X = l.lift(s.X, &pre, false)
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

func (l *lowering) ifStmt(s *dst.IfStmt) []dst.Stmt {
	l.body(s.Body)
	if s.Else != nil && l.has(s.Else) {
		s.Else = l.elseBranch(s.Else)
	}
	inInit, inCond := s.Init != nil && l.has(s.Init), l.has(s.Cond)
	switch {
	case !inInit && !inCond:
		return []dst.Stmt{s}
	case inInit && !inCond && l.direct(s.Init) != nil:
		return []dst.Stmt{l.header(s, l.direct(s.Init))}
	case s.Init == nil:
		return l.condition(s)
	default:
		return l.splitInit(s, &s.Init, func() []dst.Stmt { return l.condition(s) })
	}
}

// header turns `if init; cond {` into `if init; pending { leave } else if
// cond {`: what the header declares keeps its scope.
func (l *lowering) header(s *dst.IfStmt, site *site) *dst.IfStmt {
	outer := &dst.IfStmt{
		Init: s.Init,
		Cond: l.exits.pending(site),
		Body: &dst.BlockStmt{List: []dst.Stmt{l.exits.leave(site)}},
		Else: s,
	}
	outer.Decs = s.Decs
	outer.Decs.Cond = nil
	outer.Decs.Else = nil
	s.Init = nil
	s.Decs.NodeDecs = dst.NodeDecs{}
	s.Decs.If = nil
	s.Decs.Init = nil
	if guard := l.exits.after(site); len(guard) > 0 {
		// The guard's own condition becomes a branch between the two.
		for _, g := range guard {
			if g, ok := g.(*dst.IfStmt); ok && g.Else == nil {
				g.Else = outer.Else
				outer.Else = g
				comment := g.Decs.Start
				g.Decs.NodeDecs = dst.NodeDecs{}
				if len(g.Body.List) > 0 {
					d := g.Body.List[0].Decorations()
					d.Before = dst.NewLine
					d.Start = append(comment, d.Start...)
				}
			}
		}
	}
	return outer
}

// condition lowers an if statement without Init whose condition asks.
func (l *lowering) condition(s *dst.IfStmt) []dst.Stmt {
	if !l.has(s.Cond) {
		return []dst.Stmt{s}
	}
	var pre []dst.Stmt
	// `if a && ask() {` without else is `if a { if ask() {`: it reads better
	// than a variable for the left side.
	if and, ok := unparen(s.Cond).(*dst.BinaryExpr); ok && and.Op == token.LAND && s.Else == nil &&
		!l.has(and.X) && l.has(and.Y) {
		inner := &dst.IfStmt{Cond: and.Y, Body: s.Body}
		s.Cond = and.X
		inner.Decs.Before, inner.Decs.After = dst.NewLine, dst.NewLine
		s.Body = &dst.BlockStmt{List: l.condition(inner)}
		return []dst.Stmt{s}
	}
	s.Cond = l.lift(s.Cond, &pre, false)
	return front(pre, s)
}

// elseBranch lowers what follows else.
func (l *lowering) elseBranch(s dst.Stmt) dst.Stmt {
	switch s := s.(type) {
	case *dst.BlockStmt:
		l.body(s)
		return s
	case *dst.IfStmt:
		l.nameCondition(s)
		list := l.ifStmt(s)
		if len(list) == 1 {
			return list[0]
		}
		for _, inner := range list {
			if inner.Decorations().Before == dst.None {
				inner.Decorations().Before = dst.NewLine
			}
		}
		return &dst.BlockStmt{List: list}
	}
	return s
}

// nameCondition turns `else if ask() {` into `else if ok := ask(); ok {`, which
// has a place for the check without a block of its own.
func (l *lowering) nameCondition(s *dst.IfStmt) {
	x := unparen(s.Cond)
	not, negated := x.(*dst.UnaryExpr)
	if negated && not.Op == token.NOT {
		x = unparen(not.X)
	}
	site := l.whole(x)
	if s.Init != nil || site == nil || site.results().Len() != 1 {
		return
	}
	name := l.names.fresh(resultName(site.results().At(0)))
	s.Init = define(x, name)
	s.Cond = dst.NewIdent(name)
	if negated {
		s.Cond = negate(s.Cond)
	}
}

// splitInit moves the Init of a statement in front of it. What it declares
// must not become visible to the statements that follow: where one of the
// names is used outside, both go into a block of their own.
func (l *lowering) splitInit(s dst.Stmt, init *dst.Stmt, rest func() []dst.Stmt) []dst.Stmt {
	moved := *init
	wrap := false
	if assign, ok := moved.(*dst.AssignStmt); ok && assign.Tok == token.DEFINE {
		for _, lhs := range assign.Lhs {
			if id, ok := lhs.(*dst.Ident); ok && id.Name != "_" && l.occurrences(id.Name, s) > 0 {
				wrap = true
			}
		}
	}
	*init = nil
	var out []dst.Stmt
	if l.has(moved) {
		out = l.stmt(moved)
	} else {
		out = []dst.Stmt{moved}
	}
	decs := s.Decorations()
	out[0].Decorations().Start = append(decs.Start, out[0].Decorations().Start...)
	out[0].Decorations().Before = decs.Before
	after := decs.After
	decs.Start, decs.Before = nil, dst.NewLine
	out = chain(append(out, rest()...))
	out[len(out)-1].Decorations().After = after
	if !wrap {
		return out
	}
	block := &dst.BlockStmt{List: out}
	block.Decs.Before, block.Decs.After = out[0].Decorations().Before, after
	out[0].Decorations().Before = dst.NewLine
	out[len(out)-1].Decorations().After = dst.NewLine
	return []dst.Stmt{block}
}

func (l *lowering) switchStmt(s *dst.SwitchStmt) []dst.Stmt {
	for _, c := range s.Body.List {
		clause := c.(*dst.CaseClause)
		for _, x := range clause.List {
			if l.has(x) {
				l.refuse(x, "the question is asked in a case expression")
			}
		}
		clause.Body = l.list(clause.Body)
	}
	inInit, inTag := s.Init != nil && l.has(s.Init), s.Tag != nil && l.has(s.Tag)
	rest := func() []dst.Stmt {
		if !inTag {
			return []dst.Stmt{s}
		}
		var pre []dst.Stmt
		s.Tag = l.lift(s.Tag, &pre, false)
		return front(pre, s)
	}
	switch {
	case !inInit && !inTag:
		return []dst.Stmt{s}
	case inInit && s.Tag == nil && l.direct(s.Init) != nil && len(s.Body.List) > 0 && len(l.exits.after(l.direct(s.Init))) == 0:
		// The cases of a tagless switch are tried in order.
		site := l.direct(s.Init)
		first := &dst.CaseClause{List: []dst.Expr{l.exits.pending(site)}, Body: []dst.Stmt{l.exits.leave(site)}}
		first.Decs.Before, first.Decs.After = dst.NewLine, dst.NewLine
		s.Body.List = append([]dst.Stmt{first}, s.Body.List...)
		return []dst.Stmt{s}
	case s.Init == nil:
		return rest()
	default:
		return l.splitInit(s, &s.Init, rest)
	}
}

func (l *lowering) typeSwitch(s *dst.TypeSwitchStmt) []dst.Stmt {
	for _, c := range s.Body.List {
		clause := c.(*dst.CaseClause)
		clause.Body = l.list(clause.Body)
	}
	rest := func() []dst.Stmt {
		var pre []dst.Stmt
		switch a := s.Assign.(type) {
		case *dst.ExprStmt:
			assert := a.X.(*dst.TypeAssertExpr)
			assert.X = l.lift(assert.X, &pre, false)
		case *dst.AssignStmt:
			assert := a.Rhs[0].(*dst.TypeAssertExpr)
			assert.X = l.lift(assert.X, &pre, false)
		}
		return front(pre, s)
	}
	if s.Init != nil && (l.has(s.Init) || l.has(s.Assign)) {
		return l.splitInit(s, &s.Init, rest)
	}
	return rest()
}

func (l *lowering) forStmt(s *dst.ForStmt) []dst.Stmt {
	l.body(s.Body)
	if s.Post != nil && l.has(s.Post) {
		l.refuse(s.Post, "the question is asked in the post statement of a loop")
	}
	if s.Cond != nil && l.has(s.Cond) {
		// for ask() { … } is for { if !ask() { break } … }.
		var pre []dst.Stmt
		cond := l.lift(s.Cond, &pre, false)
		stop := &dst.IfStmt{
			Cond: negate(cond),
			Body: &dst.BlockStmt{List: []dst.Stmt{&dst.BranchStmt{Tok: token.BREAK}}},
		}
		head := chain(append(pre, stop))
		head[0].Decorations().Before = dst.NewLine
		s.Cond = nil
		s.Body.List = append(head, s.Body.List...)
	}
	if s.Init != nil && l.has(s.Init) {
		return l.splitInit(s, &s.Init, func() []dst.Stmt { return []dst.Stmt{s} })
	}
	return []dst.Stmt{s}
}

func (l *lowering) labeled(s *dst.LabeledStmt) []dst.Stmt {
	inner := l.stmt(s.Stmt)
	last := inner[len(inner)-1]
	if len(inner) == 1 {
		s.Stmt = last
		return []dst.Stmt{s}
	}
	if l.gotos[s.Label.Name] {
		l.refuse(s, "the question is asked in a statement that a goto jumps to")
		return []dst.Stmt{s}
	}
	if last != s.Stmt {
		l.refuse(s, "the question is asked in a labelled statement")
		return []dst.Stmt{s}
	}
	// What was put in front must not stand between the label and its loop.
	return front(inner[:len(inner)-1], s)
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

func negate(x dst.Expr) dst.Expr {
	if not, ok := x.(*dst.UnaryExpr); ok && not.Op == token.NOT {
		return not.X
	}
	switch x.(type) {
	case *dst.BinaryExpr:
		x = &dst.ParenExpr{X: x}
	}
	return &dst.UnaryExpr{Op: token.NOT, X: x}
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
