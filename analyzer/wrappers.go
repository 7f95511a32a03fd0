package analyzer

import (
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
