package analyzer

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// This file answers one question: which functions may this expression be? It
// is an inclusion-based flow analysis of function values within one package,
// insensitive to context and to the order of statements. Containers count as
// what they hold, and a struct field is one place for all values of its type.
// That is coarse, but handlers and questions travel through few variables.

// A funcValue is a function as a value.
type funcValue struct {
	fn  *Func       // of this package, or
	ext *types.Func // of another one, or an interface's method
	// bound is the receiver's expression of a method value.
	bound ast.Expr
	// viaType reports a method expression, T.Method: its first argument is the
	// receiver.
	viaType bool
	// param is set instead of fn and ext for what callers in other packages
	// pass to this parameter.
	param *types.Var
}

// Places that function values flow through, beside *types.Var.
type (
	// A resultPlace is a result of a function of this package.
	resultPlace struct {
		fn *Func
		i  int
	}
	// A callPlace is a result of a dynamic call.
	callPlace struct {
		call *ast.CallExpr
		i    int
	}
	// An exprPlace is whatever an expression denotes.
	exprPlace struct{ expr ast.Expr }
)

// A place is a *types.Var, resultPlace, callPlace or exprPlace.
type place any

// A flow is the result of the analysis.
type flow struct {
	info  *types.Info
	funcs *funcIndex

	values map[place]map[funcValue]bool
	order  map[place][]funcValue // the same in order of arrival
	next   map[place][]place
	calls  map[place][]*ast.CallExpr // dynamic calls of what is in a place

	callees map[*ast.CallExpr][]funcValue
	// foreign are calls of other packages' functions that get functions as
	// arguments.
	foreign map[*ast.CallExpr]*types.Func
}

// newFlow analyses the package.
func newFlow(pass *analysis.Pass, funcs *funcIndex) *flow {
	fl := &flow{
		info:    pass.TypesInfo,
		funcs:   funcs,
		values:  make(map[place]map[funcValue]bool),
		order:   make(map[place][]funcValue),
		next:    make(map[place][]place),
		calls:   make(map[place][]*ast.CallExpr),
		callees: make(map[*ast.CallExpr][]funcValue),
		foreign: make(map[*ast.CallExpr]*types.Func),
	}
	for _, f := range funcs.all {
		fl.namedResults(f)
		fl.seed(f)
	}
	for _, file := range pass.Files {
		fl.visit(file, nil)
	}
	return fl
}

// denotes returns the functions that an expression may be.
func (fl *flow) denotes(e ast.Expr) []funcValue {
	p := exprPlace{ast.Unparen(e)}
	if _, ok := fl.values[p]; !ok {
		fl.values[p] = make(map[funcValue]bool)
		fl.assign(p, e)
	}
	return fl.order[p]
}

// returns gives the functions that a function of the package may return as its
// i-th result.
func (fl *flow) returns(f *Func, i int) []funcValue {
	return fl.order[resultPlace{f, i}]
}

// put adds a value to a place and everything behind it.
func (fl *flow) put(p place, v funcValue) {
	set := fl.values[p]
	if set == nil {
		set = make(map[funcValue]bool)
		fl.values[p] = set
	}
	if set[v] {
		return
	}
	set[v] = true
	fl.order[p] = append(fl.order[p], v)
	for _, q := range fl.next[p] {
		fl.put(q, v)
	}
	for _, call := range fl.calls[p] {
		fl.bind(call, v)
	}
}

// link lets everything in from flow into to.
func (fl *flow) link(from, to place) {
	for _, q := range fl.next[from] {
		if q == to {
			return
		}
	}
	fl.next[from] = append(fl.next[from], to)
	for _, v := range fl.order[from] {
		fl.put(to, v)
	}
}

// assign lets what e denotes flow into to.
func (fl *flow) assign(to place, e ast.Expr) {
	switch e := ast.Unparen(e).(type) {
	case *ast.FuncLit:
		if f := fl.funcs.byLit[e]; f != nil {
			fl.put(to, funcValue{fn: f})
		}
	case *ast.Ident:
		fl.assignObject(to, fl.info.Uses[e])
	case *ast.SelectorExpr:
		selection := fl.info.Selections[e]
		if selection == nil {
			fl.assignObject(to, fl.info.Uses[e.Sel])
			return
		}
		switch obj := selection.Obj().(type) {
		case *types.Var:
			fl.link(obj.Origin(), to)
		case *types.Func:
			v := fl.function(obj)
			if selection.Kind() == types.MethodExpr {
				v.viaType = true
			} else {
				v.bound = e.X
			}
			fl.put(to, v)
		}
	case *ast.IndexExpr:
		fl.assign(to, e.X) // an element, or an instance of a generic function
	case *ast.IndexListExpr:
		fl.assign(to, e.X)
	case *ast.SliceExpr:
		fl.assign(to, e.X)
	case *ast.StarExpr:
		fl.assign(to, e.X)
	case *ast.UnaryExpr:
		if e.Op == token.AND || e.Op == token.ARROW {
			fl.assign(to, e.X)
		}
	case *ast.TypeAssertExpr:
		fl.assign(to, e.X)
	case *ast.CompositeLit:
		if to != (exprPlace{e}) {
			fl.link(exprPlace{e}, to)
		}
	case *ast.CallExpr:
		fl.assignCall(to, e, 0)
	}
}

// assignObject lets a named function, or what is in a variable, flow into to.
func (fl *flow) assignObject(to place, obj types.Object) {
	switch obj := obj.(type) {
	case *types.Var:
		fl.link(obj.Origin(), to)
	case *types.Func:
		fl.put(to, fl.function(obj))
	}
}

// assignCall lets the i-th result of a call flow into to.
func (fl *flow) assignCall(to place, call *ast.CallExpr, i int) {
	if tv := fl.info.Types[call.Fun]; tv.IsType() {
		if len(call.Args) == 1 {
			fl.assign(to, call.Args[0])
		}
		return
	}
	switch callee := calleeOf(fl.info, call).(type) {
	case *types.Builtin:
		if callee.Name() == "append" {
			for _, arg := range call.Args {
				fl.assign(to, arg)
			}
		}
	case *types.Func:
		if f := fl.funcs.byObj[callee.Origin()]; f != nil {
			fl.link(resultPlace{f, i}, to)
			return
		}
		// A function of another package that gets functions and returns one is
		// taken for a wrapper: what it returns calls what it got.
		for _, arg := range call.Args {
			if carriesFunc(fl.info.TypeOf(arg)) {
				fl.assign(to, arg)
			}
		}
	default:
		fl.link(callPlace{call, i}, to)
	}
}

// function returns a declared function as a value.
func (fl *flow) function(obj *types.Func) funcValue {
	obj = obj.Origin()
	if f := fl.funcs.byObj[obj]; f != nil {
		return funcValue{fn: f}
	}
	return funcValue{ext: obj}
}

// target returns the places that an assignment to e writes.
func (fl *flow) target(e ast.Expr) place {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		obj := fl.info.Defs[e]
		if obj == nil {
			obj = fl.info.Uses[e]
		}
		if v, ok := obj.(*types.Var); ok {
			return v.Origin()
		}
	case *ast.SelectorExpr:
		if v, ok := fl.info.Uses[e.Sel].(*types.Var); ok {
			return v.Origin()
		}
	case *ast.IndexExpr:
		return fl.target(e.X)
	case *ast.StarExpr:
		return fl.target(e.X)
	}
	return nil
}
