package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"

	"github.com/mrtr-migrate/mrtr-migrate/analyzer"
)

// planEffects turns the finder's effects before asks into memos. Where an
// assignment is the effect, a marker says so: it mostly can be repeated.
func (pl *plan) planEffects(ring *keyring) {
	for _, fn := range pl.functions {
		if !pl.edited[fn] {
			continue
		}
		for _, f := range pl.findings(fn, codeEffect) {
			call := callAt(fn, f.Pos, f.End)
			if call == nil {
				pl.mark(fn, f.Pos, codeEffect, f.Message)
				continue
			}
			e := &effect{program: pl.program, seen: make(map[*function]bool)}
			e.found = func(fn *function, m *memo) {
				m.key = ring.take(fn, fn.label(), lowerFirst(calledName(m.call)))
				fn.memos = append(fn.memos, m)
			}
			e.record(fn, call)
		}
	}
}

// judgeEffects blocks a function with an effect before an ask that cannot be
// recorded: it would happen again in every round.
func (p *program) judgeEffects(fn *function) {
	for _, f := range p.findings(fn, codeEffect) {
		call := callAt(fn, f.Pos, f.End)
		if call == nil {
			continue
		}
		e := &effect{program: p, seen: make(map[*function]bool)}
		e.left = func(in *function, what *ast.CallExpr, why string) {
			ask := p.question(f)
			where := fmt.Sprintf("%s:%d", filepath.Base(ask.Filename), ask.Line)
			if ask.Filename == fn.path {
				where = "line " + lineNumber(ask.Line)
			}
			// Both lines are named: the one below the marker, and the question's.
			at := p.position(what.Pos())
			line := "in line " + lineNumber(at.Line)
			if in.path != fn.path {
				line = fmt.Sprintf("at %s:%d", filepath.Base(at.Filename), at.Line)
			}
			fn.block(codeEffect, call, "%s %s would run again in every round until the question in %s is answered, and cannot be recorded: %s; make it safe to repeat, or ask first",
				types.ExprString(what.Fun), line, where, why)
		}
		e.record(fn, call)
	}
}

// question says where the question after an effect stands. A line of the same
// file is written so that it can follow the edits, see lineNumbers.
func (p *program) question(f *analyzer.Finding) token.Position {
	switch {
	case f.Ask != nil:
		return p.position(f.Ask.Call.Pos())
	case f.Call != nil:
		return p.position(f.Call.Call.Pos())
	case len(f.Related) > 0:
		return f.Related[0].Pos
	}
	return token.Position{}
}

// An effect is one that happens before a question, on its way to be recorded.
type effect struct {
	*program
	found func(*function, *memo)                 // nil while judging
	left  func(*function, *ast.CallExpr, string) // nil while planning
	seen  map[*function]bool
}

// record finds the memo of a call. A call that asks itself cannot be recorded:
// the effects below it are, each where it stands.
func (e *effect) record(fn *function, call *ast.CallExpr) {
	for _, m := range fn.memos {
		if m.call == call {
			return
		}
	}
	for _, s := range fn.sites {
		if s.call != call {
			continue
		}
		if s.callee != nil {
			e.below(s.callee)
		}
		return // what is not in reach keeps the function from being edited anyway
	}
	m, why := fn.memo(call)
	if m != nil {
		why = fn.identify(m)
	}
	if x := e.fills(fn, call); why == "" && x != nil {
		why = "it may change what is behind " + short(x) + ", which a record does not bring back"
	}
	switch {
	case why != "" && e.left != nil:
		e.left(fn, call, why)
	case why == "" && e.found != nil:
		e.found(fn, m)
	}
	e.feeds(fn, call)
}

// below records the effects of a function that asks.
func (e *effect) below(fn *function) {
	if e.seen[fn] {
		return
	}
	e.seen[fn] = true
	report := e.reports[fn.pkg.Types]
	var calls []*ast.CallExpr
	fn.ownNodes(func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.DeferStmt:
			return false // deferred.go
		case *ast.CallExpr:
			if _, has := report.Effect(n); has {
				calls = append(calls, n)
			}
		}
		return true
	})
	for _, call := range calls {
		inner := slices.ContainsFunc(calls, func(c *ast.CallExpr) bool { return c != call && within1(call, c) })
		if !inner {
			e.record(fn, call)
		}
	}
}

// callAt returns the call expression that a finding is about.
func callAt(fn *function, pos, end token.Pos) *ast.CallExpr {
	var found *ast.CallExpr
	ast.Inspect(fn.body, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && c.Pos() == pos && (found == nil || c.End() == end) {
			found = c
		}
		return true
	})
	return found
}
