package analyzer

import (
	"go/ast"
	"go/types"
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
