package analyzer

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// This file and the next two follow what a function does with the outcome of
// an ask: values here, paths in sympath.go, whole functions in symfunc.go.
// It is symbolic execution over the control-flow graph, deliberately small: it
// knows booleans, strings, nil and the answer itself, and calls everything
// else unknown.

// An outcome is one of the ways in which an ask can end.
type outcome uint8

const (
	failed    outcome = iota // it returned an error, of no particular kind
	accepted                 // answered, action "accept"
	declined                 // answered, action "decline"
	cancelled                // answered, action "cancel"
	outcomes
	// particular is a failure of which anything may be true: code may take it
	// for one that it knows.
	particular = outcomes
)

// action is the Action of an answer with this outcome.
func (o outcome) action() string {
	return [...]string{"", "accept", "decline", "cancel", ""}[o]
}

// fails reports whether the outcome is an error.
func (o outcome) fails() bool { return o == failed || o == particular }

// A valueKind is what is known of a value.
type valueKind uint8

const (
	unknownValue valueKind = iota
	nilValue
	nonNilValue
	constValue
	answerValue // the answer itself
	recordValue // a struct with known fields
)

// A symValue is what is known of a value on a path.
type symValue struct {
	kind valueKind
	c    constant.Value
	// taint reports that the value depends on the outcome of the ask.
	taint bool
	// fixed reports that the value depends on nothing else. An unknown value
	// that is not fixed may be decided by input, configuration or chance.
	fixed bool
	// generic reports an error of no particular kind, or its text: what tests
	// for a particular one says no.
	generic bool
	fields  map[string]symValue
}

var (
	anything   = symValue{}
	someAnswer = symValue{taint: true, fixed: true}
)

func constant_(c constant.Value, taint bool) symValue {
	return symValue{kind: constValue, c: c, taint: taint, fixed: true}
}

func boolean(b, taint bool) symValue { return constant_(constant.MakeBool(b), taint) }

func null(taint bool) symValue    { return symValue{kind: nilValue, taint: taint, fixed: true} }
func nonNull(taint bool) symValue { return symValue{kind: nonNilValue, taint: taint, fixed: true} }

// truth returns the value of a boolean, and whether it is known.
func (v symValue) truth() (bool, bool) {
	if v.kind == constValue && v.c.Kind() == constant.Bool {
		return constant.BoolVal(v.c), true
	}
	return false, false
}

// dull reports that nothing worth keeping is known of a value.
func (v symValue) dull() bool { return v.kind == unknownValue && !v.taint }

// key tells values apart.
func (v symValue) key() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d", v.kind)
	if v.c != nil {
		b.WriteString(v.c.ExactString())
	}
	if v.taint {
		b.WriteByte('t')
	}
	if v.fixed {
		b.WriteByte('f')
	}
	if v.generic {
		b.WriteByte('g')
	}
	if v.fields != nil {
		names := make([]string, 0, len(v.fields))
		for name := range v.fields {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			b.WriteString("{" + name + ":" + v.fields[name].key() + "}")
		}
	}
	return b.String()
}

// mixed is an unknown value that depends on others.
func mixed(vs ...symValue) symValue {
	out := symValue{fixed: true}
	for _, v := range vs {
		out.taint = out.taint || v.taint
		out.fixed = out.fixed && v.fixed
	}
	return out
}

// A symKey names what the environment holds a value of: a variable, or a
// field behind one.
type symKey struct {
	obj  types.Object
	path string
}

// A symEnv is what is known at a point of a path. It is never changed, only
// copied.
type symEnv map[symKey]symValue

// with returns the environment after an assignment.
func (env symEnv) with(k symKey, v symValue) symEnv {
	next := make(symEnv, len(env)+1)
	for have, old := range env {
		if have.obj == k.obj && (have.path == k.path || strings.HasPrefix(have.path, k.path+".") || k.path == "") {
			continue
		}
		next[have] = old
	}
	if !v.dull() {
		next[k] = v
	}
	return next
}

// key tells environments apart.
func (env symEnv) key() string {
	parts := make([]string, 0, len(env))
	for k, v := range env {
		parts = append(parts, fmt.Sprintf("%p%s=%s", k.obj, k.path, v.key()))
	}
	slices.Sort(parts)
	return strings.Join(parts, ";")
}

// keyOf returns the place that an expression names: a variable or a path of
// fields from one.
func keyOf(info *types.Info, e ast.Expr) (symKey, bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		obj := cmp.Or[types.Object](asVar(info.Defs[e]), asVar(info.Uses[e]))
		return symKey{obj: obj}, obj != nil
	case *ast.SelectorExpr:
		if s := info.Selections[e]; s != nil && s.Kind() == types.FieldVal {
			if k, ok := keyOf(info, e.X); ok {
				k.path += "." + e.Sel.Name
				return k, true
			}
		}
	case *ast.StarExpr:
		return keyOf(info, e.X)
	}
	return symKey{}, false
}

// asVar returns obj if it is a variable, else nil.
func asVar(obj types.Object) types.Object {
	if v, ok := obj.(*types.Var); ok {
		return v
	}
	return nil
}

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
