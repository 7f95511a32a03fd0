package analyzer

import (
	"go/ast"
	"go/constant"
	"go/types"
	"slices"
	"strings"
)

// This file finds the functions that a client's request, or nothing at all,
// starts: handlers, notification handlers, main.

// entries finds all entry points of the package.
func (f *finder) entries() {
	for _, r := range f.graph.registrations {
		f.register(r)
	}
	for _, file := range f.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				f.fieldHandlers(n)
			case *ast.AssignStmt:
				if len(n.Lhs) == len(n.Rhs) {
					for i, lhs := range n.Lhs {
						f.fieldAssigned(lhs, n.Rhs[i])
					}
				}
			case *ast.CallExpr:
				f.setup(n)
			}
			return true
		})
	}
	for _, fn := range f.funcs.all {
		if fn.Obj == nil || fn.Obj.Signature().Recv() != nil {
			continue
		}
		if fn.Obj.Name() == "init" || fn.Obj.Name() == "main" && f.pass.Pkg.Name() == "main" {
			f.addHandler(&Handler{Method: methodOutside, Func: fn})
		}
	}
}

// presume makes handlers of functions that have the signature of one, if
// nothing in this package registers or calls them: another package does.
func (f *finder) presume() {
	for _, fn := range f.funcs.all {
		if len(f.handlersOf[fn]) > 0 || f.inTest(fn) || f.called(fn) {
			continue
		}
		sig := f.flow.signature(fn)
		if sig == nil {
			continue
		}
		if shape := f.sdks.shape(sig); shape != nil {
			f.addHandler(&Handler{Method: shape.method, Typed: shape.typed, Presumed: true, Func: fn})
		}
	}
}

// called reports whether something in this package, tests aside, is seen to
// call a function.
func (f *finder) called(fn *Func) bool {
	for _, e := range f.graph.in[fn] {
		if !e.weak && !f.inTest(e.from) {
			return true
		}
	}
	return false
}

// inTest reports whether a function stands in a test file.
func (f *finder) inTest(fn *Func) bool {
	if fn == nil || !fn.Pos().IsValid() {
		return false
	}
	return strings.HasSuffix(f.pass.Fset.File(fn.Pos()).Name(), "_test.go")
}

// register handles one call that registers handlers.
func (f *finder) register(r registered) {
	args := r.call.Args
	if r.reg.arg >= len(args) {
		return
	}
	name := ""
	if r.reg.item == anyItem {
		name = f.firstName(args, r.reg.nameField)
	} else if r.reg.item >= 0 && r.reg.item < len(args) {
		name = f.constName(args[r.reg.item], r.reg.nameField, 0)
	}
	handlers := args[r.reg.arg : r.reg.arg+1]
	if r.reg.factory {
		handlers = args[r.reg.arg:] // variadic
	}
	for _, arg := range handlers {
		for _, v := range f.handlerValues(arg, r.reg.factory) {
			if v.param != nil {
				f.registers[v.param] = Registration{Method: r.reg.method, Typed: r.reg.typed}
				continue
			}
			h := &Handler{Method: r.reg.method, Typed: r.reg.typed, Name: name, Registration: r.call, Func: v.fn}
			if v.fn == nil {
				h.Func = f.foreignFunc(v.ext)
			}
			if name == "" {
				h.Name = f.pairedName(v, r.reg)
			}
			if call, maker := f.madeBy(arg, v); call != nil {
				h.bind, h.maker = call, maker
			} else if name == "" && v.fn != nil && v.fn.Lit != nil && v.fn.Outer != nil && v.fn.Outer == r.in {
				if f.registerCalls(h, r) {
					continue
				}
			}
			f.addHandler(h)
		}
	}
}

// madeBy returns the call that makes a handler, if the argument of the
// registration is one: wrap(h), where wrap returns a literal that calls h.
func (f *finder) madeBy(arg ast.Expr, v funcValue) (*ast.CallExpr, *Func) {
	call, ok := ast.Unparen(arg).(*ast.CallExpr)
	if !ok || v.fn == nil || v.fn.Outer == nil {
		return nil, nil
	}
	fn, ok := calleeOf(f.pass.TypesInfo, call).(*types.Func)
	if !ok || f.funcs.byObj[fn.Origin()] != v.fn.Outer {
		return nil, nil
	}
	return call, v.fn.Outer
}

// registerCalls enters a handler once for each call of the function that
// registers it: the literal in it calls what the function was given. It
// reports whether there are such calls.
func (f *finder) registerCalls(h *Handler, r registered) bool {
	found := false
	for _, e := range f.graph.in[r.in] {
		if e.call == nil || e.weak || f.inTest(e.from) {
			continue
		}
		one := *h
		one.Name = f.firstName(e.call.Args, r.reg.nameField)
		one.Registration, one.bind, one.maker = e.call, e.call, r.in
		f.addHandler(&one)
		found = true
	}
	return found
}

// bound reports whether a handler may call a function along an edge: one that
// was made for another function may not.
func (f *finder) bound(h *Handler, e *edge) bool {
	if h.bind == nil || e == nil || e.call == nil {
		return true
	}
	v, ok := calleeOf(f.pass.TypesInfo, e.call).(*types.Var)
	if !ok {
		return true
	}
	params := f.flow.signature(h.maker).Params()
	for i := range min(params.Len(), len(h.bind.Args)) {
		if params.At(i) == v {
			return slices.ContainsFunc(f.flow.denotes(h.bind.Args[i]), func(have funcValue) bool { return have.fn == e.to })
		}
	}
	return true
}

// handlerValues returns the functions that an argument makes handlers.
func (f *finder) handlerValues(arg ast.Expr, factory bool) []funcValue {
	values := f.flow.denotes(arg)
	if !factory {
		return f.through(arg, values)
	}
	var made []funcValue
	for _, v := range values {
		if v.fn != nil {
			made = append(made, f.flow.returns(v.fn, 0)...)
		}
	}
	return made
}

// through leaves out what other calls of a wrapper were given: wrap(h) that
// returns h, or hands it to another package's wrapper, is h and no other.
func (f *finder) through(arg ast.Expr, values []funcValue) []funcValue {
	call, ok := ast.Unparen(arg).(*ast.CallExpr)
	if !ok {
		return values
	}
	fn, ok := calleeOf(f.pass.TypesInfo, call).(*types.Func)
	if !ok || f.funcs.byObj[fn.Origin()] == nil {
		return values
	}
	maker := f.funcs.byObj[fn.Origin()]
	var given []funcValue
	for _, a := range call.Args {
		if carriesFunc(f.pass.TypesInfo.TypeOf(a)) {
			given = append(given, f.flow.denotes(a)...)
		}
	}
	var kept []funcValue
	for _, v := range values {
		if v.fn != nil && v.fn.Outer == maker || slices.Contains(given, v) {
			kept = append(kept, v)
		}
	}
	if len(kept) == 0 {
		return values
	}
	return kept
}

// foreignFunc stands for a function of another package.
func (f *finder) foreignFunc(obj *types.Func) *Func {
	fn := f.foreign[obj]
	if fn == nil {
		fn = &Func{Obj: obj, Name: foreignTitle(obj)}
		f.foreign[obj] = fn
	}
	return fn
}

// fieldHandlers handles a literal of a struct whose fields hold handlers.
func (f *finder) fieldHandlers(lit *ast.CompositeLit) {
	named := namedOf(f.pass.TypesInfo.TypeOf(lit))
	if named == nil {
		return
	}
	for _, elt := range lit.Elts {
		kv, ok := elt.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		key, ok := kv.Key.(*ast.Ident)
		if !ok {
			continue
		}
		if field := f.sdks.field(named, key.Name); field != nil {
			name := ""
			if item := fieldValue(lit, field.item); item != nil {
				name = f.constName(item, field.nameField, 0)
			}
			f.fieldHandler(field, kv.Value, name)
		}
	}
}

// fieldAssigned handles an assignment to a field that holds a handler.
func (f *finder) fieldAssigned(lhs, rhs ast.Expr) {
	sel, ok := ast.Unparen(lhs).(*ast.SelectorExpr)
	if !ok {
		return
	}
	if s := f.pass.TypesInfo.Selections[sel]; s != nil && s.Kind() == types.FieldVal {
		if field := f.sdks.field(namedOf(s.Recv()), sel.Sel.Name); field != nil {
			f.fieldHandler(field, rhs, "")
		}
	}
}

func (f *finder) fieldHandler(field *handlerField, value ast.Expr, name string) {
	for _, v := range f.flow.denotes(value) {
		if v.fn != nil {
			f.addHandler(&Handler{Method: field.method, Name: name, Func: v.fn})
		}
	}
}

// addHandler enters a handler, once for each place that registers it.
func (f *finder) addHandler(h *Handler) {
	for _, have := range f.handlersOf[h.Func] {
		if have.Registration == h.Registration && have.Method == h.Method && have.Name == h.Name {
			return
		}
	}
	if sig := f.flow.signature(h.Func); sig != nil {
		if sig.Results().Len() > 0 {
			h.Result = sig.Results().At(0).Type()
		}
		if h.Typed && sig.Results().Len() > 2 {
			h.Output = sig.Results().At(1).Type()
		}
	}
	if h.Func.Handler == nil {
		h.Func.Handler = h
	}
	f.handlersOf[h.Func] = append(f.handlersOf[h.Func], h)
	f.handlers = append(f.handlers, h)
}

// setup notes the calls that make servers and serve them.
func (f *finder) setup(call *ast.CallExpr) {
	fn, ok := calleeOf(f.pass.TypesInfo, call).(*types.Func)
	if !ok {
		return
	}
	name := nameOf(fn)
	switch {
	case f.sdks.servers[name]:
		f.report.Servers = append(f.report.Servers, call)
	case f.sdks.http[name]:
		f.report.HTTPHandlers = append(f.report.HTTPHandlers, call)
	case f.sdks.serve[name]:
		f.report.Transports = append(f.report.Transports, call)
	}
}

// pairedName looks for the name of a handler that comes out of a table or
// through a function that registers its arguments: at the place where the
// handler goes in, its name is beside it.
func (f *finder) pairedName(v funcValue, reg *registration) string {
	if v.fn == nil {
		return ""
	}
	if names := f.itemNames(reg.nameField)[v.fn]; len(names) > 0 {
		return names[0]
	}
	return ""
}

// itemNames maps functions to the names beside which they stand, in composite
// literals and in calls of this package's functions.
func (f *finder) itemNames(nameField string) map[*Func][]string {
	if m, ok := f.names[nameField]; ok {
		return m
	}
	m := make(map[*Func][]string)
	f.names[nameField] = m
	pair := func(name string, list []ast.Expr) {
		if name == "" {
			return
		}
		for _, e := range list {
			if carriesFunc(f.pass.TypesInfo.TypeOf(e)) {
				for _, v := range f.flow.denotes(e) {
					if v.fn != nil {
						m[v.fn] = append(m[v.fn], name)
					}
				}
			}
		}
	}
	registers := make(map[*Func]bool)
	for _, r := range f.graph.registrations {
		registers[r.in] = true
	}
	for _, file := range f.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				if _, ok := structOf(f.pass.TypesInfo.TypeOf(n)); ok {
					name, values := f.rowName(n, nameField)
					pair(name, values)
					break
				}
				for _, elt := range n.Elts { // a map from names to handlers
					if kv, ok := elt.(*ast.KeyValueExpr); ok {
						pair(f.constName(kv.Key, nameField, 0), []ast.Expr{kv.Value})
					}
				}
			case *ast.CallExpr:
				fn, ok := calleeOf(f.pass.TypesInfo, n).(*types.Func)
				if ok && registers[f.funcs.byObj[fn.Origin()]] {
					pair(f.firstName(n.Args, nameField), n.Args)
				}
			}
			return true
		})
	}
	return m
}

// rowName returns the name in a struct literal, and all its values. A field
// that is called a name comes before any other string.
func (f *finder) rowName(lit *ast.CompositeLit, nameField string) (string, []ast.Expr) {
	var named, values []ast.Expr
	for _, elt := range lit.Elts {
		kv, ok := elt.(*ast.KeyValueExpr)
		if !ok {
			values = append(values, elt)
			continue
		}
		values = append(values, kv.Value)
		if key, ok := kv.Key.(*ast.Ident); ok && (strings.EqualFold(key.Name, "name") || strings.EqualFold(key.Name, nameField)) {
			named = append(named, kv.Value)
		}
	}
	if name := f.firstName(named, nameField); name != "" {
		return name, values
	}
	return f.firstName(values, nameField), values
}

// firstName returns the first of the expressions' constant names.
func (f *finder) firstName(list []ast.Expr, nameField string) string {
	for _, e := range list {
		if name := f.constName(e, nameField, 0); name != "" {
			return name
		}
	}
	return ""
}

// constName returns the constant name that describes a tool, prompt or
// resource, "" if it cannot be seen.
func (f *finder) constName(e ast.Expr, field string, depth int) string {
	if depth > 4 {
		return ""
	}
	e = ast.Unparen(e)
	if tv, ok := f.pass.TypesInfo.Types[e]; ok && tv.Value != nil {
		if tv.Value.Kind() == constant.String {
			return constant.StringVal(tv.Value)
		}
		return ""
	}
	switch e := e.(type) {
	case *ast.UnaryExpr:
		return f.constName(e.X, field, depth+1)
	case *ast.CompositeLit:
		if v := fieldValue(e, field); v != nil {
			return f.constName(v, field, depth+1)
		}
	case *ast.Ident:
		if init := f.initial(f.pass.TypesInfo.Uses[e]); init != nil {
			return f.constName(init, field, depth+1)
		}
	case *ast.CallExpr:
		fn, ok := calleeOf(f.pass.TypesInfo, e).(*types.Func)
		if !ok {
			return ""
		}
		if own := f.funcs.byObj[fn.Origin()]; own != nil {
			if v := onlyResult(own); v != nil {
				return f.constName(v, field, depth+1)
			}
			return ""
		}
		if len(e.Args) > 0 && f.sdks.pkgs[pathOf(fn)] != nil {
			return f.constName(e.Args[0], field, depth+1)
		}
	}
	return ""
}

// initial returns the expression that a variable is declared with, nil if
// there is none.
func (f *finder) initial(obj types.Object) ast.Expr {
	v, ok := obj.(*types.Var)
	if !ok {
		return nil
	}
	if f.initials == nil {
		f.initials = make(map[types.Object]ast.Expr)
		for _, file := range f.pass.Files {
			ast.Inspect(file, func(n ast.Node) bool {
				var lhs, rhs []ast.Expr
				switch n := n.(type) {
				case *ast.AssignStmt:
					lhs, rhs = n.Lhs, n.Rhs
				case *ast.ValueSpec:
					for _, name := range n.Names {
						lhs = append(lhs, name)
					}
					rhs = n.Values
				}
				if len(lhs) != len(rhs) {
					return true
				}
				for i := range lhs {
					if id, ok := lhs[i].(*ast.Ident); ok {
						if obj := f.pass.TypesInfo.Defs[id]; obj != nil {
							f.initials[obj] = rhs[i]
						}
					}
				}
				return true
			})
		}
	}
	return f.initials[v]
}

// fieldValue returns the value of a field in a composite literal.
func fieldValue(lit *ast.CompositeLit, field string) ast.Expr {
	if field == "" {
		return nil
	}
	for _, elt := range lit.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			if key, ok := kv.Key.(*ast.Ident); ok && key.Name == field {
				return kv.Value
			}
		}
	}
	return nil
}

// onlyResult returns the expression that a function always returns, nil if
// there is more than one.
func onlyResult(fn *Func) ast.Expr {
	var result ast.Expr
	n := 0
	if body := fn.Body(); body != nil {
		ast.Inspect(body, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.FuncLit:
				return false
			case *ast.ReturnStmt:
				n++
				if len(node.Results) > 0 {
					result = node.Results[0]
				}
			}
			return true
		})
	}
	if n != 1 {
		return nil
	}
	return result
}
