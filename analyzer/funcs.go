package analyzer

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// A funcIndex knows every function and literal of a package.
type funcIndex struct {
	all   []*Func // in source order
	byObj map[*types.Func]*Func
	byLit map[*ast.FuncLit]*Func
}

// indexFuncs collects the functions of the package.
func indexFuncs(pass *analysis.Pass) *funcIndex {
	x := &funcIndex{byObj: make(map[*types.Func]*Func), byLit: make(map[*ast.FuncLit]*Func)}
	for _, file := range pass.Files {
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				obj, ok := pass.TypesInfo.Defs[decl.Name].(*types.Func)
				if !ok {
					continue
				}
				f := &Func{Obj: obj, Decl: decl, Name: funcTitle(obj)}
				x.all = append(x.all, f)
				x.byObj[obj] = f
				if decl.Body != nil {
					x.literals(decl.Body, f, f.Name)
				}
			case *ast.GenDecl:
				x.literals(decl, nil, "package "+pass.Pkg.Name())
			}
		}
	}
	return x
}

// literals collects the literals below root, which stands in outer.
func (x *funcIndex) literals(root ast.Node, outer *Func, prefix string) {
	n := 0
	ast.Inspect(root, func(node ast.Node) bool {
		lit, ok := node.(*ast.FuncLit)
		if !ok {
			return true
		}
		n++
		f := &Func{Lit: lit, Outer: outer, Name: fmt.Sprintf("%s.func%d", prefix, n)}
		x.all = append(x.all, f)
		x.byLit[lit] = f
		x.literals(lit.Body, f, f.Name)
		return false
	})
}

// funcTitle is how messages call a function of their own package: its name,
// with the receiver's type before it.
func funcTitle(fn *types.Func) string {
	if recv := fn.Signature().Recv(); recv != nil {
		if named := namedOf(recv.Type()); named != nil {
			return named.Obj().Name() + "." + fn.Name()
		}
	}
	return fn.Name()
}

// foreignTitle is how messages call a function of another package.
func foreignTitle(fn *types.Func) string {
	if fn.Pkg() == nil {
		return funcTitle(fn)
	}
	return fn.Pkg().Name() + "." + funcTitle(fn)
}

// namedOf returns the named type of t, or of what t points to; nil if it is
// neither. An alias is what it stands for.
func namedOf(t types.Type) *types.Named {
	if t == nil {
		return nil
	}
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	named, _ := t.(*types.Named)
	return named
}

// pkgPath returns the import path of a package without the prefix of a vendor
// folder, which some loaders leave in place.
func pkgPath(pkg *types.Package) string {
	path := pkg.Path()
	if i := strings.LastIndex(path, "/vendor/"); i >= 0 {
		return path[i+len("/vendor/"):]
	}
	return path
}
