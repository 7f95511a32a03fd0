package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/dave/dst"
)

// lift takes every site out of an expression: the call moves into a variable
// of its own in pre, followed by its check, and the expression names the
// variable. Go evaluates calls and receives from left to right, so whatever
// is evaluated before a site moves in front of it too. later says that a site
// follows in the same statement.
func (l *lowering) lift(x dst.Expr, pre *[]dst.Stmt, later bool) dst.Expr {
	if x == nil {
		return nil
	}
	if !l.has(x) {
		if later && l.impure(x) {
			return l.hold(x, pre)
		}
		return x
	}
	switch x := x.(type) {
	case *dst.CallExpr:
		return l.liftCall(x, pre, later)
	case *dst.BinaryExpr:
		if x.Op == token.LAND || x.Op == token.LOR {
			return l.liftLogical(x, pre, later)
		}
		x.X = l.lift(x.X, pre, later || l.has(x.Y))
		x.Y = l.lift(x.Y, pre, later)
	case *dst.ParenExpr:
		x.X = l.lift(x.X, pre, later)
		if _, ok := x.X.(*dst.Ident); ok {
			return x.X
		}
	case *dst.UnaryExpr:
		x.X = l.lift(x.X, pre, later)
		if x.Op == token.ARROW && later {
			return l.hold(x, pre)
		}
	case *dst.StarExpr:
		x.X = l.lift(x.X, pre, later)
	case *dst.SelectorExpr:
		x.X = l.lift(x.X, pre, later)
	case *dst.TypeAssertExpr:
		x.X = l.lift(x.X, pre, later)
	case *dst.IndexExpr:
		x.X = l.lift(x.X, pre, later || l.has(x.Index))
		x.Index = l.lift(x.Index, pre, later)
	case *dst.SliceExpr:
		l.liftSlots([]*dst.Expr{&x.X, &x.Low, &x.High, &x.Max}, pre, later)
	case *dst.KeyValueExpr:
		l.liftSlots([]*dst.Expr{&x.Key, &x.Value}, pre, later)
	case *dst.CompositeLit:
		l.liftSlots(pointers(x.Elts), pre, later)
	default:
		l.refuse(x, "the question is asked in an expression that is not known")
	}
	return x
}

// target lifts the operands of what an assignment writes to. The place itself
// must stay: a copy of it would take the value instead.
func (l *lowering) target(x dst.Expr, pre *[]dst.Stmt) dst.Expr {
	operand := func(x *dst.Expr) {
		if l.has(*x) || l.impure(*x) {
			*x = l.lift(*x, pre, true)
		}
	}
	switch x := x.(type) {
	case *dst.ParenExpr:
		x.X = l.target(x.X, pre)
	case *dst.IndexExpr:
		if _, array := l.typeUnder(x.X).(*types.Array); array {
			x.X = l.target(x.X, pre)
		} else {
			operand(&x.X)
		}
		operand(&x.Index)
	case *dst.StarExpr:
		operand(&x.X)
	case *dst.SelectorExpr:
		if _, pointer := l.typeUnder(x.X).(*types.Pointer); pointer {
			operand(&x.X)
		} else {
			x.X = l.target(x.X, pre)
		}
	}
	return x
}

func (l *lowering) typeUnder(x dst.Expr) types.Type {
	if t := l.typeOf(x); t != nil {
		return t.Underlying()
	}
	return nil
}

// liftAll lifts a list of expressions that are evaluated in order.
func (l *lowering) liftAll(list []*dst.Expr, pre *[]dst.Stmt) { l.liftSlots(list, pre, false) }

func (l *lowering) liftSlots(list []*dst.Expr, pre *[]dst.Stmt, later bool) {
	for i, slot := range list {
		if *slot == nil {
			continue
		}
		more := later || slices.ContainsFunc(list[i+1:], func(s *dst.Expr) bool { return *s != nil && l.has(*s) })
		*slot = l.lift(*slot, pre, more)
	}
}

func (l *lowering) liftCall(x *dst.CallExpr, pre *[]dst.Stmt, later bool) dst.Expr {
	argsAsk := slices.ContainsFunc(x.Args, func(a dst.Expr) bool { return l.has(a) })
	switch fun := x.Fun.(type) {
	case *dst.SelectorExpr:
		fun.X = l.lift(fun.X, pre, later || argsAsk)
	case *dst.Ident, *dst.FuncLit, *dst.IndexExpr, *dst.IndexListExpr:
	default:
		x.Fun = l.lift(x.Fun, pre, later || argsAsk)
	}
	if len(x.Args) == 1 {
		if inner, ok := unparen(x.Args[0]).(*dst.CallExpr); ok && l.sites[inner] != nil && l.sites[inner].results().Len() > 1 {
			x.Args = l.spread(inner, pre)
			argsAsk = false
		}
	}
	if argsAsk {
		l.liftSlots(pointers(x.Args), pre, false)
	}
	if site := l.sites[x]; site != nil {
		if site.results().Len() != 1 {
			l.refuse(x, "the results of the question are used where they cannot be checked")
			return x
		}
		name := l.names.fresh(site.variable())
		l.emit(pre, define(x, name), site)
		return dst.NewIdent(name)
	}
	if later {
		return l.hold(x, pre)
	}
	return x
}

// spread lifts a site with several results that are passed on as a list.
func (l *lowering) spread(call *dst.CallExpr, pre *[]dst.Stmt) []dst.Expr {
	site := l.sites[call]
	if l.whole(call) == nil {
		l.refuse(call, "a question is asked in the arguments of another one")
		return []dst.Expr{call}
	}
	var names []string
	for v := range site.results().Variables() {
		names = append(names, l.names.fresh(resultName(v)))
	}
	l.emit(pre, define(call, names...), site)
	out := make([]dst.Expr, len(names))
	for i, n := range names {
		out[i] = dst.NewIdent(n)
	}
	return out
}

// emit appends a statement that holds a site, with its check.
func (l *lowering) emit(pre *[]dst.Stmt, s dst.Stmt, site *site) {
	*pre = append(*pre, l.checked(s, site)...)
}

// hold moves an expression that has effects, or that an effect may change,
// into a variable.
func (l *lowering) hold(x dst.Expr, pre *[]dst.Stmt) dst.Expr {
	t := l.typeOf(x)
	if t == nil {
		l.refuse(x, "a call with several results is evaluated before the question in the same statement")
		return x
	}
	if tuple, ok := t.(*types.Tuple); ok && tuple.Len() != 1 {
		l.refuse(x, "a call with several results is evaluated before the question in the same statement")
		return x
	}
	name := l.names.fresh(typeName(t))
	*pre = append(*pre, define(x, name))
	return dst.NewIdent(name)
}

// liftLogical keeps && and || short-circuit.
func (l *lowering) liftLogical(x *dst.BinaryExpr, pre *[]dst.Stmt, later bool) dst.Expr {
	x.X = l.lift(x.X, pre, later && !l.has(x.Y))
	if !l.has(x.Y) {
		if later {
			return l.hold(x, pre)
		}
		return x
	}
	name := l.names.fresh("ok")
	x.X.Decorations().End = append(x.X.Decorations().End, x.Decs.X...)
	x.Y.Decorations().Start = append(append(dst.Decorations{}, x.Decs.Op...), x.Y.Decorations().Start...)
	*pre = append(*pre, define(x.X, name))
	var inner []dst.Stmt
	y := l.lift(x.Y, &inner, false)
	// The variable of a lone question is the result: name it directly.
	if id, ok := y.(*dst.Ident); ok && len(inner) > 0 {
		if a, ok := inner[0].(*dst.AssignStmt); ok && a.Tok == token.DEFINE && len(a.Lhs) == 1 && a.Lhs[0].(*dst.Ident).Name == id.Name {
			a.Tok = token.ASSIGN
			a.Lhs[0] = dst.NewIdent(name)
			l.names.release(id.Name)
			y = nil
		}
	}
	if y != nil {
		inner = append(inner, &dst.AssignStmt{Lhs: []dst.Expr{dst.NewIdent(name)}, Tok: token.ASSIGN, Rhs: []dst.Expr{y}})
	}
	var cond dst.Expr = dst.NewIdent(name)
	if x.Op == token.LOR {
		cond = negate(cond)
	}
	*pre = append(*pre, &dst.IfStmt{Cond: cond, Body: &dst.BlockStmt{List: chain(inner)}})
	return dst.NewIdent(name)
}

// impure reports whether evaluating x runs code of somebody else, or receives.
func (l *lowering) impure(x dst.Expr) bool {
	found := false
	dst.Inspect(x, func(n dst.Node) bool {
		switch n := n.(type) {
		case *dst.FuncLit:
			return false
		case *dst.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *dst.CallExpr:
			found = found || !l.harmless(n)
		}
		return !found
	})
	return found
}

// harmless reports whether a call is a conversion, or a built-in without an
// effect.
func (l *lowering) harmless(call *dst.CallExpr) bool {
	c := l.callOf(call)
	if c == nil {
		return false
	}
	tv := l.info.Types[ast.Unparen(c.Fun)]
	if tv.IsType() {
		return true
	}
	if !tv.IsBuiltin() {
		return false
	}
	id, ok := ast.Unparen(c.Fun).(*ast.Ident)
	return ok && slices.Contains([]string{"len", "cap", "min", "max", "complex", "real", "imag", "make", "new"}, id.Name)
}

func (l *lowering) typeOf(x dst.Expr) types.Type {
	if e, ok := l.doc.syntax(x).(ast.Expr); ok {
		return l.info.TypeOf(e)
	}
	return nil
}

// define returns `names := x`.
func define(x dst.Expr, names ...string) *dst.AssignStmt {
	lhs := make([]dst.Expr, len(names))
	for i, n := range names {
		lhs[i] = dst.NewIdent(n)
	}
	x.Decorations().Before, x.Decorations().After = dst.None, dst.None
	return &dst.AssignStmt{Lhs: lhs, Tok: token.DEFINE, Rhs: []dst.Expr{x}}
}

// chain puts each of the statements on a line of its own; the last keeps the
// space that followed the first. Comments that stand on lines of their own
// behind the first go behind the last.
func chain(list []dst.Stmt) []dst.Stmt {
	if len(list) < 2 {
		return list
	}
	first, last := list[0].Decorations(), list[len(list)-1].Decorations()
	after := first.After
	first.After = dst.NewLine
	for _, s := range list[1:] {
		d := s.Decorations()
		if d.Before == dst.None {
			d.Before = dst.NewLine
		}
		if d.After == dst.None {
			d.After = dst.NewLine
		}
	}
	if after > last.After {
		last.After = after
	}
	if i := slices.Index(first.End, "\n"); i >= 0 {
		last.End = append(last.End, first.End[i:]...)
		first.End = first.End[:i:i]
	}
	return list
}

// front puts statements in front of s, below the comment and the blank line
// that lead s.
func front(pre []dst.Stmt, s dst.Stmt) []dst.Stmt {
	if len(pre) == 0 {
		return []dst.Stmt{s}
	}
	d := s.Decorations()
	first := pre[0].Decorations()
	first.Start = append(append(dst.Decorations{}, d.Start...), first.Start...)
	first.Before = d.Before
	d.Start, d.Before = nil, dst.NewLine
	for _, p := range pre {
		pd := p.Decorations()
		if pd.Before == dst.None {
			pd.Before = dst.NewLine
		}
		if pd.After == dst.None {
			pd.After = dst.NewLine
		}
	}
	return append(pre, s)
}
