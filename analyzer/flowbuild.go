package analyzer

import (
	"go/ast"
	"go/types"
)

// This file goes through a package's statements and tells the flow analysis
// what they assign to what.

// seed puts what other packages may pass into the parameters of an exported
// function.
func (fl *flow) seed(f *Func) {
	if f.Obj == nil || !f.Obj.Exported() {
		return
	}
	params := f.Obj.Signature().Params()
	for i := range params.Len() {
		if p := params.At(i); asSignature(p.Type()) != nil {
			fl.put(p, funcValue{param: p})
		}
	}
}

// visit adds what the statements and expressions below root assign. in is the
// function in whose body root stands.
func (fl *flow) visit(root ast.Node, in *Func) {
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if obj, ok := fl.info.Defs[n.Name].(*types.Func); ok && n.Body != nil {
				fl.visit(n.Body, fl.funcs.byObj[obj])
			}
			return false
		case *ast.FuncLit:
			if n != root {
				fl.visit(n.Body, fl.funcs.byLit[n])
				return false
			}
		case *ast.AssignStmt:
			fl.pairs(n.Lhs, n.Rhs)
		case *ast.ValueSpec:
			lhs := make([]ast.Expr, len(n.Names))
			for i, name := range n.Names {
				lhs[i] = name
			}
			fl.pairs(lhs, n.Values)
		case *ast.RangeStmt:
			for _, e := range []ast.Expr{n.Key, n.Value} {
				if e != nil {
					fl.move(e, n.X)
				}
			}
		case *ast.SendStmt:
			if p := fl.target(n.Chan); p != nil && carriesFunc(fl.info.TypeOf(n.Value)) {
				fl.assign(p, n.Value)
			}
		case *ast.ReturnStmt:
			fl.results(n, in)
		case *ast.CompositeLit:
			fl.composite(n)
		case *ast.CallExpr:
			fl.call(n)
		}
		return true
	})
}

// pairs handles an assignment or declaration.
func (fl *flow) pairs(lhs, rhs []ast.Expr) {
	switch {
	case len(lhs) == len(rhs):
		for i := range lhs {
			fl.move(lhs[i], rhs[i])
		}
	case len(rhs) == 1:
		call, ok := ast.Unparen(rhs[0]).(*ast.CallExpr)
		if !ok { // v, ok := m[k] and the like
			fl.move(lhs[0], rhs[0])
			return
		}
		for i := range lhs {
			if p := fl.target(lhs[i]); p != nil && carriesFunc(fl.info.TypeOf(lhs[i])) {
				fl.assignCall(p, call, i)
			}
		}
	}
}

// move handles the assignment of one expression to another.
func (fl *flow) move(lhs, rhs ast.Expr) {
	t := fl.info.TypeOf(lhs)
	if t == nil {
		if id, ok := lhs.(*ast.Ident); ok {
			if obj := fl.info.Defs[id]; obj != nil {
				t = obj.Type()
			}
		}
	}
	if p := fl.target(lhs); p != nil && carriesFunc(t) {
		fl.assign(p, rhs)
	}
}

// results handles a return statement.
func (fl *flow) results(ret *ast.ReturnStmt, in *Func) {
	if in == nil {
		return
	}
	sig := fl.signature(in)
	if sig == nil {
		return
	}
	n := sig.Results().Len()
	switch {
	case len(ret.Results) == n:
		for i, e := range ret.Results {
			if carriesFunc(sig.Results().At(i).Type()) {
				fl.assign(resultPlace{in, i}, e)
			}
		}
	case len(ret.Results) == 1:
		if call, ok := ast.Unparen(ret.Results[0]).(*ast.CallExpr); ok {
			for i := range n {
				if carriesFunc(sig.Results().At(i).Type()) {
					fl.assignCall(resultPlace{in, i}, call, i)
				}
			}
		}
	}
}

// namedResults lets named results flow out of their function.
func (fl *flow) namedResults(f *Func) {
	sig := fl.signature(f)
	if sig == nil {
		return
	}
	for i := range sig.Results().Len() {
		if v := sig.Results().At(i); v.Name() != "" && carriesFunc(v.Type()) {
			fl.link(v, resultPlace{f, i})
		}
	}
}

// composite handles a composite literal.
func (fl *flow) composite(lit *ast.CompositeLit) {
	t := fl.info.TypeOf(lit)
	if t == nil {
		return
	}
	if st, ok := structOf(t); ok {
		for i, elt := range lit.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				if key, ok := kv.Key.(*ast.Ident); ok {
					if v, ok := fl.info.Uses[key].(*types.Var); ok && carriesFunc(v.Type()) {
						fl.assign(v.Origin(), kv.Value)
					}
				}
			} else if i < st.NumFields() && carriesFunc(st.Field(i).Type()) {
				fl.assign(st.Field(i).Origin(), elt)
			}
		}
		return
	}
	for _, elt := range lit.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			elt = kv.Value
		}
		if carriesFunc(fl.info.TypeOf(elt)) {
			fl.assign(exprPlace{lit}, elt)
		}
	}
}

// structOf returns the struct that t is or points to.
func structOf(t types.Type) (*types.Struct, bool) {
	if t == nil {
		return nil, false
	}
	t = types.Unalias(t)
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	return st, ok
}

// call handles a call: arguments flow into parameters.
func (fl *flow) call(call *ast.CallExpr) {
	if tv := fl.info.Types[call.Fun]; tv.IsType() {
		return
	}
	switch callee := calleeOf(fl.info, call).(type) {
	case *types.Builtin:
	case *types.Func:
		v := fl.function(callee)
		if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
			if s := fl.info.Selections[sel]; s != nil {
				if s.Kind() == types.MethodExpr {
					v.viaType = true
				} else {
					v.bound = sel.X
				}
			}
		}
		fl.bind(call, v)
	default:
		// A function value: whatever arrives in its place is called.
		p := exprPlace{ast.Unparen(call.Fun)}
		fl.calls[p] = append(fl.calls[p], call)
		for _, v := range fl.denotes(call.Fun) {
			fl.bind(call, v)
		}
	}
}

// bind connects a call with one function that it may call.
func (fl *flow) bind(call *ast.CallExpr, v funcValue) {
	for _, have := range fl.callees[call] {
		if have == v {
			return
		}
	}
	fl.callees[call] = append(fl.callees[call], v)
	if v.param != nil {
		return
	}
	if v.fn == nil {
		for _, arg := range call.Args {
			if carriesFunc(fl.info.TypeOf(arg)) {
				fl.foreign[call] = v.ext
				fl.denotes(arg)
			}
		}
		return
	}
	sig := fl.signature(v.fn)
	if sig == nil {
		return
	}
	args, recv := call.Args, v.bound
	if v.viaType && len(args) > 0 {
		args, recv = args[1:], args[0]
	}
	if r := sig.Recv(); r != nil && recv != nil && carriesFunc(r.Type()) {
		fl.assign(r, recv)
	}
	params := sig.Params()
	for i, arg := range args {
		if params.Len() == 0 {
			break
		}
		p := params.At(min(i, params.Len()-1))
		if carriesFunc(p.Type()) {
			fl.assign(p, arg)
		}
	}
	for i := range sig.Results().Len() {
		if carriesFunc(sig.Results().At(i).Type()) {
			fl.link(resultPlace{v.fn, i}, callPlace{call, i})
		}
	}
}

// signature returns the signature with which a function was declared.
func (fl *flow) signature(f *Func) *types.Signature {
	if f.Obj != nil {
		return f.Obj.Signature()
	}
	sig, _ := fl.info.TypeOf(f.Lit).(*types.Signature)
	return sig
}

// calleeOf returns what a call names: a *types.Func, a *types.Builtin, a
// *types.Var that holds a function, or nil for any other expression.
func calleeOf(info *types.Info, call *ast.CallExpr) types.Object {
	fun := ast.Unparen(call.Fun)
	switch e := fun.(type) {
	case *ast.IndexExpr:
		if tv := info.Types[e.Index]; tv.IsType() {
			fun = ast.Unparen(e.X)
		}
	case *ast.IndexListExpr:
		fun = ast.Unparen(e.X)
	}
	switch e := fun.(type) {
	case *ast.Ident:
		return info.Uses[e]
	case *ast.SelectorExpr:
		return info.Uses[e.Sel]
	}
	return nil
}

// carriesFunc reports whether a value of this type can hold a function that
// the analysis follows: a function, a container of functions, or a type
// parameter. Structs are left out because their fields are places themselves.
func carriesFunc(t types.Type) bool {
	for range 8 { // deep enough for any real type, finite for recursive ones
		if t == nil {
			return false
		}
		if _, ok := types.Unalias(t).(*types.TypeParam); ok {
			return true
		}
		switch u := t.Underlying().(type) {
		case *types.Signature:
			return true
		case *types.Pointer:
			t = u.Elem()
		case *types.Slice:
			t = u.Elem()
		case *types.Array:
			t = u.Elem()
		case *types.Map:
			t = u.Elem()
		case *types.Chan:
			t = u.Elem()
		default:
			return false
		}
	}
	return false
}
