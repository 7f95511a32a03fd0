package analyzer

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// This file builds the call graph of a package: who may call whom, and where
// the asks are.

// An edge is one way in which a function may call another.
type edge struct {
	from *Func
	// to is a function of this package. Where it is nil, callee is one of
	// another package and refs are the asks that a fact promises below it.
	to     *Func
	callee *types.Func
	refs   []AskRef
	// call is nil for a literal that is only assumed to be called.
	call *ast.CallExpr
	pos  token.Pos
	// async is what starts a goroutine for the call, joined that the caller
	// waits for it.
	async  ast.Node
	joined bool
	// dynamic reports a call through an interface or a function value.
	dynamic bool
	// weak reports that nothing shows the call: the function is handed to
	// another package's function, or is a literal of which no use is known.
	weak bool
}

// A graph is the call graph of a package.
type graph struct {
	f   *finder
	out map[*Func][]*edge
	in  map[*Func][]*edge
	// registrations are the calls that register handlers, with the entry of
	// the table.
	registrations []registered
	// outside are the calls of what other packages pass to a function.
	outside map[*Func][]*types.Var
	// impls caches the implementations of an interface's method.
	impls map[*types.Func][]*types.Func
	types []*types.Named
}

// A registered is one call of a registration.
type registered struct {
	call *ast.CallExpr
	reg  *registration
	in   *Func
}

func newGraph(f *finder) *graph {
	g := &graph{
		f:       f,
		out:     make(map[*Func][]*edge),
		in:      make(map[*Func][]*edge),
		outside: make(map[*Func][]*types.Var),
		impls:   make(map[*types.Func][]*types.Func),
	}
	for _, obj := range f.pass.TypesInfo.Defs {
		if tn, ok := obj.(*types.TypeName); ok && !tn.IsAlias() {
			if named, ok := tn.Type().(*types.Named); ok && !types.IsInterface(named) {
				g.types = append(g.types, named)
			}
		}
	}
	sortByPos(f.pass.Fset, g.types, func(t *types.Named) token.Pos { return t.Obj().Pos() })
	for _, fn := range f.funcs.all {
		if body := fn.Body(); body != nil {
			g.body(fn, body)
		}
	}
	for _, file := range f.pass.Files {
		for _, decl := range file.Decls {
			if gen, ok := decl.(*ast.GenDecl); ok {
				g.body(nil, gen)
			}
		}
	}
	return g
}

// add enters an edge into the graph.
func (g *graph) add(e *edge) {
	g.out[e.from] = append(g.out[e.from], e)
	if e.to != nil {
		g.in[e.to] = append(g.in[e.to], e)
	}
}

// body adds the calls in a body, without those in literals within it. fn is
// nil for initialisers of package variables.
func (g *graph) body(fn *Func, root ast.Node) {
	started := make(map[*ast.CallExpr]*ast.GoStmt)
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.GoStmt:
			started[n.Call] = n
		case *ast.CallExpr:
			g.call(fn, n, started[n])
		}
		return true
	})
}

// call adds one call. started is the go statement that makes it.
func (g *graph) call(fn *Func, call *ast.CallExpr, started *ast.GoStmt) {
	info := g.f.pass.TypesInfo
	if info.Types[call.Fun].IsType() {
		return
	}
	base := edge{from: fn, call: call, pos: call.Lparen}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		base.pos = sel.Sel.Pos()
	} else {
		base.pos = call.Pos()
	}
	if started != nil {
		base.async, base.joined = started, joins(fn, started, info)
	}
	named, isFunc := calleeOf(info, call).(*types.Func)
	callees := g.f.flow.callees[call]
	for _, v := range callees {
		e := base
		e.dynamic = !isFunc
		g.callee(&e, v)
	}
	known := slices.ContainsFunc(callees, func(v funcValue) bool { return v.param == nil })
	if !isFunc && !known && fn != nil {
		// Nothing is known of the function value but its type.
		if sig := asSignature(info.TypeOf(call.Fun)); sig != nil {
			if a := g.f.sdks.askSignature(sig); a != nil {
				g.f.addAsk(fn, call, a, nil, nil)
			}
		}
	}
	if callee := g.f.flow.foreign[call]; callee != nil && (named == nil || g.f.registrationOf(named) == nil) {
		g.handed(base, call, callee)
	}
}

// asSignature returns the signature that a named function type stands for.
func asSignature(t types.Type) *types.Signature {
	if t == nil {
		return nil
	}
	sig, _ := t.Underlying().(*types.Signature)
	return sig
}

// callee adds the edge to one function that a call may reach.
func (g *graph) callee(e *edge, v funcValue) {
	if v.param != nil {
		g.outside[e.from] = append(g.outside[e.from], v.param)
		return
	}
	if v.fn != nil && v.fn.Obj != nil && g.f.sdks.own {
		v.ext = v.fn.Obj // the SDK calls its own methods
		if a := g.f.sdks.ask(v.ext); a != nil {
			g.f.addAsk(e.from, e.call, a, v.bound, v.ext)
			return
		}
	}
	if v.fn != nil {
		e.to, e.callee = v.fn, v.fn.Obj
		g.add(e)
		return
	}
	if reg := g.f.registrationOf(v.ext); reg != nil {
		g.registrations = append(g.registrations, registered{e.call, reg, e.from})
		return
	}
	if a := g.f.sdks.ask(v.ext); a != nil {
		g.f.addAsk(e.from, e.call, a, v.bound, v.ext)
		return
	}
	recv := v.ext.Signature().Recv()
	if recv != nil && types.IsInterface(recv.Type()) {
		// Also one that our runtime declares: a session may be behind it.
		if a := g.f.sdks.askLike(v.ext); a != nil {
			g.f.addAsk(e.from, e.call, a, v.bound, v.ext)
			return
		}
		g.dispatch(e, v)
		return
	}
	e.callee = v.ext
	if g.f.isRuntime(v.ext) {
		return
	}
	if e.refs = g.f.factOf(v.ext); len(e.refs) > 0 {
		g.add(e)
	}
}

// dispatch adds edges to the implementations of an interface's method that are
// known here: the types of this package, and those of others whose methods
// have facts.
func (g *graph) dispatch(e *edge, v funcValue) {
	impls, ok := g.impls[v.ext]
	if !ok {
		impls = g.implementations(v.ext)
		g.impls[v.ext] = impls
	}
	for _, m := range impls {
		d := *e
		d.dynamic = true
		if a := g.f.sdks.ask(m); a != nil {
			g.f.addAsk(e.from, e.call, a, v.bound, v.ext)
			continue
		}
		if fn := g.f.funcs.byObj[m.Origin()]; fn != nil {
			d.to, d.callee = fn, m
			g.add(&d)
			continue
		}
		d.callee = m
		if d.refs = g.f.factOf(m); len(d.refs) > 0 {
			g.add(&d)
		}
	}
}

// implementations returns the methods that a call of an interface's method may
// reach.
func (g *graph) implementations(method *types.Func) []*types.Func {
	iface, ok := method.Signature().Recv().Type().Underlying().(*types.Interface)
	if !ok || method.Pkg() == nil || isStandard(method.Pkg().Path()) {
		return nil
	}
	var list []*types.Func
	seen := make(map[*types.Func]bool)
	add := func(t *types.Named) {
		if m := methodOf(t, method.Name()); m != nil && !seen[m.Origin()] && satisfies(t, iface) {
			seen[m.Origin()] = true
			list = append(list, m)
		}
	}
	for _, t := range g.types {
		add(t)
	}
	for _, fn := range g.f.methodFacts[method.Name()] {
		if named := namedOf(fn.Signature().Recv().Type()); named != nil {
			add(named)
		}
	}
	return list
}

// handed adds edges to functions that are arguments of another package's
// function, which is taken to call them before it returns.
func (g *graph) handed(base edge, call *ast.CallExpr, callee *types.Func) {
	start := starters[nameOf(callee)]
	if start == nil && !isStandard(pathOf(callee)) && (callee.Name() == "Go" || callee.Name() == "TryGo") {
		start = &starter{joined: true} // the usual name in pools of goroutines
	}
	for i, arg := range call.Args {
		if !carriesFunc(g.f.pass.TypesInfo.TypeOf(arg)) {
			continue
		}
		if reg := g.f.registersArg(callee, i); reg != nil {
			g.registrations = append(g.registrations, registered{call, reg, base.from})
			continue
		}
		if start == nil && decorates(callee, g.f.pass.TypesInfo.TypeOf(arg)) {
			continue
		}
		for _, v := range g.f.flow.denotes(arg) {
			e := base
			e.weak, e.dynamic = true, true
			if start != nil {
				e.async, e.joined, e.weak = call, start.joined, false
			}
			switch {
			case v.fn != nil:
				e.to, e.callee = v.fn, v.fn.Obj
				g.add(&e)
			case v.ext != nil && !g.f.isRuntime(v.ext):
				e.callee = v.ext
				if e.refs = g.f.factOf(v.ext); len(e.refs) > 0 {
					g.add(&e)
				}
			}
		}
	}
}

// decorates reports whether a function returns a function of the type that it
// is given one of: it wraps what it is given, for others to call.
func decorates(callee *types.Func, t types.Type) bool {
	sig := asSignature(t)
	if sig == nil {
		return false
	}
	for i := range callee.Signature().Results().Len() {
		result := asSignature(callee.Signature().Results().At(i).Type())
		if result != nil && result.Params().Len() == sig.Params().Len() && result.Results().Len() == sig.Results().Len() {
			return true
		}
	}
	return false
}

// assume adds edges from functions to the literals within them of which no
// use is known. isEntry says which functions the outside calls.
func (g *graph) assume(isEntry func(*Func) bool) {
	for _, fn := range g.f.funcs.all {
		if fn.Lit != nil && fn.Outer != nil && len(g.in[fn]) == 0 && !isEntry(fn) {
			g.add(&edge{from: fn.Outer, to: fn, pos: fn.Lit.Pos(), dynamic: true, weak: true})
		}
	}
}

// A starter is a function that runs its argument on another goroutine.
type starter struct {
	// joined reports that the usual code waits for it.
	joined bool
}

var starters = map[funcName]*starter{
	{"golang.org/x/sync/errgroup", "Group", "Go"}:    {true},
	{"golang.org/x/sync/errgroup", "Group", "TryGo"}: {true},
	{"sync", "WaitGroup", "Go"}:                      {true},
	{"time", "", "AfterFunc"}:                        {false},
	{"context", "", "AfterFunc"}:                     {false},
}

// joins reports whether a function waits for a goroutine that it starts: it
// receives from a channel, or waits for a group, that the goroutine was given
// or has captured.
func joins(fn *Func, started *ast.GoStmt, info *types.Info) bool {
	if fn == nil {
		return false
	}
	shared := make(map[types.Object]bool)
	ast.Inspect(started, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := info.Uses[id].(*types.Var); ok && !v.IsField() {
				shared[v] = true
			}
		}
		return true
	})
	uses := func(e ast.Expr) bool {
		found := false
		ast.Inspect(e, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && shared[info.Uses[id]] {
				found = true
			}
			return !found
		})
		return found
	}
	waits := false
	ast.Inspect(fn.Body(), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.UnaryExpr:
			waits = waits || n.Op == token.ARROW && uses(n.X)
		case *ast.RangeStmt:
			if t := info.TypeOf(n.X); t != nil {
				if _, ok := t.Underlying().(*types.Chan); ok {
					waits = waits || uses(n.X)
				}
			}
		case *ast.CallExpr:
			if sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok && sel.Sel.Name == "Wait" {
				waits = waits || uses(sel.X)
			}
		}
		return !waits
	})
	return waits
}

// pathOf returns the import path of a function's package, "" for none.
func pathOf(fn *types.Func) string {
	if fn == nil || fn.Pkg() == nil {
		return ""
	}
	return pkgPath(fn.Pkg())
}

// isStandard reports whether an import path is the standard library's: its
// first element has no dot, and it is not one that tests use for packages of
// their own.
func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".") && standardRoots[first]
}

// standardRoots are the first elements of the standard library's paths.
var standardRoots = func() map[string]bool {
	roots := make(map[string]bool)
	for _, name := range strings.Fields(`archive arena bufio builtin bytes cmp compress container context crypto
		database debug embed encoding errors expvar flag fmt go hash html image index internal io iter log maps math
		mime net os path plugin reflect regexp runtime simd slices sort strconv strings structs sync syscall testing
		text time unicode unique unsafe vendor weak`) {
		roots[name] = true
	}
	return roots
}()
