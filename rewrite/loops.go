package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// A loop is one around a site, in the same function.
type loop struct {
	node ast.Stmt
	// element is what tells one iteration from another; nil where only
	// counting does.
	element ast.Expr
	// facts describe an element that is no identity itself.
	facts []ast.Expr
	// index is set when the loop needs a variable for its index.
	index *indexVar
}

// An indexVar is a variable that a range statement must gain.
type indexVar struct {
	stmt *ast.RangeStmt
	name *ast.Ident
}

// loopsAround returns the loops in which a site is evaluated each time,
// outermost first.
func (fn *function) loopsAround(s *site) []loop {
	var out []loop
	inner := ast.Node(s.call)
	for n := fn.parents[s.call]; n != nil; n = fn.parents[n] {
		switch n := n.(type) {
		case *ast.ForStmt:
			if inner != n.Init {
				out = append(out, fn.countedLoop(n))
			}
		case *ast.RangeStmt:
			if inner == n.Body {
				out = append(out, fn.rangeLoop(n))
			}
		}
		inner = n
	}
	slices.Reverse(out)
	return out
}

// countedLoop names the variable of `for i := …; …; i++`. Of any other for
// statement the run-time counts the rounds.
func (fn *function) countedLoop(n *ast.ForStmt) loop {
	out := loop{node: n}
	assign, ok := n.Init.(*ast.AssignStmt)
	if !ok || assign.Tok != token.DEFINE || n.Post == nil {
		return out
	}
	for _, lhs := range assign.Lhs {
		if id, ok := lhs.(*ast.Ident); ok && id.Name != "_" && plain(fn.pkg.TypesInfo.TypeOf(id)) && changes(n.Post, id) {
			out.element = id
			return out
		}
	}
	return out
}

func changes(post ast.Stmt, id *ast.Ident) bool {
	found := false
	ast.Inspect(post, func(n ast.Node) bool {
		if x, ok := n.(*ast.Ident); ok && x.Name == id.Name {
			found = true
		}
		return !found
	})
	return found
}

// rangeLoop names what identifies an iteration: the element where it is plain
// data, its ID where it has one, else the index together with what the body
// uses of the element.
func (fn *function) rangeLoop(n *ast.RangeStmt) loop {
	info := fn.pkg.TypesInfo
	out := loop{node: n}
	key, _ := n.Key.(*ast.Ident)
	value, _ := n.Value.(*ast.Ident)
	if n.Tok == token.ASSIGN {
		// The loop sets variables that exist already; the index may be any
		// expression.
		return out
	}
	switch info.TypeOf(n.X).Underlying().(type) {
	case *types.Basic, *types.Signature: // range over an integer, a string, a function
		if value == nil || value.Name == "_" {
			value = key
		}
		if value != nil && value.Name != "_" && plain(info.TypeOf(value)) {
			out.element = value
		}
		return out
	}
	if value != nil && value.Name != "_" {
		t := info.TypeOf(value)
		if id := identifyingField(t); id != "" {
			out.element = &ast.SelectorExpr{X: value, Sel: ast.NewIdent(id)}
			return out
		}
		if plain(t) {
			out.element = value
			return out
		}
		out.facts = fn.plainUses(n.Body, value)
	}
	if key == nil || key.Name == "_" {
		key = fn.indexName(n)
		out.index = &indexVar{stmt: n, name: key}
	}
	out.element = key
	return out
}

// identifyingField returns the field that is the identity of a struct by
// convention, or "".
func identifyingField(t types.Type) string {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return ""
	}
	for _, want := range []string{"ID", "Id", "UID", "UUID", "URI"} {
		for f := range st.Fields() {
			if b, ok := f.Type().Underlying().(*types.Basic); ok && f.Name() == want && b.Info()&(types.IsString|types.IsInteger) != 0 {
				return want
			}
		}
	}
	return ""
}

// plainUses returns the fields of v that a loop's body reads and that are plain
// data, each once.
func (fn *function) plainUses(body *ast.BlockStmt, v *ast.Ident) []ast.Expr {
	info := fn.pkg.TypesInfo
	obj := info.Defs[v]
	var out []ast.Expr
	seen := make(map[string]bool)
	ast.Inspect(body, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		id, ok := sel.X.(*ast.Ident)
		if !ok || info.Uses[id] != obj {
			return true
		}
		if f, ok := info.Uses[sel.Sel].(*types.Var); ok && f.IsField() && plain(f.Type()) && !seen[sel.Sel.Name] {
			seen[sel.Sel.Name] = true
			out = append(out, &ast.SelectorExpr{X: v, Sel: sel.Sel})
		}
		return false
	})
	return out
}
