package analyzer

import (
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
			f.pass.ExportObjectFact(fn.Obj, &MayAsk{Asks: refs})
		}
	}
}
