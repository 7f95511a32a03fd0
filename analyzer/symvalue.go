package analyzer

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"slices"
	"strings"
)

// The files sym*.go follow what a function does with the outcome of an ask:
// values here, expressions and calls in symeval.go and symcall.go, paths in
// sympath.go, whole functions in symfunc.go.
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

func null(taint bool) symValue { return symValue{kind: nilValue, taint: taint, fixed: true} }

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
