package analyzer

import (
	"go/ast"
	"go/types"
	"slices"
)

// This file is about functions that make handlers of what they are given, in
// packages other than that of their callers: server frameworks of all sizes.

// A RegistersHandler is the fact that a function makes some of its arguments
// handlers, or calls them from one.
type RegistersHandler struct {
	Args []Registration
}

// A Registration says what becomes of one argument.
type Registration struct {
	Arg    int
	Method string
	Typed  bool
}

// AFact marks RegistersHandler as a fact.
func (*RegistersHandler) AFact() {}

func (*RegistersHandler) String() string { return "registers a handler" }

// exportRegistrations tells other packages which functions of this one
// register handlers.
func (f *finder) exportRegistrations() {
	if path := pkgPath(f.pass.Pkg); isSDKPath(path) {
		return
	}
	for _, fn := range f.funcs.all {
		params := f.graph.outside[fn]
		if len(params) == 0 {
			continue
		}
		for _, r := range f.originsOf(fn).routes {
			if h := r.handler; r.good() && !h.Presumed && !r.weak {
				for _, p := range params {
					if _, ok := f.registers[p]; !ok {
						f.registers[p] = Registration{Method: h.Method, Typed: h.Typed}
					}
				}
			}
		}
	}
	for _, fn := range f.funcs.all {
		if fn.Obj == nil || f.inTest(fn) {
			continue
		}
		fact := new(RegistersHandler)
		params := fn.Obj.Signature().Params()
		for i := range params.Len() {
			if r, ok := f.registers[params.At(i)]; ok {
				r.Arg = i
				fact.Args = append(fact.Args, r)
			}
		}
		if len(fact.Args) > 0 {
			f.pass.ExportObjectFact(fn.Obj, fact)
		}
	}
}

// registersArg returns how another package's function registers its i-th
// argument, nil if it does not.
func (f *finder) registersArg(fn *types.Func, i int) *registration {
	var fact RegistersHandler
	if fn.Pkg() == nil || fn.Pkg() == f.pass.Pkg || !f.pass.ImportObjectFact(fn.Origin(), &fact) {
		return nil
	}
	at := slices.IndexFunc(fact.Args, func(r Registration) bool { return r.Arg == i })
	if at < 0 {
		return nil
	}
	r := fact.Args[at]
	return &registration{arg: i, method: r.Method, typed: r.Typed, item: anyItem, nameField: "Name"}
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
