package analyzer

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// maxRefs bounds the asks that a fact names, so that a helper below everything
// does not make facts that grow with the program.
const maxRefs = 32

// A MayAsk is the fact that a call of a function may lead to asks.
type MayAsk struct {
	Asks []AskRef
	// Outcomes say what the function returns when its elicitations end in one
	// way or another. They are empty if that is not known.
	Outcomes []Outcome
}

// An Outcome is one way in which a function returns after its asks.
type Outcome struct {
	// Asks is how they ended: 0 failed, 1 accepted, 2 declined, 3 cancelled,
	// 4 failed with an error that the function may know.
	Asks uint8
	// Results are what is known of the function's results.
	Results []FactValue
	// Pos is where it returns.
	Pos token.Position
	// Decided reports that, after a failure, something else than the answer
	// decides whether it returns like this.
	Decided bool
}

// A FactValue is what is known of a value, in a form that facts can carry.
type FactValue struct {
	Kind  uint8
	Type  uint8  // of the constant: go/constant's Kind
	Text  string // of the constant
	Fixed bool
	// Generic reports an error of no particular kind.
	Generic bool
	// Names and Fields describe a struct.
	Names  []string
	Fields []FactValue
}

// AFact marks MayAsk as a fact.
func (*MayAsk) AFact() {}

// String names the asks, for tests of facts.
func (m *MayAsk) String() string {
	var kinds []string
	for _, a := range m.Asks {
		names := []string{a.Method}
		for _, frame := range slices.Backward(a.Path) {
			names = append([]string{frame.Name}, names...)
		}
		kinds = append(kinds, strings.Join(names, " → "))
	}
	return "mayask " + strings.Join(kinds, ", ")
}

// collectFacts looks at what other packages' functions may ask.
func (f *finder) collectFacts() {
	facts := f.pass.AllObjectFacts()
	slices.SortFunc(facts, func(a, b analysis.ObjectFact) int {
		return strings.Compare(factKey(a), factKey(b))
	})
	for _, of := range facts {
		fn, ok := of.Object.(*types.Func)
		if !ok || fn.Pkg() == f.pass.Pkg {
			continue
		}
		f.facts++
		if fn.Signature().Recv() != nil {
			f.methodFacts[fn.Name()] = append(f.methodFacts[fn.Name()], fn)
		}
	}
}

func factKey(of analysis.ObjectFact) string {
	fn, ok := of.Object.(*types.Func)
	if !ok {
		return ""
	}
	return fn.FullName()
}

// factOf returns the asks below another package's function.
func (f *finder) factOf(fn *types.Func) []AskRef {
	if fn == nil || fn.Pkg() == nil || fn.Pkg() == f.pass.Pkg || isSDKPath(pkgPath(fn.Pkg())) {
		return nil
	}
	var fact MayAsk
	if !f.pass.ImportObjectFact(fn.Origin(), &fact) {
		return nil
	}
	return fact.Asks
}

// exportFacts tells other packages which functions of this one may ask. What
// an SDK's own functions do stands in the table, and our runtime's asks are
// migrated.
func (f *finder) exportFacts() {
	if path := pkgPath(f.pass.Pkg); isSDKPath(path) || isRuntimePath(path) {
		return
	}
	for _, fn := range f.funcs.all {
		if fn.Obj == nil || f.inTest(fn) {
			continue
		}
		if refs := f.below(fn); len(refs) > 0 {
			f.pass.ExportObjectFact(fn.Obj, &MayAsk{Asks: refs, Outcomes: f.outcomes(fn, refs)})
		}
	}
}

// outcomes summarises what a function returns after its elicitations.
func (f *finder) outcomes(fn *Func, refs []AskRef) []Outcome {
	if !slices.ContainsFunc(refs, func(r AskRef) bool { return r.Kind == Elicitation }) {
		return nil
	}
	var list []Outcome
	for o := range particular + 1 {
		returns := f.symbolic.summarise(fn, o, nil, 0, true)
		if len(returns) > maxOutcomes {
			return nil
		}
		for _, r := range returns {
			out := Outcome{Asks: uint8(o), Pos: f.returnPlace(r), Decided: r.decided}
			for _, v := range r.values {
				out.Results = append(out.Results, v.fact())
			}
			list = append(list, out)
		}
	}
	return list
}

// factOutcomes returns how another package's function returns when its asks
// end with an outcome.
func (f *finder) factOutcomes(fn *types.Func, o outcome) []symReturn {
	var fact MayAsk
	if fn == nil || !f.pass.ImportObjectFact(fn.Origin(), &fact) {
		return nil
	}
	var list []symReturn
	for _, out := range fact.Outcomes {
		if outcome(out.Asks) == o {
			r := symReturn{asked: true, at: out.Pos, decided: out.Decided}
			for _, v := range out.Results {
				r.values = append(r.values, v.value())
			}
			list = append(list, r)
		}
	}
	return list
}

// fact turns a value into a form that facts can carry.
func (v symValue) fact() FactValue {
	out := FactValue{Kind: uint8(v.kind), Fixed: v.fixed, Generic: v.generic}
	if v.c != nil {
		switch v.c.Kind() {
		case constant.Bool, constant.Int:
			out.Type, out.Text = uint8(v.c.Kind()), v.c.ExactString()
		case constant.String:
			out.Type, out.Text = uint8(v.c.Kind()), constant.StringVal(v.c)
		default:
			return FactValue{Kind: uint8(unknownValue), Fixed: v.fixed}
		}
	}
	for name := range v.fields {
		out.Names = append(out.Names, name)
	}
	slices.Sort(out.Names)
	for _, name := range out.Names {
		out.Fields = append(out.Fields, v.fields[name].fact())
	}
	return out
}

// value is the reverse of fact. What comes from an ask depends on its outcome.
func (v FactValue) value() symValue {
	out := symValue{kind: valueKind(v.Kind), fixed: v.Fixed, generic: v.Generic, taint: true}
	switch constant.Kind(v.Type) {
	case constant.Bool:
		out.c = constant.MakeBool(v.Text == "true")
	case constant.Int:
		out.c = constant.MakeFromLiteral(v.Text, token.INT, 0)
	case constant.String:
		out.c = constant.MakeString(v.Text)
	}
	if out.kind == recordValue {
		out.fields = make(map[string]symValue)
		for i, name := range v.Names {
			out.fields[name] = v.Fields[i].value()
		}
	}
	return out
}
