package analyzer

import (
	"go/ast"
	"go/types"
	"reflect"

	"golang.org/x/tools/go/analysis"
)

// Asks finds the asks of a package, the handlers that reach them and what the
// rules have to say. It reports nothing itself: its result is a *Report.
var Asks = &analysis.Analyzer{
	Name:       "mrtrasks",
	Doc:        "find requests that a Model Context Protocol server makes of its client",
	Run:        runAsks,
	ResultType: reflect.TypeFor[*Report](),
	FactTypes:  []analysis.Fact{new(MayAsk)},
}

// A MayAsk is the fact that a call of a function may lead to asks.
type MayAsk struct {
	Asks []AskRef
}

// AFact marks MayAsk as a fact.
func (*MayAsk) AFact() {}

func runAsks(pass *analysis.Pass) (any, error) {
	report := &Report{Package: pass.Pkg}
	index := indexFuncs(pass)
	for _, f := range index.all {
		if body := f.Body(); body != nil {
			ast.Inspect(body, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncLit:
					return false
				case *ast.CallExpr:
					if ask := directAsk(pass.TypesInfo, n); ask != nil {
						ask.In = f
						f.Asks = append(f.Asks, ask)
						report.Findings = append(report.Findings, &Finding{
							Code: askCode(ask.Kind), Pos: n.Pos(), End: n.End(), Ask: ask, Func: f,
							Message: ask.Kind.String() + " in " + f.Name,
						})
					}
				}
				return true
			})
		}
		if len(f.Asks) > 0 {
			report.Funcs = append(report.Funcs, f)
		}
	}
	return report, nil
}

// directAsk returns the ask that a call of an SDK's own method is.
func directAsk(info *types.Info, call *ast.CallExpr) *Ask {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	selection := info.Selections[sel]
	if selection == nil || selection.Kind() != types.MethodVal {
		return nil
	}
	fn, ok := selection.Obj().(*types.Func)
	if !ok || fn.Pkg() == nil {
		return nil
	}
	for _, s := range sdks {
		for _, m := range s.asks {
			if m.name == fn.Name() && m.pkg == pkgPath(fn.Pkg()) && recvName(fn) == m.recv && len(call.Args) > max(m.ctx, m.params) {
				return &Ask{Call: call, Kind: m.kind, Method: m.name, Session: sel.X, Ctx: call.Args[m.ctx], Params: call.Args[m.params], sdk: s}
			}
		}
	}
	return nil
}

// recvName returns the name of the type whose method fn is.
func recvName(fn *types.Func) string {
	recv := fn.Signature().Recv()
	if recv == nil {
		return ""
	}
	if named := namedOf(recv.Type()); named != nil {
		return named.Obj().Name()
	}
	return ""
}
