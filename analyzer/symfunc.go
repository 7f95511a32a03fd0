package analyzer

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/cfg"
)

// maxDepth bounds how far calls are followed from the function in question,
// maxOutcomes how many ways to return a summary holds.
const (
	maxDepth    = 5
	maxOutcomes = 24
)

// A symbolic runs functions of a package.
type symbolic struct {
	f     *finder
	info  *types.Info
	funcs map[*Func]*symFunc
	memo  map[string][]symReturn
	busy  map[string]bool
	asks  map[*ast.CallExpr]*Ask
	calls map[*ast.CallExpr]*Call
}

func newSymbolic(f *finder) *symbolic {
	x := &symbolic{
		f:     f,
		info:  f.pass.TypesInfo,
		funcs: make(map[*Func]*symFunc),
		memo:  make(map[string][]symReturn),
		busy:  make(map[string]bool),
		asks:  make(map[*ast.CallExpr]*Ask),
		calls: make(map[*ast.CallExpr]*Call),
	}
	for _, a := range f.asks {
		x.asks[a.Call] = a
	}
	for _, fn := range f.funcs.all {
		for _, c := range fn.Calls {
			x.calls[c.Call] = c
		}
	}
	return x
}

// A symFunc is a function prepared for running.
type symFunc struct {
	fn    *Func
	sig   *types.Signature
	cfg   *cfg.CFG
	scope *scopeOf
	// tags maps the expressions of switch cases to the switch's tag.
	tags map[ast.Expr]ast.Expr
	// plain are the case expressions of switches without a tag.
	plain map[ast.Expr]bool
	// volatile are variables that are not followed: literals assign them, or
	// their address is taken.
	volatile map[types.Object]bool
}

// prepare returns a function ready to run, nil if it has no body.
func (x *symbolic) prepare(fn *Func) *symFunc {
	if s, ok := x.funcs[fn]; ok {
		return s
	}
	var s *symFunc
	if body := fn.Body(); body != nil {
		s = &symFunc{
			fn: fn, sig: x.f.flow.signature(fn), cfg: cfg.New(body, x.mayReturn), scope: x.f.scopeOf(fn),
			tags: make(map[ast.Expr]ast.Expr), plain: make(map[ast.Expr]bool), volatile: make(map[types.Object]bool),
		}
		s.scan(x.info, body)
	}
	x.funcs[fn] = s
	return s
}

// scan collects the tags of switches and the volatile variables.
func (s *symFunc) scan(info *types.Info, body *ast.BlockStmt) {
	markTarget := func(e ast.Expr) {
		if k, ok := keyOf(info, e); ok {
			s.volatile[k.obj] = true
		}
	}
	depth := 0
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			depth++
			ast.Inspect(n.Body, visit)
			depth--
			return false
		case *ast.SwitchStmt:
			for _, clause := range n.Body.List {
				for _, e := range clause.(*ast.CaseClause).List {
					if n.Tag != nil {
						s.tags[e] = n.Tag
					} else {
						s.plain[e] = true
					}
				}
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				markTarget(n.X)
			}
		case *ast.AssignStmt:
			if depth > 0 && n.Tok != token.DEFINE {
				for _, lhs := range n.Lhs {
					markTarget(lhs)
				}
			}
		}
		return true
	}
	ast.Inspect(body, visit)
}

// isCond reports whether the last node of a block is the condition on which it
// branches. The control-flow graph also has two successors where it does not
// say why: ranges, selects and type switches.
func (s *symFunc) isCond(b *cfg.Block) bool {
	if len(b.Succs) != 2 || len(b.Nodes) == 0 {
		return false
	}
	e, ok := b.Nodes[len(b.Nodes)-1].(ast.Expr)
	if !ok {
		return false
	}
	switch b.Succs[0].Kind {
	case cfg.KindIfThen, cfg.KindForBody:
		return true
	case cfg.KindSwitchCaseBody:
		return s.tags[e] != nil || s.plain[e]
	}
	return false
}

// condOf returns the condition as one expression.
func (s *symFunc) condOf(b *cfg.Block, cond ast.Expr) ast.Expr {
	if tag := s.tags[cond]; tag != nil {
		return &ast.BinaryExpr{X: tag, Op: token.EQL, Y: cond}
	}
	return cond
}

// mayReturn reports whether a call may return.
func (x *symbolic) mayReturn(call *ast.CallExpr) bool {
	switch fn := calleeOf(x.info, call).(type) {
	case *types.Builtin:
		return fn.Name() != "panic"
	case *types.Func:
		switch fullName(fn) {
		case "os.Exit", "log.Fatal", "log.Fatalf", "log.Fatalln", "log.Panic", "log.Panicf", "runtime.Goexit":
			return false
		}
	}
	return true
}

// start runs a function with one outcome of the ask, or the asks below the
// call, at site. It returns nil if there are too many paths.
func (x *symbolic) start(fn *Func, site *ast.CallExpr, o outcome) *symPath {
	s := x.prepare(fn)
	if s == nil {
		return nil
	}
	for _, relevant := range []bool{true, false} {
		p := &symPath{x: x, fn: s, outcome: o, site: site, relevant: relevant}
		p.run(symEnv{})
		if !p.overflow {
			return p
		}
	}
	return nil
}

// outcomesOf returns the ways in which a call returns whose asks end with an
// outcome.
func (x *symbolic) outcomesOf(c *Call, o outcome, depth int) ([]symReturn, bool) {
	if depth >= maxDepth {
		return nil, false
	}
	var all []symReturn
	for _, e := range x.f.graph.out[c.In] {
		if e.call != c.Call {
			continue
		}
		if e.weak {
			return nil, false // what runs it decides what is returned
		}
		if e.to == nil {
			all = append(all, x.f.factOutcomes(e.callee, o)...)
			continue
		}
		if e.async == nil && x.f.mayAsk[e.to] {
			all = append(all, x.summarise(e.to, o, nil, depth+1, true)...)
		}
	}
	// What something else decides is not what the failure does.
	all = slices.DeleteFunc(all, func(r symReturn) bool { return r.decided })
	return all, len(all) > 0 && len(all) <= maxOutcomes
}

// summarise returns the ways in which a function returns after the outcome of
// its asks or, if it has none, with the given arguments.
func (x *symbolic) summarise(fn *Func, o outcome, args []symValue, depth int, asks bool) []symReturn {
	key := fmt.Sprintf("%p %d %t", fn, o, asks)
	for _, v := range args {
		key += " " + v.key()
	}
	if r, ok := x.memo[key]; ok {
		return r
	}
	s := x.prepare(fn)
	if s == nil || x.busy[key] {
		return nil
	}
	x.busy[key] = true
	defer delete(x.busy, key)
	env := symEnv{}
	for obj, i := range s.scope.args {
		if i < len(args) {
			env = env.with(symKey{obj: obj}, args[i])
		}
	}
	p := &symPath{x: x, fn: s, outcome: o, depth: depth}
	p.run(env)
	if p.overflow {
		x.memo[key] = nil
		return nil
	}
	var list []symReturn
	seen := make(map[string]bool)
	for _, r := range p.returns {
		if asks && !r.asked {
			continue
		}
		for i := range r.values {
			r.values[i].taint = true
		}
		if k := r.key(); !seen[k] {
			seen[k] = true
			list = append(list, r)
		}
	}
	if asks && o.fails() && len(list) > 1 {
		answered := x.answeredBlocks(fn)
		for i := range list {
			list[i].decided = p.decides(answered, func(s *symState) bool {
				return slices.ContainsFunc(p.returns, func(r symReturn) bool { return r.state == s && r.key() == list[i].key() })
			})
		}
	}
	x.memo[key] = list
	return list
}

// key tells returns apart by what is known of their values.
func (r symReturn) key() string {
	k := ""
	for _, v := range r.values {
		v.taint = true
		k += v.key() + ","
	}
	return k
}

// answeredBlocks returns the blocks of a function that branch on something else
// than the outcome after an answer.
func (x *symbolic) answeredBlocks(fn *Func) map[*cfg.Block]bool {
	answered := make(map[*cfg.Block]bool)
	for o := accepted; o < outcomes; o++ {
		p := &symPath{x: x, fn: x.prepare(fn), outcome: o, depth: maxDepth - 1}
		p.run(symEnv{})
		p.markFree(answered)
	}
	return answered
}

// effectsOf returns the effects of a node, without those of the call that
// asks. Going on with a handler that was handed in counts: what it does is what
// the question guards.
func (x *symbolic) effectsOf(s *symFunc, n ast.Node, site *ast.CallExpr) []effectSite {
	var list []effectSite
	x.f.effects.walk(n, s.scope, func(e effectSite) {
		if e.call == site {
			return
		}
		if e.what == "" && e.mutates&1 != 0 {
			e.what = e.text
		}
		if e.what != "" {
			list = append(list, e)
		}
	})
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if x.isNext(n) && n != site {
				list = append(list, effectSite{pos: n.Pos(), node: n, call: n, what: types.ExprString(n.Fun)})
			}
		}
		return true
	})
	return list
}

// isNext reports whether a call goes on with a handler that was handed in: a
// function value that takes a context.
func (x *symbolic) isNext(call *ast.CallExpr) bool {
	v, ok := calleeOf(x.info, call).(*types.Var)
	if !ok || v.IsField() {
		return false
	}
	sig := asSignature(v.Type())
	return sig != nil && sig.Params().Len() >= 2 && sig.Results().Len() > 0 && isContext(sig.Params().At(0).Type())
}
