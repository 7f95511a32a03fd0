package analyzer

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// Asks finds the asks of a package, the handlers that reach them and what the
// rules have to say. It reports nothing itself: its result is a *Report.
var Asks = &analysis.Analyzer{
	Name:       "mrtrasks",
	Doc:        "find requests that a Model Context Protocol server makes of its client",
	Run:        runAsks,
	ResultType: reflect.TypeFor[*Report](),
	FactTypes:  []analysis.Fact{new(MayAsk), new(RegistersHandler)},
	Requires:   []*analysis.Analyzer{Effects},

	// A question is found in a package of which something else is broken too.
	RunDespiteErrors: true,
}

// A finder is one run of Asks.
type finder struct {
	pass       *analysis.Pass
	report     *Report
	sdks       *sdkIndex
	funcs      *funcIndex
	flow       *flow
	graph      *graph
	directives *directives

	// methodFacts are the methods of other packages that have a MayAsk fact,
	// by name.
	methodFacts map[string][]*types.Func
	facts       int

	handlers   []*Handler // in the order in which they were found
	handlersOf map[*Func][]*Handler
	foreign    map[*types.Func]*Func
	names      map[string]map[*Func][]string
	initials   map[types.Object]ast.Expr
	asks       []*Ask
	asked      map[askSite]bool
	registers  map[*types.Var]Registration // parameters that become handlers
	origins    map[*Func]*origins
	mayAsk     map[*Func]bool // functions from which an ask can be reached
	reaches    map[*Func][]AskRef
	effects    *effectInfo
	symbolic   *symbolic
}

// An askSite is an ask method at a call.
type askSite struct {
	call *ast.CallExpr
	name funcName
}

func runAsks(pass *analysis.Pass) (result any, err error) {
	if pass.Pkg == nil || len(pass.Files) == 0 {
		return new(Report), nil
	}
	if len(pass.TypeErrors) > 0 {
		// Types are missing in places, and not every place expects it.
		defer func() {
			if r := recover(); r != nil {
				result, err = nil, fmt.Errorf("the package does not type-check, and cannot be analysed in part: %v", r)
			}
		}()
	}
	f := &finder{
		pass:        pass,
		report:      &Report{Package: pass.Pkg},
		effects:     pass.ResultOf[Effects].(*effectInfo),
		sdks:        newSDKIndex(pass.Pkg),
		methodFacts: make(map[string][]*types.Func),
		handlersOf:  make(map[*Func][]*Handler),
		foreign:     make(map[*types.Func]*Func),
		names:       make(map[string]map[*Func][]string),
		asked:       make(map[askSite]bool),
		registers:   make(map[*types.Var]Registration),
	}
	f.collectFacts()
	if !f.sdks.present() && f.facts == 0 {
		return f.report, nil // nothing here can ask
	}
	f.directives = readDirectives(pass.Fset, pass.Files)
	f.funcs = indexFuncs(pass)
	f.flow = newFlow(pass, f.funcs)
	f.graph = newGraph(f)
	f.entries()
	f.presume()
	f.graph.assume(func(fn *Func) bool { return len(f.handlersOf[fn]) > 0 })
	f.connect()
	f.fill()
	f.symbolic = newSymbolic(f)
	f.exportFacts()
	f.exportRegistrations()
	f.report.Findings = f.findings()
	f.report.finder = f
	return f.report, nil
}

// addAsk enters the call of an ask method. session is the receiver where it is
// a method value, method the interface's or the session's own method.
func (f *finder) addAsk(fn *Func, call *ast.CallExpr, a *boundAsk, session ast.Expr, method *types.Func) {
	if fn == nil || f.asked[askSite{call, a.funcName}] {
		return
	}
	f.asked[askSite{call, a.funcName}] = true
	ask := &Ask{Call: call, Kind: a.kind, Method: a.name, Session: session, In: fn, sdk: a.sdk}
	args := call.Args
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		if s := f.pass.TypesInfo.Selections[sel]; s != nil && s.Kind() == types.MethodExpr && len(args) > 0 {
			ask.Session, args = args[0], args[1:]
		}
	}
	if a.ctx >= 0 && a.ctx < len(args) {
		ask.Ctx = args[a.ctx]
	}
	if a.params >= 0 && a.params < len(args) {
		ask.Params = args[a.params]
	}
	if method != nil {
		if recv := method.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
			ask.Interface = namedOf(recv.Type())
		}
	}
	fn.Asks = append(fn.Asks, ask)
	f.asks = append(f.asks, ask)
}

// enclosing returns the innermost function around a position, nil if there is
// none.
func (f *finder) enclosing(pos token.Pos) *Func {
	var best *Func
	for _, fn := range f.funcs.all {
		if body := fn.Body(); body != nil && within(body, pos) && (best == nil || within(best.Body(), body.Pos())) {
			best = fn
		}
	}
	return best
}

// registrationOf returns the entry of a function that registers handlers.
func (f *finder) registrationOf(fn *types.Func) *registration {
	return f.sdks.handler(fn)
}

// isRuntime reports whether a function belongs to our own runtime: its asks
// are migrated.
func (f *finder) isRuntime(fn *types.Func) bool {
	return fn != nil && fn.Pkg() != nil && isRuntimePath(pkgPath(fn.Pkg()))
}

// isRuntimePath reports whether an import path is below our runtime.
func isRuntimePath(path string) bool {
	for _, s := range sdks {
		for _, r := range s.runtime {
			if path == r || strings.HasPrefix(path, r+"/") {
				return true
			}
		}
	}
	return false
}

// isSDKPackage reports whether an import path is one of those in which the
// table's methods are.
func isSDKPackage(path string) bool {
	for _, s := range sdks {
		if slices.Contains(s.packages, path) {
			return true
		}
	}
	return false
}

// isSDKPath reports whether an import path belongs to an SDK itself: what is
// to know of it stands in the table. Its examples are programs like any other.
func isSDKPath(path string) bool {
	for _, s := range sdks {
		rest, ok := strings.CutPrefix(path, s.module)
		if ok && (rest == "" || rest[0] == '/') && !strings.HasPrefix(rest, "/examples") && !strings.HasPrefix(rest, "/conformance") {
			return true
		}
	}
	return false
}

// isSDKOwn reports whether the package under analysis belongs to an SDK.
func (f *finder) isSDKOwn() bool { return isSDKPath(pkgPath(f.pass.Pkg)) }

// position resolves a position of this package.
func (f *finder) position(pos token.Pos) token.Position {
	return f.pass.Fset.Position(pos)
}

// sortByPos sorts by file name and then by place in the text. Positions alone
// do not do: drivers parse files in any order.
func sortByPos[T any](fset *token.FileSet, list []T, pos func(T) token.Pos) {
	slices.SortStableFunc(list, func(a, b T) int { return comparePos(fset, pos(a), pos(b)) })
}

// comparePos compares positions by file name and then by place in the text.
// What has no position comes first.
func comparePos(fset *token.FileSet, a, b token.Pos) int {
	if fa, fb := fset.File(a), fset.File(b); fa != nil && fb != nil && fa != fb {
		return cmp.Or(strings.Compare(fa.Name(), fb.Name()), cmp.Compare(a, b))
	}
	return cmp.Compare(a, b)
}

// scopeOf returns the scope of a function for the analysis of effects.
func (f *finder) scopeOf(fn *Func) *scopeOf {
	var node ast.Node = fn.Lit
	if fn.Decl != nil {
		node = fn.Decl
	}
	return signatureScope(node, f.flow.signature(fn))
}
