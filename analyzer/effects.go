package analyzer

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"

	"golang.org/x/tools/go/analysis"
)

// Effects judges what a call changes outside of itself. It serves the rules
// and the rewriter, and reports nothing.
//
// The standard library and the SDKs are judged by a table, functions of a
// module that uses an SDK by their bodies and, across packages, by facts. Other
// code is judged by the name of the function alone: see [verbs].
var Effects = &analysis.Analyzer{
	Name:       "mrtreffects",
	Doc:        "judge which functions have effects that must not be repeated",
	Run:        runEffects,
	ResultType: reflect.TypeFor[*effectInfo](),
	FactTypes:  []analysis.Fact{new(HasEffect), new(EffectsKnown)},

	RunDespiteErrors: true,
}

// A HasEffect is the fact that a function changes something that outlives the
// call.
type HasEffect struct {
	// What names the effect, such as "os.Rename at store.go:120". It is empty
	// if only what Mutates says is changed.
	What string
	// Mutates are the arguments whose memory is changed in a way that is not
	// repeatable: bit 0 is the receiver, bit i+1 the i-th parameter.
	Mutates uint64
}

// AFact marks HasEffect as a fact.
func (*HasEffect) AFact() {}

func (e *HasEffect) String() string {
	if e.Mutates != 0 {
		return fmt.Sprintf("effect %s, mutates %b", cmp.Or(e.What, "none"), e.Mutates)
	}
	return "effect " + e.What
}

// EffectsKnown is the fact that the functions of a package were analysed: one
// without a HasEffect has none.
type EffectsKnown struct{}

// AFact marks EffectsKnown as a fact.
func (*EffectsKnown) AFact() {}

func (*EffectsKnown) String() string { return "effects known" }

// An effectInfo is the result of Effects.
type effectInfo struct {
	pass  *analysis.Pass
	funcs map[*types.Func]*summary
	// initials are the expressions that local variables are declared with.
	initials map[types.Object]ast.Expr
	lits     map[types.Object]*ast.FuncLit // literals in local variables
	// up and down are the variables and fields with a ++ and with a --. One
	// with both goes up and down with what it counts: it is no effect.
	up, down map[types.Object]bool
}

// A summary is what is known of a function of the package.
type summary struct {
	HasEffect
	decl *ast.FuncDecl
}

func runEffects(pass *analysis.Pass) (any, error) {
	x := &effectInfo{
		pass:     pass,
		funcs:    make(map[*types.Func]*summary),
		initials: make(map[types.Object]ast.Expr),
		lits:     make(map[types.Object]*ast.FuncLit),
		up:       make(map[types.Object]bool),
		down:     make(map[types.Object]bool),
	}
	// What does not type-check is not judged: its callers go by its name.
	if pass.Pkg == nil || len(pass.Files) == 0 || len(pass.TypeErrors) > 0 || !worthEffects(pass) {
		return x, nil
	}
	x.collect()
	x.solve()
	for obj, s := range x.funcs {
		if s.What != "" || s.Mutates != 0 {
			pass.ExportObjectFact(obj, &HasEffect{What: s.What, Mutates: s.Mutates})
		}
	}
	pass.ExportPackageFact(new(EffectsKnown))
	return x, nil
}

// worthEffects reports whether a package's functions are analysed: all drivers
// have to decide alike.
func worthEffects(pass *analysis.Pass) bool {
	path := pkgPath(pass.Pkg)
	if isStandard(path) || isSDKPath(path) || isRuntimePath(path) {
		return false
	}
	if pass.Module == nil || pass.Module.Path == "" {
		// GOPATH mode, or a build system without modules: judge by imports.
		return true
	}
	return InScope(pass.Module.Path, dirOf(pass)) || newSDKIndex(pass.Pkg).present()
}

// collect finds the functions and the initial values of variables.
func (x *effectInfo) collect() {
	info := x.pass.TypesInfo
	for _, file := range x.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if obj, ok := info.Defs[n.Name].(*types.Func); ok && n.Body != nil {
					x.funcs[obj] = &summary{decl: n}
				}
			case *ast.AssignStmt:
				if n.Tok == token.DEFINE && len(n.Lhs) == len(n.Rhs) {
					for i, lhs := range n.Lhs {
						if id, ok := lhs.(*ast.Ident); ok {
							x.initialise(info.Defs[id], n.Rhs[i])
						}
					}
				} else if n.Tok == token.DEFINE && len(n.Rhs) == 1 {
					if id, ok := n.Lhs[0].(*ast.Ident); ok {
						x.initialise(info.Defs[id], n.Rhs[0])
					}
				}
			case *ast.IncDecStmt:
				if obj := lastObject(info, n.X); obj != nil {
					x.up[obj] = x.up[obj] || n.Tok == token.INC
					x.down[obj] = x.down[obj] || n.Tok == token.DEC
				}
			case *ast.ValueSpec:
				for i, name := range n.Names {
					if i < len(n.Values) {
						x.initialise(info.Defs[name], n.Values[i])
					}
				}
			case *ast.RangeStmt:
				if id, ok := n.Value.(*ast.Ident); ok && n.Tok == token.DEFINE {
					x.initialise(info.Defs[id], n.X)
				}
			}
			return true
		})
	}
}

// lastObject returns the variable or field that an expression ends in.
func lastObject(info *types.Info, e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return asVar(info.Uses[e])
	case *ast.SelectorExpr:
		return asVar(info.Uses[e.Sel])
	}
	return nil
}

func (x *effectInfo) initialise(obj types.Object, e ast.Expr) {
	if obj == nil {
		return
	}
	x.initials[obj] = e
	if lit, ok := ast.Unparen(e).(*ast.FuncLit); ok {
		x.lits[obj] = lit
	}
}

// solve computes the summaries: it repeats until nothing changes, which is
// soon, because a summary only ever grows.
func (x *effectInfo) solve() {
	var order []*types.Func
	for obj := range x.funcs {
		order = append(order, obj)
	}
	sortByPos(x.pass.Fset, order, func(f *types.Func) token.Pos { return f.Pos() })
	for changed := true; changed; {
		changed = false
		for _, obj := range order {
			s := x.funcs[obj]
			if s.What != "" {
				continue
			}
			scope := x.scopeOf(obj, s.decl)
			x.walk(s.decl.Body, scope, func(site effectSite) {
				if site.what != "" && s.What == "" {
					s.What = x.describe(site)
					changed = true
				}
				if s.Mutates|site.mutates != s.Mutates {
					s.Mutates |= site.mutates
					changed = true
				}
			})
		}
	}
}

// describe writes an effect down for callers: what has it in the end, and
// where.
func (x *effectInfo) describe(site effectSite) string {
	if site.cause != "" {
		return site.cause
	}
	return fmt.Sprintf("%s at %s", site.what, short(x.pass.Fset.Position(site.pos)))
}

// place says where an effect is, and what it comes down to.
func (f *finder) place(e *effectSite) string {
	text := short(f.position(e.pos))
	if e.cause != "" {
		text += ", " + e.cause
	}
	return text
}

// An effectSite is one effect within a body.
type effectSite struct {
	pos  token.Pos
	node ast.Node
	// call is the call that has the effect, nil for an assignment.
	call *ast.CallExpr
	// what names the effect, "" if only arguments are changed.
	what string
	// cause is what has the effect in the end, if that is further down.
	cause string
	// mutates are the enclosing function's arguments that are changed, and
	// text says by what.
	mutates uint64
	text    string
}

// walk calls yield for each effect below n, within the scope of a function.
// Literals are walked into where they are run: called, started, deferred or
// handed to a function.
func (x *effectInfo) walk(n ast.Node, scope *scopeOf, yield func(effectSite)) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			x.call(n, scope, yield)
			for _, lit := range x.runs(n) {
				x.walk(lit.Body, scope, yield)
			}
		case *ast.AssignStmt, *ast.IncDecStmt, *ast.SendStmt:
			x.mutation(n.(ast.Stmt), scope, yield)
		}
		return true
	})
}

// runs returns the literals that a call runs.
func (x *effectInfo) runs(call *ast.CallExpr) []*ast.FuncLit {
	if fn, ok := calleeOf(x.pass.TypesInfo, call).(*types.Func); ok && fn.Pkg() != nil {
		// A memo runs its literal once, whatever the rounds; and a handler is
		// not run by what registers it.
		if path := pkgPath(fn.Pkg()); isRuntimePath(path) || isSDKPath(path) {
			return nil
		}
	}
	var lits []*ast.FuncLit
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.FuncLit:
		lits = append(lits, fun)
	case *ast.Ident:
		if lit := x.lits[x.pass.TypesInfo.Uses[fun]]; lit != nil {
			if !within(lit, call.Pos()) {
				lits = append(lits, lit)
			}
		}
	}
	for _, arg := range call.Args {
		if lit, ok := ast.Unparen(arg).(*ast.FuncLit); ok {
			lits = append(lits, lit)
		}
	}
	return lits
}

// within reports whether a position is inside a node.
func within(n ast.Node, pos token.Pos) bool { return n.Pos() <= pos && pos < n.End() }

// call yields the effect of one call, if it has one.
func (x *effectInfo) call(call *ast.CallExpr, scope *scopeOf, yield func(effectSite)) {
	info := x.pass.TypesInfo
	fn, ok := calleeOf(info, call).(*types.Func)
	if !ok {
		return
	}
	site := effectSite{pos: call.Pos(), node: call, call: call}
	e := x.effectOf(fn, call)
	if e.What != "" {
		site.what = e.What
		if x.bodyKnown(fn) {
			site.what, site.cause = callText(call), e.What
		}
		yield(site)
	}
	for i, arg := range argsOf(info, call, fn) {
		if e.Mutates&(1<<i) != 0 && arg != nil && !isMetric(arg) {
			x.touch(arg, scope, site, callText(call), yield)
		}
	}
}

// bodyKnown reports whether a function was judged by its body.
func (x *effectInfo) bodyKnown(fn *types.Func) bool {
	if x.funcs[fn.Origin()] != nil {
		return true
	}
	return fn.Pkg() != nil && fn.Pkg() != x.pass.Pkg && x.pass.ImportPackageFact(fn.Pkg(), new(EffectsKnown))
}

// effectOf judges a call of a function.
func (x *effectInfo) effectOf(fn *types.Func, call *ast.CallExpr) HasEffect {
	fn = fn.Origin()
	if s := x.funcs[fn]; s != nil {
		return s.HasEffect
	}
	if fn.Pkg() == nil || isRuntimePath(pkgPath(fn.Pkg())) {
		return HasEffect{}
	}
	if e, ok := tableEffect(x.pass.TypesInfo, fn, call); ok {
		return e
	}
	if fn.Pkg() != x.pass.Pkg && x.pass.ImportPackageFact(fn.Pkg(), new(EffectsKnown)) {
		if recv := fn.Signature().Recv(); recv == nil || !types.IsInterface(recv.Type()) {
			var e HasEffect
			x.pass.ImportObjectFact(fn, &e)
			return e
		}
	}
	return guessEffect(x.pass.TypesInfo, fn, call)
}

// argsOf returns a call's arguments with the receiver, or nil, first.
func argsOf(info *types.Info, call *ast.CallExpr, fn *types.Func) []ast.Expr {
	args := []ast.Expr{nil}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && fn.Signature().Recv() != nil {
		if s := info.Selections[sel]; s != nil && s.Kind() == types.MethodVal {
			args[0] = sel.X
		} else {
			return call.Args // a method expression has it among its arguments
		}
	}
	args = append(args, call.Args...)
	return args[:min(len(args), 63)]
}
