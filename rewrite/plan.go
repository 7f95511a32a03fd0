package rewrite

import (
	"go/ast"
	"go/types"

	"github.com/mrtr-migrate/mrtr-migrate/analyzer"
)

// Packages that rewritten code imports.
const (
	shimPath    = ModulePath + "/shim/gosdk"
	shimName    = "mrtr"
	adapterPath = ModulePath + "/legacyadapter"
	adapterName = "legacyadapter"
)

// A plan is everything that one run writes, before any text exists.
type plan struct {
	*program
	*selection
	markers []*marker
	setup   *setup
}

// plan decides keys, call paths, facts, memos and guards for the selected
// functions. It starts from a clean state, so that it can be repeated with
// another selection.
func (p *program) plan(sel *selection) *plan {
	out := &plan{program: p, selection: sel}
	for _, fn := range p.functions {
		fn.memos = nil
		for _, s := range fn.sites {
			s.key, s.at, s.identity, s.index, s.facts, s.guard = "", "", nil, nil, nil, nil
		}
	}
	ring := newKeyring(p)
	paths := p.ambiguous(sel)
	for _, fn := range p.functions {
		if !sel.edited[fn] {
			continue
		}
		for _, s := range fn.sites {
			loops := fn.loopsAround(s)
			if s.ask != nil {
				s.key = ring.take(fn, s.keyParts()...)
				s.facts = fn.helperFacts(s)
			}
			unseen := fn.unseen(s)
			if s.callee != nil && !s.callee.isLiteral() && (paths[s] || identified(loops) || len(unseen) > 0) {
				s.at = ring.take(fn, fn.label(), s.role())
				s.identity = append(s.identity, unseen...)
			}
			if s.ask == nil && s.at == "" {
				continue
			}
			for _, l := range loops {
				if l.element != nil {
					s.identity = append(s.identity, l.element)
				}
				if l.index != nil {
					s.index = append(s.index, l.index)
				}
				if s.ask != nil {
					s.facts = append(s.facts, l.facts...)
				} else {
					s.identity = append(s.identity, l.facts...)
				}
			}
		}
	}
	out.planEffects(ring)
	out.planGuards()
	out.planMarkers()
	out.planSetup()
	return out
}

func identified(loops []loop) bool {
	for _, l := range loops {
		if l.element != nil {
			return true
		}
	}
	return false
}

// ambiguous returns the calls whose path must be part of the key: those of a
// helper that has more than one call below one handler.
func (p *program) ambiguous(sel *selection) map[*site]bool {
	out := make(map[*site]bool)
	for _, h := range sel.handlers {
		calls := make(map[*function][]*site)
		for _, fn := range p.tree(h) {
			for _, s := range fn.sites {
				if s.callee != nil {
					calls[s.callee] = append(calls[s.callee], s)
				}
			}
		}
		for _, sites := range calls {
			if len(sites) < 2 {
				continue
			}
			for _, s := range sites {
				out[s] = true
			}
		}
	}
	return out
}

// indexName returns the name of the variable that a range statement gains for
// its index, always the same one.
func (fn *function) indexName(r *ast.RangeStmt) *ast.Ident {
	if fn.indexes == nil {
		fn.indexes = make(map[*ast.RangeStmt]*ast.Ident)
	}
	if fn.indexes[r] == nil {
		fn.indexes[r] = ast.NewIdent(newNames(fn.pkg.Types, r, importsOf(fn.file)).fresh("i"))
	}
	return fn.indexes[r]
}

// findings returns the findings of a code in a function.
func (p *program) findings(fn *function, code string) []*analyzer.Finding {
	var out []*analyzer.Finding
	for _, f := range p.reports[fn.pkg.Types].Findings {
		if string(f.Code) == code && fn.contains(f.Pos) && p.innermost(fn, f) {
			out = append(out, f)
		}
	}
	return out
}

// innermost reports whether no function literal that is a function of its own
// stands between fn and the finding.
func (p *program) innermost(fn *function, f *analyzer.Finding) bool {
	for _, other := range p.functions {
		if other != fn && other.pkg == fn.pkg && fn.contains(other.node.Pos()) && other.contains(f.Pos) {
			return false
		}
	}
	return true
}

// namedType returns the named type behind a pointer, or nil.
func namedType(t types.Type) *types.Named {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	named, _ := types.Unalias(t).(*types.Named)
	return named
}

// isSDK reports whether t is the SDK's type of this name, or a pointer to it.
func isSDK(t types.Type, name string) bool {
	named := namedType(t)
	return named != nil && named.Obj().Name() == name && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == sdkPath+"/mcp"
}
