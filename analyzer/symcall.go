package analyzer

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"strings"
)

// This file evaluates calls: those that ask, those that judge an answer, and
// those of the standard library that do.

// callKey is where a call's result is kept while its statement runs.
func callKey(call *ast.CallExpr, i int) symKey {
	return symKey{path: fmt.Sprintf("call %d %d", call.Lparen, i)}
}

// dropCalls forgets the results of calls at the end of a statement.
func dropCalls(env symEnv) symEnv {
	found := false
	for k := range env {
		found = found || k.obj == nil
	}
	if !found {
		return env
	}
	next := make(symEnv, len(env))
	for k, v := range env {
		if k.obj != nil {
			next[k] = v
		}
	}
	return next
}

// result evaluates the i-th result of a call.
func (p *symPath) result(env symEnv, call *ast.CallExpr, i int) symValue {
	if v, ok := env[callKey(call, i)]; ok {
		return v
	}
	info := p.x.info
	if info.Types[call.Fun].IsType() && len(call.Args) == 1 {
		return p.eval(env, call.Args[0])
	}
	var args []symValue
	for _, arg := range call.Args {
		args = append(args, p.eval(env, arg))
	}
	fn, _ := calleeOf(info, call).(*types.Func)
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && info.Selections[sel] != nil {
		if sel.Sel.Name == "Err" && isContext(info.TypeOf(sel.X)) {
			return null(true) // the ask failed for another reason
		}
		if v := p.eval(env, sel.X); v.taint {
			args = append(args, v)
		}
	}
	taint, generic := false, false
	for _, v := range args {
		taint = taint || v.taint
		generic = generic || v.generic
	}
	switch fullName(fn) {
	case "errors.New", "fmt.Errorf":
		v := nonNull(taint)
		v.generic = generic
		return v
	case "errors.Is", "errors.As":
		if args[0].kind == nilValue || args[0].generic {
			return boolean(false, args[0].taint)
		}
		return mixed(args[0]) // whatever the other argument is
	}
	if generic {
		return ofGeneric(info.TypeOf(call))
	}
	switch fullName(fn) {
	case "strings.EqualFold", "strings.HasPrefix", "strings.HasSuffix", "strings.Contains",
		"strings.ToLower", "strings.ToUpper", "strings.TrimSpace":
		return foldStrings(fn.Name(), args)
	}
	if !taint {
		return anything
	}
	return mixed(args...)
}

// ofGeneric is what a function returns that was given an error of no
// particular kind, or its text: no, if it tests for something.
func ofGeneric(result types.Type) symValue {
	if result == nil {
		return someAnswer
	}
	if basic, ok := result.Underlying().(*types.Basic); ok {
		switch {
		case basic.Info()&types.IsBoolean != 0:
			return boolean(false, true)
		case basic.Info()&types.IsString != 0:
			return symValue{taint: true, fixed: true, generic: true}
		}
	}
	if isError(result) {
		v := nonNull(true)
		v.generic = true
		return v
	}
	return someAnswer
}

// fullName is a function's name with its package's path.
func fullName(fn *types.Func) string {
	if fn == nil || fn.Pkg() == nil || fn.Signature().Recv() != nil {
		return ""
	}
	return fn.Pkg().Path() + "." + fn.Name()
}

// foldStrings computes functions of constant strings.
func foldStrings(name string, args []symValue) symValue {
	text := make([]string, len(args))
	for i, a := range args {
		if a.kind != constValue || a.c.Kind() != constant.String {
			return mixed(args...)
		}
		text[i] = constant.StringVal(a.c)
	}
	taint := mixed(args...).taint
	switch name {
	case "EqualFold":
		return boolean(strings.EqualFold(text[0], text[1]), taint)
	case "HasPrefix":
		return boolean(strings.HasPrefix(text[0], text[1]), taint)
	case "HasSuffix":
		return boolean(strings.HasSuffix(text[0], text[1]), taint)
	case "Contains":
		return boolean(strings.Contains(text[0], text[1]), taint)
	case "ToLower":
		return constant_(constant.MakeString(strings.ToLower(text[0])), taint)
	case "ToUpper":
		return constant_(constant.MakeString(strings.ToUpper(text[0])), taint)
	}
	return constant_(constant.MakeString(strings.TrimSpace(text[0])), taint)
}

// calls runs the calls of a node. It returns the environments with their
// results, more than one if they may return in several ways, and whether the
// outcome has happened.
func (p *symPath) calls(env symEnv, n ast.Node) (forks []symEnv, hit bool) {
	forks = []symEnv{env}
	var calls []*ast.CallExpr
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			calls = append(calls, n)
		}
		return true
	})
	for i := len(calls) - 1; i >= 0; i-- { // arguments before their call
		call := calls[i]
		var next []symEnv
		for _, env := range forks {
			returns, asked, ok := p.invoke(env, call)
			hit = hit || asked
			if !ok {
				next = append(next, env)
				continue
			}
			for _, r := range returns {
				fork := env
				for j, v := range r.values {
					v.taint = true
					fork = fork.with(callKey(call, j), v)
				}
				next = append(next, fork)
			}
		}
		if len(next) > maxOutcomes {
			next = next[:maxOutcomes]
		}
		forks = next
	}
	return forks, hit
}

// invoke returns the ways in which a call returns. ok is false if nothing is
// known of it.
func (p *symPath) invoke(env symEnv, call *ast.CallExpr) (returns []symReturn, asked, ok bool) {
	if p.site == nil || p.site == call {
		if a := p.x.asks[call]; a != nil {
			return []symReturn{answer(p.outcome, a)}, true, true
		}
		if c := p.x.calls[call]; c != nil {
			if p.only != nil && p.site == call {
				return []symReturn{*p.only}, true, true
			}
			returns, ok := p.x.outcomesOf(c, p.outcome, p.depth)
			// Without it nothing after the call means anything.
			p.overflow = p.overflow || !ok
			return returns, true, ok
		}
	}
	// A function of this package that only judges the answer.
	fn, isFunc := calleeOf(p.x.info, call).(*types.Func)
	if !isFunc || p.depth >= maxDepth {
		return nil, false, false
	}
	callee := p.x.f.funcs.byObj[fn.Origin()]
	if callee == nil || p.x.f.mayAsk[callee] {
		return nil, false, false
	}
	args := argsOf(p.x.info, call, fn)
	values := make([]symValue, len(args))
	taint := false
	for i, arg := range args {
		if arg != nil {
			values[i] = p.eval(env, arg)
			taint = taint || values[i].taint
		}
	}
	if !taint {
		return nil, false, false
	}
	returns = p.x.summarise(callee, p.outcome, values, p.depth+1, false)
	return returns, false, len(returns) > 0
}

// answer is what an ask returns with an outcome.
func answer(o outcome, a *Ask) symReturn {
	r := symReturn{asked: true, pos: a.Call.Pos(), values: []symValue{{kind: answerValue, fixed: true}, null(true)}}
	if o.fails() {
		err := nonNull(true)
		err.generic = o == failed
		r.values = []symValue{null(true), err}
	}
	return r
}
