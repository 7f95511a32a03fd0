package rewrite

import (
	"go/ast"
	"go/types"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// names hands out identifiers that mean nothing yet in a function: not a name
// that it uses, not one of its package and not an import.
type names struct {
	taken map[string]bool
}

// newNames collects every identifier of the given syntax and of the package.
func newNames(pkg *types.Package, nodes ...ast.Node) *names {
	n := &names{taken: make(map[string]bool)}
	for _, name := range pkg.Scope().Names() {
		n.taken[name] = true
	}
	for _, node := range nodes {
		ast.Inspect(node, func(node ast.Node) bool {
			if id, ok := node.(*ast.Ident); ok {
				n.taken[id.Name] = true
			}
			return true
		})
	}
	return n
}

// fresh returns base, or base with the smallest number that makes it new, and
// takes it.
func (n *names) fresh(base string) string {
	name := base
	for i := 2; n.taken[name] || types.Universe.Lookup(name) != nil; i++ {
		name = base + strconv.Itoa(i)
	}
	n.taken[name] = true
	return name
}

// release gives a name back that turned out not to be needed.
func (n *names) release(name string) { delete(n.taken, name) }

// resultName is the variable name for a result: its own, or one that its type
// suggests.
func resultName(v *types.Var) string {
	if v.Name() != "" && v.Name() != "_" {
		return v.Name()
	}
	return typeName(v.Type())
}

// variable is the name for the only result of a site that needs one.
func (s *site) variable() string {
	name := resultName(s.results().At(0))
	if name != anonymous {
		return name
	}
	// resolveRoots gives roots.
	called := calledName(s.call)
	if i := strings.LastIndexFunc(called, unicode.IsUpper); i > 0 && !unicode.IsUpper(rune(called[i-1])) {
		return lowerFirst(called[i:])
	}
	return name
}

// anonymous is the name for values whose type suggests none.
const anonymous = "value"

// typeName is a conventional variable name for a value of type t.
func typeName(t types.Type) string {
	if types.Identical(t, types.Universe.Lookup("error").Type()) {
		return "err"
	}
	if basic, ok := t.(*types.Basic); ok {
		switch {
		case basic.Info()&types.IsBoolean != 0:
			return "ok"
		case basic.Info()&types.IsString != 0:
			return "answer"
		case basic.Info()&types.IsNumeric != 0:
			return "n"
		}
	}
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if named, ok := types.Unalias(t).(*types.Named); ok {
		name := named.Obj().Name()
		if strings.HasSuffix(name, "Result") {
			return "res"
		}
		return lowerFirst(name)
	}
	return anonymous
}

func lowerFirst(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(r)) + s[size:]
}
