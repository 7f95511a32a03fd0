package analyzer

import (
	"fmt"
	"go/ast"
	"slices"
)

// This file is the part of MRTR010 about functions that decide for their
// callers.

// openGate returns the finding about a function that returns the same for a
// failure as for "accept", but something else for a refusal: whoever asks it
// for leave goes on. It is of use where the caller cannot be seen (it is in
// another package, or behind an interface): where it can be, its effect is
// reported instead.
func (f *finder) openGate(fn *Func) []*Finding {
	var site *ast.CallExpr
	var about Finding
	for _, a := range fn.Asks {
		if a.Kind == Elicitation && !f.ignoredAsk(a) {
			site, about = a.Call, Finding{Ask: a}
		}
	}
	for _, c := range fn.Calls {
		if site == nil && asksUser(c) && !f.opensBelow(c) {
			site, about = c.Call, Finding{Call: c}
		}
	}
	if site == nil {
		return nil
	}
	how := "if %s fails"
	r := f.opens(fn, failed)
	if r == nil {
		how = "for some errors of %s"
		if r = f.opens(fn, particular); r == nil {
			return nil
		}
	}
	at := f.returnPlace(*r)
	about.Code, about.Pos, about.End, about.Func = CodeFailOpen, site.Pos(), site.End(), fn
	about.Message = fmt.Sprintf("fail-open: %s, %s returns the same as for \"accept\" (%s), so its callers go on as though it had been accepted",
		fmt.Sprintf(how, callText(site)), fn.Name, short(at))
	about.Related = []Related{{at, "the failure is swallowed here"}}
	return []*Finding{&about}
}

// opensBelow reports whether a function that a call leads to is an open gate
// itself: then that one is reported.
func (f *finder) opensBelow(c *Call) bool {
	return f.isGate(c.In, c.Call, c)
}

// opens returns how a function returns after a failure as after "accept", nil
// if it does not, or if a refusal returns the same.
func (f *finder) opens(fn *Func, o outcome) *symReturn {
	yes := f.symbolic.summarise(fn, accepted, nil, 0, true)
	no := slices.Concat(f.symbolic.summarise(fn, declined, nil, 0, true), f.symbolic.summarise(fn, cancelled, nil, 0, true))
	same := func(list []symReturn, r symReturn) bool {
		return slices.ContainsFunc(list, func(o symReturn) bool { return o.key() == r.key() })
	}
	if len(no) == 0 {
		return nil
	}
	for _, r := range f.symbolic.summarise(fn, o, nil, 0, true) {
		if r.definite() && !r.decided && same(yes, r) && !same(no, r) {
			return &r
		}
	}
	return nil
}

// definite reports whether all results are known, and are leave to go on:
// constants and no error.
func (r symReturn) definite() bool {
	for _, v := range r.values {
		if v.kind != nilValue && v.kind != constValue {
			return false
		}
	}
	return len(r.values) > 0
}

// isGate reports whether a question asks for leave only: nothing that was
// typed is used.
func (f *finder) isGate(fn *Func, site *ast.CallExpr, c *Call) bool {
	if c == nil {
		return !f.usesContent(fn, site)
	}
	returns, ok := f.symbolic.outcomesOf(c, particular, 0)
	yes, _ := f.symbolic.outcomesOf(c, accepted, 0)
	return ok && slices.ContainsFunc(returns, func(r symReturn) bool {
		return r.definite() && slices.ContainsFunc(yes, func(y symReturn) bool { return y.key() == r.key() })
	})
}
