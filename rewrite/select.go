package rewrite

import (
	"go/ast"
	"go/types"
)

// A selection is what will be edited: whole handlers with every function that
// they need, or not at all.
type selection struct {
	handlers []*function           // rewritten
	edited   map[*function]bool    // handlers and helpers
	refused  map[*function]*Reason // handlers that stay, with the first reason
}

// choose decides which handlers are rewritten. excluded are handlers that an
// earlier attempt could not verify.
func (p *program) choose(excluded map[*function]*Reason) *selection {
	blocked := make(map[*function]*Reason)
	for _, fn := range p.functions {
		if len(fn.blocked) > 0 {
			blocked[fn] = fn.blocked[0]
		}
	}
	for {
		sel := &selection{edited: make(map[*function]bool), refused: make(map[*function]*Reason)}
		for _, h := range p.entries() {
			tree := p.tree(h)
			reason := excluded[h]
			for _, fn := range tree {
				if reason == nil {
					reason = blocked[fn]
				}
			}
			if reason != nil {
				sel.refused[h] = reason
				continue
			}
			if !p.wanted(tree) {
				continue
			}
			sel.handlers = append(sel.handlers, h)
			for _, fn := range tree {
				sel.edited[fn] = true
			}
		}
		again := false
		for fn := range sel.edited {
			for _, caller := range fn.callers {
				if sel.edited[caller.fn] || caller.failsClosed() {
					continue
				}
				blocked[fn] = &Reason{
					Code:     caller.code(),
					Position: p.position(caller.call.Pos()),
					Message:  "it is also called by " + caller.fn.name() + ", which cannot be rewritten and would take an unanswered question for an answer",
					pos:      caller.call.Pos(), path: caller.fn.path, fn: caller.fn,
				}
				again = true
			}
		}
		if !again {
			return sel
		}
	}
}

// wanted reports whether one of the functions stands in a package that the
// patterns name.
func (p *program) wanted(tree []*function) bool {
	for _, fn := range tree {
		if p.asked[fn.pkg.PkgPath] {
			return true
		}
	}
	return false
}

// failsClosed reports whether a caller that is not edited, and so has no
// pending check, still stops when the callee returns zero values and
// ErrInputRequired: it looks at the error and returns. (On an older peer
// nothing is ever pending. On a modern one the middleware answers for the
// request whatever is returned; this is about what runs before that.)
func (s *site) failsClosed() bool {
	results := s.results()
	n := results.Len()
	if n == 0 || !isError(results.At(n-1).Type()) {
		return false
	}
	fn := s.fn
	info := fn.pkg.TypesInfo
	switch parent := fn.parents[s.call].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.AssignStmt:
		id, ok := parent.Lhs[len(parent.Lhs)-1].(*ast.Ident)
		if !ok || len(parent.Rhs) != 1 {
			return false
		}
		obj := info.ObjectOf(id)
		if obj == nil {
			return false
		}
		guard, ok := next(fn, parent).(*ast.IfStmt)
		return ok && isNotNil(info, guard.Cond, obj) && fn.refuses(guard.Body)
	}
	return false
}

// next returns the if statement whose Init s is, or the statement that follows
// s in its list.
func next(fn *function, s ast.Stmt) ast.Stmt {
	switch parent := fn.parents[s].(type) {
	case *ast.IfStmt:
		if parent.Init == s {
			return parent
		}
	case *ast.BlockStmt:
		return following(parent.List, s)
	case *ast.CaseClause:
		return following(parent.Body, s)
	case *ast.CommClause:
		return following(parent.Body, s)
	}
	return nil
}

func following(list []ast.Stmt, s ast.Stmt) ast.Stmt {
	for i, x := range list {
		if x == s && i+1 < len(list) {
			return list[i+1]
		}
	}
	return nil
}

// isNotNil reports whether cond is `obj != nil`.
func isNotNil(info *types.Info, cond ast.Expr, obj types.Object) bool {
	cmp, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	if !ok || cmp.Op.String() != "!=" {
		return false
	}
	id, ok := ast.Unparen(cmp.X).(*ast.Ident)
	return ok && info.Uses[id] == obj && info.Types[cmp.Y].IsNil()
}

// refuses reports whether a block does nothing but log and return.
func (fn *function) refuses(b *ast.BlockStmt) bool {
	if len(b.List) == 0 {
		return false
	}
	last := len(b.List) - 1
	_, ok := b.List[last].(*ast.ReturnStmt)
	return ok && fn.falls(&ast.BlockStmt{List: b.List[:last]})
}
