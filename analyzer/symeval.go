package analyzer

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// This file evaluates expressions, in three-valued logic.

// eval evaluates an expression without calls that fork the path.
func (p *symPath) eval(env symEnv, e ast.Expr) symValue {
	e = ast.Unparen(e)
	info := p.x.info
	if tv, ok := info.Types[e]; ok {
		if tv.Value != nil {
			return constant_(tv.Value, false)
		}
		if tv.IsNil() {
			return null(false)
		}
	}
	switch e := e.(type) {
	case *ast.Ident:
		if k, ok := keyOf(info, e); ok {
			return env[k]
		}
	case *ast.SelectorExpr:
		return p.selector(env, e)
	case *ast.StarExpr:
		return p.eval(env, e.X)
	case *ast.UnaryExpr:
		return p.unary(env, e)
	case *ast.BinaryExpr:
		return p.binary(env, e)
	case *ast.CallExpr:
		return p.result(env, e, 0)
	case *ast.TypeAssertExpr:
		return mixed(p.eval(env, e.X))
	case *ast.IndexExpr:
		if v := p.eval(env, e.X); v.taint {
			return mixed(v)
		}
	case *ast.SliceExpr:
		return mixed(p.eval(env, e.X))
	case *ast.CompositeLit:
		return p.composite(env, e)
	case *ast.FuncLit:
		return nonNull(false)
	}
	return anything
}

// selector evaluates a field.
func (p *symPath) selector(env symEnv, e *ast.SelectorExpr) symValue {
	if k, ok := keyOf(p.x.info, e); ok {
		if v, ok := env[k]; ok {
			return v
		}
	}
	base := p.eval(env, e.X)
	switch base.kind {
	case nilValue:
		p.crashed = p.crashed || isField(p.x.info, e)
	case answerValue:
		if e.Sel.Name == "Action" {
			return constant_(constant.MakeString(p.outcome.action()), true)
		}
		if t := p.x.info.TypeOf(e); t != nil {
			if _, ok := structOf(t); ok { // an embedded struct
				return base
			}
		}
		return someAnswer
	case recordValue:
		if v, ok := base.fields[e.Sel.Name]; ok {
			return v
		}
		return zeroOf(p.x.info.TypeOf(e), base.taint)
	}
	if base.taint {
		return mixed(base)
	}
	return anything
}

// isField reports whether a selector denotes a field, not a method.
func isField(info *types.Info, e *ast.SelectorExpr) bool {
	s := info.Selections[e]
	return s != nil && s.Kind() == types.FieldVal
}

// unary evaluates !x and &x.
func (p *symPath) unary(env symEnv, e *ast.UnaryExpr) symValue {
	v := p.eval(env, e.X)
	switch e.Op {
	case token.NOT:
		if b, ok := v.truth(); ok {
			return boolean(!b, v.taint)
		}
		return mixed(v)
	case token.AND:
		if v.kind == recordValue || v.kind == answerValue {
			return v
		}
		return nonNull(v.taint)
	}
	return mixed(v)
}

// binary evaluates comparisons and connectives in three-valued logic.
func (p *symPath) binary(env symEnv, e *ast.BinaryExpr) symValue {
	a := p.eval(env, e.X)
	switch e.Op {
	case token.LAND, token.LOR:
		stop := e.Op == token.LOR
		if b, ok := a.truth(); ok && b == stop {
			return a
		}
		crashed := p.crashed
		b := p.eval(env, e.Y)
		if _, ok := a.truth(); !ok {
			p.crashed = crashed // the left side may have prevented it
		}
		if v, ok := b.truth(); ok && v == stop {
			// Decided by the right side whatever the left one is, but for the
			// panics that the left one guards against.
			return boolean(v, b.taint || a.taint)
		}
		if _, ok := a.truth(); ok {
			b.taint = b.taint || a.taint
			return b
		}
		if _, ok := b.truth(); ok {
			a.taint = a.taint || b.taint
			return a
		}
		return mixed(a, b)
	case token.EQL, token.NEQ:
		return equal(a, p.eval(env, e.Y), e.Op == token.EQL)
	}
	b := p.eval(env, e.Y)
	if a.kind == constValue && b.kind == constValue {
		return fold(e.Op, a, b)
	}
	return mixed(a, b)
}

// equal compares two values.
func equal(a, b symValue, want bool) symValue {
	taint := a.taint || b.taint
	isNil := func(v symValue) bool { return v.kind == nilValue }
	notNil := func(v symValue) bool {
		return v.kind == nonNilValue || v.kind == answerValue || v.kind == recordValue
	}
	switch {
	case a.kind == constValue && b.kind == constValue && a.c.Kind() == b.c.Kind():
		return boolean(constant.Compare(a.c, token.EQL, b.c) == want, taint)
	case isNil(a) && isNil(b):
		return boolean(want, taint)
	case isNil(a) && notNil(b), notNil(a) && isNil(b):
		return boolean(!want, taint)
	case a.generic || b.generic:
		return boolean(!want, taint)
	}
	return mixed(a, b)
}

// fold computes an operation on constants.
func fold(op token.Token, a, b symValue) (v symValue) {
	taint := a.taint || b.taint
	defer func() {
		if recover() != nil { // go/constant panics on operations without sense
			v = mixed(a, b)
		}
	}()
	switch op {
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		return boolean(constant.Compare(a.c, op, b.c), taint)
	case token.ADD:
		return constant_(constant.BinaryOp(a.c, op, b.c), taint)
	}
	return mixed(a, b)
}

// composite evaluates a struct literal.
func (p *symPath) composite(env symEnv, e *ast.CompositeLit) symValue {
	t := p.x.info.TypeOf(e)
	if t == nil {
		return anything
	}
	if _, ok := structOf(t); !ok {
		return nonNull(false)
	}
	v := symValue{kind: recordValue, fixed: true, fields: make(map[string]symValue)}
	for _, elt := range e.Elts {
		kv, ok := elt.(*ast.KeyValueExpr)
		if !ok {
			return nonNull(false)
		}
		if key, ok := kv.Key.(*ast.Ident); ok {
			field := p.eval(env, kv.Value)
			v.taint = v.taint || field.taint
			if field.kind == recordValue { // one level is enough
				field = nonNull(field.taint)
			}
			v.fields[key.Name] = field
		}
	}
	return v
}

// zeroOf is the zero value of a type.
func zeroOf(t types.Type, taint bool) symValue {
	if t == nil {
		return anything
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return boolean(false, taint)
		case u.Info()&types.IsString != 0:
			return constant_(constant.MakeString(""), taint)
		case u.Info()&types.IsInteger != 0:
			return constant_(constant.MakeInt64(0), taint)
		}
	case *types.Pointer, *types.Interface, *types.Map, *types.Slice, *types.Chan, *types.Signature:
		return null(taint)
	case *types.Struct:
		return symValue{kind: recordValue, fixed: true, taint: taint, fields: map[string]symValue{}}
	}
	return anything
}
