package rewrite

import (
	"go/token"

	"github.com/dave/dst"
)

// This file lowers the statements that have a header or a body of their own.

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
		inner.Decs.Cond, s.Decs.Cond = s.Decs.Cond, nil
		inner.Decs.If = append(inner.Decs.If, and.Decs.Op...)
		s.Decs.If = append(s.Decs.If, and.Decs.Start...)
		s.Decs.Cond = append(s.Decs.Cond, and.Decs.X...)
		inner.Decs.Cond = append(append(dst.Decorations{}, and.Decs.End...), inner.Decs.Cond...)
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
	before := s.Stmt
	inner := l.stmt(s.Stmt)
	last := inner[len(inner)-1]
	if len(inner) == 1 {
		s.Stmt = last
		return []dst.Stmt{s}
	}
	if inner[0] == before {
		// The check comes behind the statement, whoever jumps to it.
		return append([]dst.Stmt{s}, inner[1:]...)
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
