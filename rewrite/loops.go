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
	// blind says that the body uses an element of which nothing is known but
	// where it stands: over a list that has changed since the last round, an
	// answer would be taken for another element's.
	blind bool
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
			out.facts, out.blind = fn.indexed(n.Body, fn.bounded(n.Cond, id), id)
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
		if value != nil && value.Name != "_" {
			if plain(info.TypeOf(value)) {
				out.element = value
			} else {
				out.facts = fn.plainUses(n.Body, value)
				out.blind = len(out.facts) == 0 && fn.mentions(n.Body, info.Defs[value])
			}
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
		out.blind = len(out.facts) == 0 && fn.mentions(n.Body, info.Defs[value])
	} else if key != nil && key.Name != "_" {
		out.facts, out.blind = fn.indexed(n.Body, []ast.Expr{n.X}, key)
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

// plainUses returns what a loop's body reads of v and is plain data: fields,
// and what the standard library's values say of themselves in text. Each is
// named once. A v that may be nil has none.
func (fn *function) plainUses(body *ast.BlockStmt, v *ast.Ident) []ast.Expr {
	return fn.plainUsesOf(body, v, func(x ast.Expr) bool {
		id, ok := x.(*ast.Ident)
		return ok && fn.pkg.TypesInfo.Uses[id] == fn.pkg.TypesInfo.Defs[v]
	})
}

func (fn *function) plainUsesOf(body *ast.BlockStmt, v ast.Expr, is func(ast.Expr) bool) []ast.Expr {
	info := fn.pkg.TypesInfo
	var out []ast.Expr
	seen := make(map[string]bool)
	mayBeNil := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			mayBeNil = mayBeNil || is(ast.Unparen(n.X)) && info.Types[n.Y].IsNil()
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && is(ast.Unparen(sel.X)) && len(n.Args) == 0 && !seen[sel.Sel.Name] && tells(info, sel.Sel) {
				seen[sel.Sel.Name] = true
				out = append(out, &ast.CallExpr{Fun: &ast.SelectorExpr{X: v, Sel: sel.Sel}})
			}
		case *ast.SelectorExpr:
			if !is(ast.Unparen(n.X)) {
				return true
			}
			if f, ok := info.Uses[n.Sel].(*types.Var); ok && f.IsField() && plain(f.Type()) && !seen[n.Sel.Name] {
				seen[n.Sel.Name] = true
				out = append(out, &ast.SelectorExpr{X: v, Sel: n.Sel})
			}
			return false
		}
		return true
	})
	if mayBeNil {
		return nil
	}
	return out
}

// tells reports whether a method of the standard library returns a text, as
// that of a directory's entry its name.
func tells(info *types.Info, method *ast.Ident) bool {
	f, ok := info.Uses[method].(*types.Func)
	if !ok || f.Pkg() == nil || !std(f.Pkg().Path()) || f.Signature().Results().Len() != 1 {
		return false
	}
	b, ok := f.Signature().Results().At(0).Type().(*types.Basic)
	return ok && b.Kind() == types.String && f.Name() != "Next"
}

// mentions reports whether a loop's body uses a variable.
func (fn *function) mentions(body *ast.BlockStmt, v types.Object) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && v != nil && fn.pkg.TypesInfo.Uses[id] == v
		return !found
	})
	return found
}

// bounded returns the lists of which the condition of a loop compares the
// length with the index: it is in range for them.
func (fn *function) bounded(cond ast.Expr, index *ast.Ident) []ast.Expr {
	cmp, ok := cond.(*ast.BinaryExpr)
	if !ok || cmp.Op != token.LSS {
		return nil
	}
	id, ok := ast.Unparen(cmp.X).(*ast.Ident)
	call, isCall := ast.Unparen(cmp.Y).(*ast.CallExpr)
	if !ok || !isCall || len(call.Args) != 1 || id.Name != index.Name {
		return nil
	}
	if f, ok := ast.Unparen(call.Fun).(*ast.Ident); !ok || f.Name != "len" {
		return nil
	}
	return call.Args
}

// indexed returns what tells of the element that a loop with an index is at:
// the element of the given lists where it is plain data, else what the body
// reads of it. blind says that the body uses an element, and nothing tells of
// any.
func (fn *function) indexed(body *ast.BlockStmt, lists []ast.Expr, index *ast.Ident) (facts []ast.Expr, blind bool) {
	info := fn.pkg.TypesInfo
	for _, list := range lists {
		if !simple(list) {
			continue
		}
		element := &ast.IndexExpr{X: list, Index: index}
		is := func(x ast.Expr) bool {
			e, ok := x.(*ast.IndexExpr)
			if !ok || types.ExprString(e.X) != types.ExprString(list) {
				return false
			}
			id, ok := ast.Unparen(e.Index).(*ast.Ident)
			return ok && info.Uses[id] == info.Defs[index]
		}
		var t types.Type
		var name *ast.Ident
		ast.Inspect(body, func(n ast.Node) bool {
			if x, ok := n.(ast.Expr); ok && is(x) {
				t = info.TypeOf(x)
			}
			if a, ok := n.(*ast.AssignStmt); ok && a.Tok == token.DEFINE && len(a.Lhs) == 1 && len(a.Rhs) == 1 && is(ast.Unparen(a.Rhs[0])) {
				name, _ = a.Lhs[0].(*ast.Ident)
			}
			return true
		})
		if t == nil {
			continue
		}
		if plain(t) {
			facts = append(facts, element)
			continue
		}
		found := fn.plainUsesOf(body, element, func(x ast.Expr) bool {
			if id, ok := x.(*ast.Ident); ok && name != nil {
				return info.Uses[id] == info.Defs[name]
			}
			return is(x)
		})
		facts = append(facts, found...)
		blind = blind || len(found) == 0
	}
	return facts, blind && len(facts) == 0
}

// simple reports whether an expression is a variable, or a field of one.
func simple(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return simple(x.X)
	}
	return false
}

// judgeLoops blocks a question in a loop that does not say which element it is
// about, where nothing else tells.
func (fn *function) judgeLoops(s *site) {
	for _, l := range fn.loopsAround(s) {
		if l.blind && !fn.showsElement(s, l) {
			fn.block(codeOrder, s.call, "the question does not say which element of the loop it is for, so that after a change of the list its answer could be taken for another one: name the element in it")
		}
	}
}

// showsElement reports whether a question, or the arguments that go to a
// helper, mention the variable of a loop.
func (fn *function) showsElement(s *site, l loop) bool {
	var sources []ast.Expr
	if s.ask != nil {
		sources = fn.sources(s.ask.Params)
	} else {
		for _, arg := range s.call.Args {
			sources = append(sources, fn.sources(arg)...)
		}
	}
	vars := make(map[types.Object]bool)
	note := func(x ast.Expr) {
		if id, ok := x.(*ast.Ident); ok {
			if v := fn.pkg.TypesInfo.Defs[id]; v != nil {
				vars[v] = true
			}
		}
	}
	switch n := l.node.(type) {
	case *ast.RangeStmt:
		note(n.Key)
		note(n.Value)
	case *ast.ForStmt:
		if a, ok := n.Init.(*ast.AssignStmt); ok {
			for _, lhs := range a.Lhs {
				note(lhs)
			}
		}
	}
	for _, x := range sources {
		shown := false
		ast.Inspect(x, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			shown = shown || ok && vars[fn.pkg.TypesInfo.Uses[id]]
			return !shown
		})
		if shown {
			return true
		}
	}
	return false
}
