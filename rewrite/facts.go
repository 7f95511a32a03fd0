package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// sources returns an expression and everything that the values of the local
// variables in it are made from, in fn.
func (fn *function) sources(x ast.Expr) []ast.Expr {
	if x == nil {
		return nil
	}
	info := fn.pkg.TypesInfo
	out := []ast.Expr{x}
	seen := make(map[types.Object]bool)
	for i := 0; i < len(out); i++ {
		ast.Inspect(out[i], func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			v, ok := info.Uses[id].(*types.Var)
			if !ok || v.IsField() || seen[v] || !fn.contains(v.Pos()) || isContext(v.Type()) {
				return true
			}
			seen[v] = true
			out = append(out, fn.assigned(v)...)
			return true
		})
	}
	return out
}

// shows reports whether a question that is made from the given sources shows
// the whole value of v: a plain value that is mentioned is part of the text. A
// struct of which a field is mentioned is not shown whole.
func (fn *function) shows(sources []ast.Expr, v *types.Var) bool {
	whole := false
	for _, x := range sources {
		ast.Inspect(x, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if id, ok := ast.Unparen(n.X).(*ast.Ident); ok && fn.pkg.TypesInfo.Uses[id] == v {
					return false
				}
			case *ast.CallExpr:
				// len(x) and the like do not show x.
				if fn.pkg.TypesInfo.Types[ast.Unparen(n.Fun)].IsBuiltin() {
					return false
				}
			case *ast.Ident:
				whole = whole || fn.pkg.TypesInfo.Uses[n] == v
			}
			return !whole
		})
	}
	return whole
}

// helperFacts returns the parameters of a helper that decide what an answer is
// for and that the question does not show. A handler's own input needs none:
// the digest of the request covers it.
func (fn *function) helperFacts(s *site) []ast.Expr {
	return fn.parametersBeside(s.call, fn.sources(s.ask.Params))
}

// unseen returns the parameters of a helper that a call of another asking
// function does not pass on, not even as part of something: the question that
// is asked there cannot show them.
func (fn *function) unseen(s *site) []ast.Expr {
	if s.ask != nil {
		return nil
	}
	var sources []ast.Expr
	for _, arg := range s.call.Args {
		sources = append(sources, fn.sources(arg)...)
	}
	return fn.parametersBeside(s.call, sources)
}

// parametersBeside returns the plain parameters of a helper that the sources
// do not show.
func (fn *function) parametersBeside(call *ast.CallExpr, sources []ast.Expr) []ast.Expr {
	if fn.handler != nil || fn.isLiteral() {
		return nil
	}
	var out []ast.Expr
	for _, field := range fn.typ.Params.List {
		for _, name := range field.Names {
			v, ok := fn.pkg.TypesInfo.Defs[name].(*types.Var)
			if !ok || name.Name == "_" || !plain(v.Type()) || fn.shows(sources, v) || fn.hidden(v, call) || fn.given(v) {
				continue
			}
			out = append(out, name)
		}
	}
	return out
}

// given reports whether every call of fn passes a value for its parameter v
// that the request or the call path decides: a constant, or a part of the
// request that its digest covers.
func (fn *function) given(v *types.Var) bool {
	return fn.givenVia(v, make(map[*types.Var]bool))
}

func (fn *function) givenVia(v *types.Var, seen map[*types.Var]bool) bool {
	if seen[v] {
		return true // decided by the calls from outside of the recursion
	}
	seen[v] = true
	index := -1
	for i := range fn.sig.Params().Len() {
		if fn.sig.Params().At(i) == v {
			index = i
		}
	}
	if index < 0 || fn.sig.Variadic() || len(fn.callers) == 0 || fn.written(v) {
		return false
	}
	for _, s := range fn.callers {
		if index >= len(s.call.Args) || !s.fn.fromRequest(s.call.Args[index], seen) {
			return false
		}
	}
	return true
}

// digested are the fields of a request's parameters that its digest covers.
var digested = []string{"Arguments", "Name", "URI"}

// fromRequest reports whether an expression in fn is a constant, or a part of
// the request as the client has sent it, also handed on through parameters.
func (fn *function) fromRequest(x ast.Expr, seen map[*types.Var]bool) bool {
	info := fn.pkg.TypesInfo
	if info.Types[x].Value != nil {
		return true
	}
	var path []string
	for {
		sel, ok := ast.Unparen(x).(*ast.SelectorExpr)
		if !ok {
			break
		}
		path = append(path, sel.Sel.Name)
		x = sel.X
	}
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := info.Uses[id].(*types.Var)
	if !ok || !isParameter(info, fn.typ, v) || fn.written(v) {
		return false
	}
	slices.Reverse(path)
	if fn.handler == nil {
		return fn.givenVia(v, seen)
	}
	if fn.handler.Typed && v == fn.sig.Params().At(fn.sig.Params().Len()-1) {
		return true
	}
	return len(path) >= 2 && path[0] == "Params" && slices.Contains(digested, path[1])
}

// written reports whether fn assigns to a variable, a part of it, or takes its
// address.
func (fn *function) written(v *types.Var) bool {
	info := fn.pkg.TypesInfo
	found := false
	root := func(x ast.Expr) bool {
		for {
			switch e := ast.Unparen(x).(type) {
			case *ast.SelectorExpr:
				x = e.X
				continue
			case *ast.IndexExpr:
				x = e.X
				continue
			case *ast.StarExpr:
				x = e.X
				continue
			case *ast.Ident:
				return info.Uses[e] == v
			}
			return false
		}
	}
	ast.Inspect(fn.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, lhs := range n.Lhs {
				found = found || root(lhs)
			}
		case *ast.IncDecStmt:
			found = found || root(n.X)
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && root(n.X)
		}
		return !found
	})
	return found
}

// hidden reports whether another declaration of the same name is in scope at
// the call.
func (fn *function) hidden(v *types.Var, call *ast.CallExpr) bool {
	obj := fn.lookup(v.Name(), call)
	return obj != nil && obj != v
}

// plain reports whether values of type t are data through and through: JSON
// shows all of them, and two that are equal have the same JSON.
func plain(t types.Type) bool { return plainVia(t, nil) }

func plainVia(t types.Type, seen []types.Type) bool {
	if slices.ContainsFunc(seen, func(s types.Type) bool { return types.Identical(s, t) }) {
		return false // recursive data may have no end
	}
	seen = append(seen, t)
	if named, ok := types.Unalias(t).(*types.Named); ok && marshals(named) {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsBoolean|types.IsInteger|types.IsFloat|types.IsString) != 0
	case *types.Pointer:
		return plainVia(u.Elem(), seen)
	case *types.Slice:
		return plainVia(u.Elem(), seen)
	case *types.Array:
		return plainVia(u.Elem(), seen)
	case *types.Map:
		return isStringOrInteger(u.Key()) && plainVia(u.Elem(), seen)
	case *types.Struct:
		for i := range u.NumFields() {
			if !u.Field(i).Exported() || u.Field(i).Embedded() || tagHides(u.Tag(i)) || !plainVia(u.Field(i).Type(), seen) {
				return false
			}
		}
		return u.NumFields() > 0
	}
	return false
}

func isStringOrInteger(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsString|types.IsInteger) != 0
}

// marshals reports whether a type of the standard library says itself how it
// looks in JSON and comes back from it, as time.Time does. Other types' own
// methods may drop what matters.
func marshals(named *types.Named) bool {
	obj := named.Obj()
	if obj.Pkg() == nil {
		return false
	}
	switch obj.Pkg().Path() + "." + obj.Name() {
	case "time.Time", "math/big.Int", "net/netip.Addr", "encoding/json.Number", "encoding/json.RawMessage":
		return true
	}
	return false
}

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
