package analyzer

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/cfg"
)

// This file is about what rounds do to code: every round runs the handler from
// the top. MRTR011 finds effects that would happen again, MRTR013 asks whose
// order differs from round to round.

// order returns the findings of MRTR011 and MRTR013.
func (f *finder) order() []*Finding {
	var list []*Finding
	for _, fn := range f.funcs.all {
		if f.inTest(fn) {
			continue
		}
		asking := f.askingCalls(fn)
		if len(asking) == 0 {
			continue
		}
		list = append(list, f.effectsBefore(fn, asking)...)
		list = append(list, f.unordered(fn, asking)...)
	}
	return list
}

// askingCalls returns the calls of a function that ask, or may.
func (f *finder) askingCalls(fn *Func) map[*ast.CallExpr]*Finding {
	m := make(map[*ast.CallExpr]*Finding)
	for _, a := range fn.Asks {
		if a.NoEquivalent == "" && !f.ignoredAsk(a) {
			m[a.Call] = &Finding{Ask: a, Func: fn}
		}
	}
	if f.hasRounds(fn) {
		for _, c := range fn.Calls {
			m[c.Call] = &Finding{Call: c, Func: fn}
		}
	}
	return m
}

// hasRounds reports whether a function may run once each round: some request
// that can end in an InputRequiredResult reaches it, or its callers are not
// known.
func (f *finder) hasRounds(fn *Func) bool {
	o := f.originsOf(fn)
	return o.open || len(o.routes) == 0 || slices.ContainsFunc(o.routes, (*route).good)
}

// An event is an effect or a question in the body of a function.
type event struct {
	effect *effectSite
	ask    *ast.CallExpr
}

// effectsBefore returns an MRTR011 for each effect after which the function
// may still ask.
func (f *finder) effectsBefore(fn *Func, asking map[*ast.CallExpr]*Finding) []*Finding {
	s := f.symbolic.prepare(fn)
	if s == nil {
		return nil
	}
	events := make(map[*cfg.Block][]event)
	for _, b := range s.cfg.Blocks {
		if b.Live {
			for _, n := range b.Nodes {
				events[b] = append(events[b], f.events(s, n, asking)...)
			}
		}
	}
	// first is the first question that can be asked from the start of a block.
	memo := make(map[*cfg.Block]*ast.CallExpr)
	first := func(from *cfg.Block) *ast.CallExpr { return firstAsk(from, events, memo) }

	var list []*Finding
	seen := make(map[token.Pos]bool)
	for _, b := range s.cfg.Blocks {
		for i, e := range events[b] {
			if e.effect == nil || seen[e.effect.pos] {
				continue
			}
			ask := nextAsk(events[b][i+1:])
			for _, succ := range b.Succs {
				if ask == nil {
					ask = first(succ)
				}
			}
			if ask == nil {
				continue
			}
			seen[e.effect.pos] = true
			at := f.position(ask.Pos())
			about := asking[ask]
			list = append(list, &Finding{
				Code: CodeEffectBefore, Pos: e.effect.pos, End: e.effect.node.End(),
				Ask: about.Ask, Call: about.Call, Func: fn,
				Message: fmt.Sprintf("%s (%s) happens before the question at %s, so it would happen again each round",
					e.effect.what, f.place(e.effect), short(at)),
				Related: []Related{{at, "this is asked after it"}},
			})
		}
	}
	return list
}

// events returns the effects and questions of a node, in order. A call that
// asks has its own effects after its question: those before it are reported
// where it is declared.
func (f *finder) events(s *symFunc, n ast.Node, asking map[*ast.CallExpr]*Finding) []event {
	if _, ok := n.(*ast.DeferStmt); ok {
		return nil
	}
	var list []event
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if asking[n] != nil {
				list = append(list, event{ask: n})
			}
		}
		return true
	})
	f.effects.walk(n, s.scope, func(e effectSite) {
		if e.what == "" && e.mutates&1 != 0 {
			e.what = e.text
		}
		if e.what != "" {
			list = append(list, event{effect: &e})
		}
	})
	// Within one statement a question is an argument of the effect, or is it.
	return list
}

// nextAsk returns the first question among events.
func nextAsk(list []event) *ast.CallExpr {
	for _, e := range list {
		if e.ask != nil {
			return e.ask
		}
	}
	return nil
}

// firstAsk returns a question that can be reached from the start of a block.
func firstAsk(from *cfg.Block, events map[*cfg.Block][]event, memo map[*cfg.Block]*ast.CallExpr) *ast.CallExpr {
	if ask, ok := memo[from]; ok {
		return ask
	}
	seen := map[*cfg.Block]bool{from: true}
	queue := []*cfg.Block{from}
	for len(queue) > 0 {
		b := queue[0]
		queue = queue[1:]
		if ask := nextAsk(events[b]); ask != nil {
			memo[from] = ask
			return ask
		}
		for _, succ := range b.Succs {
			if !seen[succ] {
				seen[succ] = true
				queue = append(queue, succ)
			}
		}
	}
	memo[from] = nil
	return nil
}

// unordered returns an MRTR013 for each question whose place in the order of
// questions is left to chance.
func (f *finder) unordered(fn *Func, asking map[*ast.CallExpr]*Finding) []*Finding {
	var list []*Finding
	var stack []ast.Node
	ast.Inspect(fn.Body(), func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		stack = append(stack, n)
		call, ok := n.(*ast.CallExpr)
		if !ok || asking[call] == nil {
			return true
		}
		if at, why := f.chance(stack); at != nil {
			place := f.position(at.Pos())
			about := asking[call]
			list = append(list, &Finding{
				Code: CodeOrder, Pos: call.Pos(), End: call.End(), Ask: about.Ask, Call: about.Call, Func: fn,
				Message: fmt.Sprintf("%s asks within %s (%s): the order of questions differs from round to round",
					callText(call), why, short(place)),
				Related: []Related{{place, "the order is chosen here"}},
			})
		}
		return true
	})
	return list
}

// chance returns the innermost statement around a call that leaves the order
// to chance, and what it is.
func (f *finder) chance(stack []ast.Node) (ast.Node, string) {
	for i := len(stack) - 2; i >= 0; i-- {
		inner := stack[i+1]
		switch n := stack[i].(type) {
		case *ast.RangeStmt:
			if inner == ast.Node(n.Body) {
				if f.isMapRange(n.X) {
					return n, "a range over a map"
				}
			}
		case *ast.SelectStmt:
			if len(n.Body.List) > 1 {
				return n, "a select"
			}
		}
	}
	return nil, ""
}

// isMapRange reports whether an expression is a map, or one of package maps'
// iterators over one.
func (f *finder) isMapRange(e ast.Expr) bool {
	if t := f.pass.TypesInfo.TypeOf(e); t != nil {
		if _, ok := t.Underlying().(*types.Map); ok {
			return true
		}
	}
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	fn, _ := calleeOf(f.pass.TypesInfo, call).(*types.Func)
	switch fullName(fn) {
	case "maps.Keys", "maps.Values", "maps.All":
		return true
	}
	return false
}
