package analyzer

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/cfg"
)

// This file is rule MRTR010: after a failed ask the handler goes on as though
// it were answered.
//
// An effect is guarded by an ask if some answer keeps it from happening. It is
// unguarded against failure if it happens all the same when the ask fails, and
// would also happen after "accept". An effect that every answer reaches is not
// guarded, and an alternative that only failure reaches is not "as though
// answered". Where something else than the answer decides after a failure (a
// flag, a setting), the author has thought of it, and nothing is said. Code that
// goes on for a certain error only ("this client cannot elicit") is reported
// if it asks for nothing but leave; if it asks for a value, it has a default.

// failOpen returns the findings of MRTR010.
func (f *finder) failOpen() []*Finding {
	var list []*Finding
	blamed := make(map[*Func]bool) // functions below a finding
	for _, fn := range f.funcs.all {
		if f.inTest(fn) {
			continue
		}
		for _, a := range fn.Asks {
			if a.Kind == Elicitation && !f.ignoredAsk(a) {
				found := f.failOpenAt(fn, a.Call, a, nil)
				list = append(list, found...)
				blamed[fn] = blamed[fn] || len(found) > 0
			}
		}
		for _, c := range fn.Calls {
			if !asksUser(c) || f.symbolic.isNext(c.Call) {
				continue // a handler that was handed in is what is guarded
			}
			found := f.failOpenAt(fn, c.Call, nil, c)
			list = append(list, found...)
			if len(found) > 0 {
				f.blame(blamed, c)
			}
		}
	}
	for _, fn := range f.funcs.all {
		if !f.inTest(fn) && !blamed[fn] && fn.Handler == nil {
			list = append(list, f.openGate(fn)...)
		}
	}
	return list
}

// asksUser reports whether a call may lead to an elicitation.
func asksUser(c *Call) bool {
	return slices.ContainsFunc(c.Reaches, func(r AskRef) bool { return r.Kind == Elicitation })
}

// blame marks the functions of this package that a call leads to.
func (f *finder) blame(blamed map[*Func]bool, c *Call) {
	for _, e := range f.graph.out[c.In] {
		if e.call != c.Call || e.to == nil || blamed[e.to] {
			continue
		}
		blamed[e.to] = true
		for _, below := range e.to.Calls {
			f.blame(blamed, below)
		}
	}
}

// failOpenAt looks at one ask, or one call that may ask.
func (f *finder) failOpenAt(fn *Func, site *ast.CallExpr, a *Ask, c *Call) []*Finding {
	var paths [outcomes]*symPath
	for o := range outcomes {
		if c != nil {
			if _, ok := f.symbolic.outcomesOf(c, o, 0); !ok {
				return nil
			}
		}
		if paths[o] = f.symbolic.start(fn, site, o); paths[o] == nil {
			return nil
		}
	}
	how := "if %s fails"
	unguarded := f.unguarded(&paths)
	if unguarded == nil && f.isGate(fn, site, c) {
		// Nothing but leave is asked for: then no error at all may stand for it.
		how = "for some errors of %s"
		if paths[failed] = f.symbolic.start(fn, site, particular); paths[failed] != nil {
			unguarded = f.unguarded(&paths)
		}
	}
	if unguarded == nil {
		if a == nil || !f.ignored(fn, site) {
			return nil
		}
		return f.ignoredAnswer(fn, site, a, paths[failed])
	}
	at := f.position(unguarded.pos)
	what := fmt.Sprintf(how, callText(site))
	finding := &Finding{
		Code: CodeFailOpen, Pos: site.Pos(), End: site.End(), Ask: a, Call: c, Func: fn,
		Message: fmt.Sprintf("fail-open: %s, %s goes on to %s (%s) as though it had been accepted",
			what, fn.Name, unguarded.what, f.place(unguarded)),
	}
	if from := f.swallowed(site, c, &paths); from.IsValid() {
		finding.Message = fmt.Sprintf("fail-open: %s, it returns as if nothing had happened (%s), and %s goes on to %s (%s) as though it had been accepted",
			what, short(from), fn.Name, unguarded.what, f.place(unguarded))
		finding.Related = append(finding.Related, Related{from, "the failure is swallowed here"})
	}
	finding.Related = append(finding.Related, Related{at, "this happens although the question failed"})
	return []*Finding{finding}
}

// swallowed returns where the function that is called turns the failure into
// something that its caller takes for an answer. It is not valid if it returns
// an error and the caller goes on all the same.
func (f *finder) swallowed(site *ast.CallExpr, c *Call, paths *[outcomes]*symPath) token.Position {
	if c == nil {
		return token.Position{}
	}
	o := paths[failed].outcome
	returns, _ := f.symbolic.outcomesOf(c, o, 0)
	for _, r := range returns {
		if slices.ContainsFunc(r.values, func(v symValue) bool { return v.kind == nonNilValue }) && returnsError(c.Callee) {
			continue
		}
		p := &symPath{x: f.symbolic, fn: paths[failed].fn, site: site, outcome: o, relevant: true, only: &r}
		p.run(symEnv{})
		alone := *paths
		alone[failed] = p
		if f.unguarded(&alone) != nil {
			return f.returnPlace(r)
		}
	}
	return token.Position{}
}

// returnPlace is where a summary's return stands: in another package's file if
// the summary came from a fact.
func (f *finder) returnPlace(r symReturn) token.Position {
	if r.at.IsValid() {
		return r.at
	}
	return f.position(r.pos)
}

// unguarded returns the first effect that happens when the ask fails although
// some answer would prevent it, nil if there is none.
func (f *finder) unguarded(paths *[outcomes]*symPath) *effectSite {
	fail := paths[failed]
	var best *effectSite
	for _, s := range fail.states {
		for i := range s.effects {
			e := &s.effects[i]
			if best != nil && best.pos <= e.pos {
				continue
			}
			key := effectKey(e)
			if !reaches(paths[accepted], key) {
				continue
			}
			if !prevented(paths, key) || decided(paths, key) {
				continue
			}
			best = e
		}
	}
	return best
}

// effectKey tells effects apart: the same call with the same arguments is the
// same effect wherever it stands.
func effectKey(e *effectSite) string {
	if e.call != nil {
		return types.ExprString(e.call)
	}
	return fmt.Sprintf("%s@%d", e.what, e.pos)
}

// hasEffect reports whether a state has an effect.
func (s *symState) hasEffect(key string) bool {
	return slices.ContainsFunc(s.effects, func(e effectSite) bool { return effectKey(&e) == key })
}

// reaches reports whether an effect happens on some path after the outcome.
func reaches(p *symPath, key string) bool {
	return slices.ContainsFunc(p.states, func(s *symState) bool { return s.hasEffect(key) })
}

// leading returns the states from which one like goal can be reached.
func (p *symPath) leading(goal func(*symState) bool) map[*symState]bool {
	preds := make(map[*symState][]*symState)
	var work []*symState
	can := make(map[*symState]bool)
	for _, s := range p.states {
		for _, e := range s.succs {
			preds[e.to] = append(preds[e.to], s)
		}
		if goal(s) {
			can[s] = true
			work = append(work, s)
		}
	}
	for len(work) > 0 {
		s := work[len(work)-1]
		work = work[:len(work)-1]
		for _, q := range preds[s] {
			if !can[q] {
				can[q] = true
				work = append(work, q)
			}
		}
	}
	return can
}

// prevented reports whether some answer keeps an effect from happening: a
// condition on the answer leads to where it cannot happen any more.
func prevented(paths *[outcomes]*symPath, key string) bool {
	for o := accepted; o < outcomes; o++ {
		p := paths[o]
		can := p.leading(func(s *symState) bool { return s.hasEffect(key) })
		for _, s := range p.states {
			if s.hasEffect(key) {
				continue // it has happened
			}
			for _, e := range s.succs {
				if e.taint && e.to.asked && !can[e.to] {
					return true
				}
			}
		}
	}
	return false
}

// decided reports whether, after a failure, something else than the answer
// decides about an effect.
func decided(paths *[outcomes]*symPath, key string) bool {
	answered := make(map[*cfg.Block]bool)
	for o := accepted; o < outcomes; o++ {
		paths[o].markFree(answered)
	}
	return paths[failed].decides(answered, func(s *symState) bool { return s.hasEffect(key) })
}

// markFree marks the blocks that branch on something else than the outcome
// alone, after it.
func (p *symPath) markFree(blocks map[*cfg.Block]bool) {
	for _, s := range p.states {
		if s.late && slices.ContainsFunc(s.succs, func(e symEdge) bool { return e.branch && e.free }) {
			blocks[s.block] = true
		}
	}
}

// decides reports whether a condition that does not depend on the outcome
// alone decides whether a state like goal is reached. Only conditions count
// that are open after a failure and settled, or not met, after an answer: those
// in answered have nothing to do with it.
func (p *symPath) decides(answered map[*cfg.Block]bool, goal func(*symState) bool) bool {
	can := p.leading(goal)
	for _, s := range p.states {
		if !s.late || answered[s.block] {
			continue
		}
		free, yes, no := false, false, false
		for _, e := range s.succs {
			free = free || e.branch && e.free
			yes = yes || can[e.to]
			no = no || !can[e.to]
		}
		if free && yes && no {
			return true
		}
	}
	return false
}

// ignoredAnswer returns the finding about an ask whose answer nobody looks at,
// if an effect follows even when it fails.
func (f *finder) ignoredAnswer(fn *Func, site *ast.CallExpr, a *Ask, fail *symPath) []*Finding {
	var first *effectSite
	for _, s := range fail.states {
		for i := range s.effects {
			if e := &s.effects[i]; first == nil || e.pos < first.pos {
				first = e
			}
		}
	}
	if first == nil {
		return nil
	}
	return []*Finding{{
		Code: CodeFailOpen, Pos: site.Pos(), End: site.End(), Ask: a, Func: fn,
		Message: fmt.Sprintf("fail-open: nobody looks at the answer of %s, and %s goes on to %s (%s) even if it fails",
			callText(site), fn.Name, first.what, f.place(first)),
		Related: []Related{{f.position(first.pos), "this happens whatever was answered"}},
	}}
}
