package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/dave/dst"
)

// A memo is an effect before an ask that is recorded, so that it runs once and
// not in every round.
type memo struct {
	fn   *function
	call *ast.CallExpr
	key  string
	ctx  ast.Expr // what the call itself takes as its context, nil for none
	// value is the type of the recorded result, nil for none.
	value types.Type
	// fails says that the call's last result is an error.
	fails bool
	// check is set where the memo's own error has nowhere to go: a pending
	// check follows instead.
	check    *site
	identity []ast.Expr
	index    []*indexVar
}

// identify gives a memo in a loop the identity of the iteration. It needs the
// index even where the element is plain: an element may come twice, and a key
// must not. And it needs the element: over a list that has changed since the
// last round, the record of one would be taken for that of another.
func (fn *function) identify(m *memo) string {
	for n := fn.parents[ast.Node(m.call)]; n != nil; n = fn.parents[n] {
		switch n := n.(type) {
		case *ast.RangeStmt:
			if !within1(n.Body, m.call) {
				continue
			}
			key, ok := n.Key.(*ast.Ident)
			if n.Tok == token.ASSIGN {
				return "its loop sets variables from outside"
			}
			if !ok || key.Name == "_" {
				if _, function := fn.pkg.TypesInfo.TypeOf(n.X).Underlying().(*types.Signature); function {
					return "nothing counts the rounds of its loop"
				}
				key = fn.indexName(n)
				m.index = append(m.index, &indexVar{stmt: n, name: key})
			}
			identity := []ast.Expr{key}
			l := fn.rangeLoop(n)
			for _, x := range append([]ast.Expr{l.element}, l.facts...) {
				if x != nil && types.ExprString(x) != key.Name {
					identity = append(identity, x)
				}
			}
			m.identity = append(identity, m.identity...)
		case *ast.ForStmt:
			l := fn.countedLoop(n)
			if l.element == nil {
				return "nothing counts the rounds of its loop"
			}
			m.identity = append(append([]ast.Expr{l.element}, l.facts...), m.identity...)
		}
	}
	return ""
}

// memo plans the record of one call, or says why it cannot be recorded.
func (fn *function) memo(call *ast.CallExpr) (*memo, string) {
	info := fn.pkg.TypesInfo
	ctx := fn.parameterContext()
	if ctx == nil {
		return nil, "no context is at hand to record it with"
	}
	sig, ok := info.TypeOf(call.Fun).Underlying().(*types.Signature)
	if !ok {
		return nil, "it is no function call"
	}
	m := &memo{fn: fn, call: call, ctx: contextArgument(info, call)}
	results := sig.Results()
	n := results.Len()
	if n > 0 && isError(results.At(n-1).Type()) {
		m.fails = true
		n--
	}
	switch n {
	case 0:
	case 1:
		m.value = results.At(0).Type()
		if !stable(m.value) {
			return nil, fmt.Sprintf("its result (%s) does not survive being recorded", types.TypeString(m.value, types.RelativeTo(fn.pkg.Types)))
		}
		if !fn.canName(m.value) {
			return nil, fmt.Sprintf("this file does not import the package of its result (%s)", types.TypeString(m.value, nil))
		}
	default:
		return nil, "it has several results"
	}
	if m.ctx != nil {
		if _, ok := ast.Unparen(m.ctx).(*ast.Ident); !ok {
			return nil, "its context is made in the call"
		}
	}
	switch parent := fn.parents[call].(type) {
	case *ast.ExprStmt:
	case *ast.AssignStmt:
		if len(parent.Rhs) != 1 {
			return nil, "it stands among other values"
		}
		if m.value == nil && !m.fails {
			return nil, "it has no result"
		}
		if err := fn.errorUse(parent, m); err != "" {
			return nil, err
		}
	case *ast.ReturnStmt:
		if !m.fails {
			return nil, "it is returned at once"
		}
		for _, x := range parent.Results {
			if x != ast.Expr(call) && hasCall(x) {
				return nil, "it is returned together with another call"
			}
		}
	default:
		return nil, "it stands inside another expression"
	}
	if !m.fails {
		m.check = &site{fn: fn, call: call, ctx: ctx}
	}
	return m, ""
}

// errorUse says why the error of an effect cannot be recorded: its text
// survives, what errors.Is and errors.As look at does not.
func (fn *function) errorUse(assign *ast.AssignStmt, m *memo) string {
	if !m.fails {
		return ""
	}
	id, ok := assign.Lhs[len(assign.Lhs)-1].(*ast.Ident)
	if !ok || id.Name == "_" {
		return ""
	}
	info := fn.pkg.TypesInfo
	obj := info.ObjectOf(id)
	bad := ""
	ast.Inspect(fn.body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || call.Pos() < assign.End() || len(call.Args) == 0 {
			return true
		}
		arg, ok := ast.Unparen(call.Args[0]).(*ast.Ident)
		if !ok || info.Uses[arg] != obj {
			return true
		}
		if sel, ok := call.Fun.(*ast.SelectorExpr); ok {
			if f, ok := info.Uses[sel.Sel].(*types.Func); ok && f.Pkg() != nil && f.Pkg().Path() == "errors" && (f.Name() == "Is" || f.Name() == "As" || f.Name() == "AsType") {
				bad = "its error is compared, which a recorded error does not survive"
			}
		}
		return true
	})
	return bad
}

// stable reports whether a value of type t is the same after JSON: plain data,
// without what JSON drops (omitzero and omitempty drop only zero values).
func stable(t types.Type) bool {
	return plain(t)
}

// tagHides reports whether a struct tag keeps a field out of its JSON, or
// turns it into another value.
func tagHides(tag string) bool {
	value := structTag(tag, "json")
	name, options, _ := strings.Cut(value, ",")
	return name == "-" && options == "" || slices.Contains(strings.Split(options, ","), "string")
}

func structTag(tag, key string) string {
	for part := range strings.FieldsSeq(tag) {
		if rest, ok := strings.CutPrefix(part, key+":"); ok {
			return strings.Trim(rest, `"`)
		}
	}
	return ""
}

// canName reports whether the function's file can write the type down.
func (fn *function) canName(t types.Type) bool {
	_, err := fn.spell(t)
	return err == nil
}

// spell returns how the function's file writes a type.
func (fn *function) spell(t types.Type) (string, error) {
	var missing string
	s := types.TypeString(t, func(pkg *types.Package) string {
		if pkg == fn.pkg.Types {
			return ""
		}
		for _, spec := range fn.file.Imports {
			if importPath(spec) != pkg.Path() {
				continue
			}
			if spec.Name == nil {
				return pkg.Name()
			}
			if spec.Name.Name != "_" && spec.Name.Name != "." {
				return spec.Name.Name
			}
		}
		missing = pkg.Path()
		return pkg.Name()
	})
	if missing != "" {
		return "", fmt.Errorf("%s is not imported", missing)
	}
	return s, nil
}

// memo turns the call into one of the run-time's memo around it.
func (w *writer) memo(m *memo) error {
	call, ok := w.doc.node(m.call).(*dst.CallExpr)
	if !ok {
		return fmt.Errorf("the effect %s is not in the tree", types.ExprString(m.call.Fun))
	}
	inner := &dst.CallExpr{Fun: call.Fun, Args: call.Args, Ellipsis: call.Ellipsis}
	inner.Decs.Lparen, inner.Decs.Ellipsis = call.Decs.Lparen, call.Decs.Ellipsis
	call.Decs.Lparen, call.Decs.Ellipsis = nil, nil
	call.Ellipsis = false

	ctxName := m.fn.parameterContext().Name
	param := &dst.Field{Type: w.selector(w.imported("context"), "Context")}
	if m.ctx != nil {
		ctxName = ast.Unparen(m.ctx).(*ast.Ident).Name
		param.Names = []*dst.Ident{dst.NewIdent(ctxName)}
	}
	value := "struct{}"
	if m.value != nil {
		var err error
		if value, err = m.fn.spell(m.value); err != nil {
			return err
		}
	}
	errType := &dst.Field{Type: dst.NewIdent("error")}
	var body []dst.Stmt
	nothing := func() dst.Expr { return &dst.CompositeLit{Type: dst.NewIdent("struct{}")} }
	switch {
	case m.value != nil && m.fails:
		body = []dst.Stmt{&dst.ReturnStmt{Results: []dst.Expr{inner}}}
	case m.value != nil:
		body = []dst.Stmt{&dst.ReturnStmt{Results: []dst.Expr{inner, dst.NewIdent("nil")}}}
	case m.fails:
		body = []dst.Stmt{&dst.ReturnStmt{Results: []dst.Expr{nothing(), inner}}}
	default:
		body = []dst.Stmt{
			&dst.ExprStmt{X: inner},
			&dst.ReturnStmt{Results: []dst.Expr{nothing(), dst.NewIdent("nil")}},
		}
	}
	for _, s := range body {
		s.Decorations().Before, s.Decorations().After = dst.NewLine, dst.NewLine
	}
	lit := &dst.FuncLit{
		Type: &dst.FuncType{
			Func:    true,
			Params:  &dst.FieldList{Opening: true, List: []*dst.Field{param}, Closing: true},
			Results: &dst.FieldList{Opening: true, List: []*dst.Field{{Type: dst.NewIdent(value)}, errType}, Closing: true},
		},
		Body: &dst.BlockStmt{List: body},
	}
	call.Fun = w.selector(w.shim, "Once")
	w.used[w.shim] = true
	call.Args = []dst.Expr{dst.NewIdent(ctxName), w.key(m.key, m.identity), lit}

	// The results change their number where the call had no value, or no
	// error.
	switch parent := m.fn.parents[m.call].(type) {
	case *ast.AssignStmt:
		assign, _ := w.doc.node(parent).(*dst.AssignStmt)
		switch {
		case m.value == nil && m.fails:
			assign.Lhs = append([]dst.Expr{dst.NewIdent("_")}, assign.Lhs...)
		case m.value != nil && !m.fails:
			assign.Lhs = append(assign.Lhs, dst.NewIdent("_"))
		}
	case *ast.ReturnStmt:
		if m.value == nil {
			w.returnError(m.fn, parent, call)
		}
	}
	for _, v := range m.index {
		w.number(v)
	}
	return nil
}

// returnError turns `return f()` for an f whose only result is an error into a
// statement that takes the error from a memo, and the return of that error.
func (w *writer) returnError(fn *function, stmt *ast.ReturnStmt, memo *dst.CallExpr) {
	ret := w.doc.node(stmt).(*dst.ReturnStmt)
	name, tok := fn.errorName(stmt)
	for i, x := range ret.Results {
		if x == dst.Expr(memo) {
			ret.Results[i] = dst.NewIdent(name)
		}
	}
	take := &dst.AssignStmt{Lhs: []dst.Expr{dst.NewIdent("_"), dst.NewIdent(name)}, Tok: tok, Rhs: []dst.Expr{memo}}
	after := ret.Decs.After
	w.replace(fn, stmt, take, ret)
	take.Decs.After = dst.NewLine
	take.Decs.End = nil
	ret.Decs.Start = nil
	ret.Decs.Before, ret.Decs.After = dst.NewLine, after
}

// number gives a range statement a variable for its index.
func (w *writer) number(v *indexVar) {
	if r, ok := w.doc.node(v.stmt).(*dst.RangeStmt); ok {
		r.Key = dst.NewIdent(v.name.Name)
		r.Tok = token.DEFINE
	}
}

// imported returns the name under which the file imports a package of the
// standard library; it gains the import if it has none.
func (w *writer) imported(path string) string {
	for _, spec := range w.doc.file.Imports {
		if importPath(spec) == path {
			if spec.Name != nil {
				return spec.Name.Name
			}
			return path
		}
	}
	name, _ := importName(w.doc.file, w.fn.pkg.Types, path, path)
	w.needs[path] = name
	return name
}

// key returns a constant key, or one with the identity of the iteration.
func (w *writer) key(name string, identity []ast.Expr) dst.Expr {
	lit := stringLit(name)
	if len(identity) == 0 {
		return lit
	}
	args := []dst.Expr{lit}
	for _, x := range identity {
		args = append(args, w.expression(x))
	}
	return w.runtime("Key", args...)
}
