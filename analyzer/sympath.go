package analyzer

import (
	"fmt"
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/cfg"
)

// maxStates bounds the states of one run. Beyond it the run gives up, and what
// depends on it says nothing.
const maxStates = 4000

// A symPath runs one function with one outcome of its asks.
type symPath struct {
	x       *symbolic
	fn      *symFunc
	outcome outcome
	// site is the call whose outcome is given; nil if it is that of every ask.
	site  *ast.CallExpr
	depth int
	// relevant reports whether conditions on other values than the outcome are
	// remembered: more precise, but more states.
	relevant bool

	states   []*symState
	seen     map[string]*symState
	returns  []symReturn
	now      *symState  // the state that is being run
	only     *symReturn // if not nil, how the call at site returns
	crashed  bool       // the expression just evaluated panics
	overflow bool       // there are too many paths, or a call that matters is unknown
}

// A symState is a point of the function with what is known there.
type symState struct {
	block *cfg.Block
	node  int // the next node of the block
	env   symEnv
	asked bool // the outcome has happened
	late  bool // the outcome has happened when the state is left

	succs   []symEdge
	effects []effectSite
}

// A symEdge leads to the next state.
type symEdge struct {
	to *symState
	// branch reports a condition; taint that it depends on the outcome, free
	// that it may be decided by something else too.
	branch, taint, free bool
}

// A symReturn is one way in which a function returns.
type symReturn struct {
	values []symValue
	asked  bool
	pos    token.Pos
	at     token.Position // instead of pos, if a fact brought it
	// decided reports that, after a failure, something else than the answer
	// decides whether the function returns like this.
	decided bool
	state   *symState
}

// run explores the function from its entry.
func (p *symPath) run(env symEnv) {
	p.seen = make(map[string]*symState)
	work := []*symState{p.state(p.fn.cfg.Blocks[0], 0, env, false)}
	for len(work) > 0 {
		s := work[len(work)-1]
		work = work[:len(work)-1]
		n := len(p.states)
		p.step(s)
		if p.overflow = p.overflow || len(p.states) > maxStates; p.overflow {
			return
		}
		work = append(work, p.states[n:]...)
	}
}

// state returns the state for a point, a new one if it was not met before.
func (p *symPath) state(b *cfg.Block, node int, env symEnv, asked bool) *symState {
	key := fmt.Sprintf("%d %d %t %s", b.Index, node, asked, env.key())
	if s := p.seen[key]; s != nil {
		return s
	}
	s := &symState{block: b, node: node, env: env, asked: asked}
	p.seen[key] = s
	p.states = append(p.states, s)
	return s
}

// step runs a state up to the next branch or fork.
func (p *symPath) step(s *symState) {
	p.now = s
	env, asked := s.env, s.asked
	s.late = asked
	for i := s.node; i < len(s.block.Nodes); i++ {
		n := s.block.Nodes[i]
		cond := i == len(s.block.Nodes)-1 && p.fn.isCond(s.block)
		forks, hit := p.calls(env, n)
		asked = asked || hit
		s.late = s.late || asked
		if asked {
			p.effects(s, n)
		}
		if len(forks) == 1 {
			env = forks[0]
		} else if len(forks) > 1 {
			// Each result of the call is a path of its own, from here on.
			for _, fork := range forks {
				p.finish(s, fork, asked, i, n, cond)
			}
			return
		}
		if cond {
			p.branch(s, env, asked, n.(ast.Expr))
			return
		}
		var ended bool
		if env, ended = p.exec(env, asked, n); ended {
			return
		}
	}
	p.jump(s, env, asked)
}

// finish completes a node after a fork.
func (p *symPath) finish(s *symState, env symEnv, asked bool, i int, n ast.Node, cond bool) {
	if cond {
		p.branch(s, env, asked, n.(ast.Expr))
		return
	}
	env, ended := p.exec(env, asked, n)
	if ended {
		return
	}
	if i+1 == len(s.block.Nodes) {
		p.jump(s, env, asked)
		return
	}
	s.succs = append(s.succs, symEdge{to: p.state(s.block, i+1, env, asked)})
}

// jump goes on with the block's successors where no condition decides.
func (p *symPath) jump(s *symState, env symEnv, asked bool) {
	for i, succ := range s.block.Succs {
		next := env
		if rng, ok := succ.Stmt.(*ast.RangeStmt); ok && succ.Kind == cfg.KindRangeBody {
			for _, e := range []ast.Expr{rng.Key, rng.Value} {
				if e != nil {
					next = p.set(next, e, mixed(p.eval(next, rng.X)))
				}
			}
		}
		two := len(s.block.Succs) == 2
		s.succs = append(s.succs, symEdge{to: p.state(s.block.Succs[i], 0, next, asked), branch: two, free: two})
	}
}

// branch goes on where a condition leads.
func (p *symPath) branch(s *symState, env symEnv, asked bool, cond ast.Expr) {
	p.crashed = false
	v := p.condition(env, s.block, cond)
	if p.crashed {
		return
	}
	known, ok := v.truth()
	for i, succ := range s.block.Succs {
		truth := i == 0
		if ok && known != truth {
			continue
		}
		next := env
		if !ok {
			next = p.assume(env, p.fn.condOf(s.block, cond), truth)
		}
		next = dropCalls(next)
		s.succs = append(s.succs, symEdge{
			to:     p.state(succ, 0, next, asked),
			branch: true, taint: v.taint, free: !ok && !v.fixed,
		})
	}
}

// condition evaluates what a block branches on.
func (p *symPath) condition(env symEnv, b *cfg.Block, cond ast.Expr) symValue {
	if tag := p.fn.tags[cond]; tag != nil { // a case of a switch
		return equal(p.eval(env, tag), p.eval(env, cond), true)
	}
	return p.eval(env, cond)
}

// assume narrows the environment by a condition that was taken for true or
// false.
func (p *symPath) assume(env symEnv, cond ast.Expr, truth bool) symEnv {
	switch e := ast.Unparen(cond).(type) {
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			return p.assume(env, e.X, !truth)
		}
	case *ast.BinaryExpr:
		switch e.Op {
		case token.LAND, token.LOR:
			if (e.Op == token.LAND) == truth {
				return p.assume(p.assume(env, e.X, truth), e.Y, truth)
			}
		case token.EQL, token.NEQ:
			x, y := e.X, e.Y
			if tv := p.x.info.Types[x]; tv.Value != nil || tv.IsNil() {
				x, y = y, x
			}
			v := p.eval(env, y)
			if (e.Op == token.EQL) == truth {
				return p.narrow(env, x, v)
			}
			if v.kind == nilValue {
				return p.narrow(env, x, nonNull(false))
			}
		}
	case *ast.Ident:
		return p.narrow(env, e, boolean(truth, false))
	}
	return env
}

// narrow enters what a condition says of an expression.
func (p *symPath) narrow(env symEnv, e ast.Expr, v symValue) symEnv {
	k, ok := keyOf(p.x.info, e)
	if !ok || v.kind == unknownValue || p.fn.volatile[k.obj] {
		return env
	}
	old := env[k]
	if !old.taint && !p.relevant {
		return env
	}
	if old.kind != unknownValue {
		return env
	}
	v.taint = old.taint
	return env.with(k, v)
}

// exec runs a statement whose calls are done. It reports whether the path ends.
func (p *symPath) exec(env symEnv, asked bool, n ast.Node) (symEnv, bool) {
	p.crashed = false
	switch n := n.(type) {
	case *ast.AssignStmt:
		env = p.assignment(env, n)
	case *ast.ValueSpec:
		for i, name := range n.Names {
			switch {
			case len(n.Values) == len(n.Names):
				env = p.set(env, name, p.eval(env, n.Values[i]))
			case len(n.Values) == 1:
				env = p.set(env, name, p.multi(env, n.Values[0], i))
			default:
				env = p.set(env, name, zeroOf(p.x.info.TypeOf(name), false))
			}
		}
	case *ast.IncDecStmt:
		env = p.set(env, n.X, anything)
	case *ast.ReturnStmt:
		p.returned(env, asked, n)
		return env, true
	case *ast.ExprStmt:
		if call, ok := n.X.(*ast.CallExpr); ok && !p.x.mayReturn(call) {
			return env, true
		}
	case ast.Expr:
		p.eval(env, n)
	}
	return dropCalls(env), p.crashed
}

// assignment runs an assignment.
func (p *symPath) assignment(env symEnv, n *ast.AssignStmt) symEnv {
	values := make([]symValue, len(n.Lhs))
	for i := range n.Lhs {
		switch {
		case n.Tok != token.ASSIGN && n.Tok != token.DEFINE:
			values[i] = mixed(p.eval(env, n.Lhs[i]), p.eval(env, n.Rhs[0]))
		case len(n.Lhs) == len(n.Rhs):
			values[i] = p.eval(env, n.Rhs[i])
		default:
			values[i] = p.multi(env, n.Rhs[0], i)
		}
	}
	for i, lhs := range n.Lhs {
		env = p.set(env, lhs, values[i])
	}
	return env
}

// multi evaluates the i-th value of an expression that has several.
func (p *symPath) multi(env symEnv, e ast.Expr, i int) symValue {
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		return p.result(env, e, i)
	case *ast.TypeAssertExpr:
		v := p.eval(env, e.X)
		if v.generic && i == 1 {
			return boolean(false, v.taint)
		}
		return mixed(v)
	case *ast.IndexExpr:
		if v := p.eval(env, e.X); v.taint {
			return mixed(v)
		}
	}
	return anything
}

// set assigns a value.
func (p *symPath) set(env symEnv, lhs ast.Expr, v symValue) symEnv {
	k, ok := keyOf(p.x.info, lhs)
	if !ok || p.fn.volatile[k.obj] {
		return env
	}
	return env.with(k, v)
}

// returned notes a return.
func (p *symPath) returned(env symEnv, asked bool, n *ast.ReturnStmt) {
	results := p.fn.sig.Results()
	values := make([]symValue, results.Len())
	for i := range values {
		switch {
		case len(n.Results) == len(values):
			values[i] = p.eval(env, n.Results[i])
		case len(n.Results) == 1:
			values[i] = p.multi(env, n.Results[0], i)
		default: // named results
			if v := results.At(i); !p.fn.volatile[v] {
				values[i] = env[symKey{obj: v}]
			}
		}
	}
	if p.crashed {
		return
	}
	p.returns = append(p.returns, symReturn{values: values, asked: asked, pos: n.Pos(), state: p.now})
}

// effects notes the effects of a node on a state after the outcome.
func (p *symPath) effects(s *symState, n ast.Node) {
	if p.site == nil {
		return // only what the function returns is of interest
	}
	if _, ok := n.(*ast.DeferStmt); ok {
		return // it runs on every way out
	}
	s.effects = append(s.effects, p.x.effectsOf(p.fn, n, p.site)...)
}
