package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/dave/dst"
)

// zero returns the expression for the zero value of a result. expr is the
// result's type as the function's signature spells it, which is how the file
// can name it.
func zero(t types.Type, expr dst.Expr) dst.Expr {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return &dst.StarExpr{X: &dst.CallExpr{Fun: dst.NewIdent("new"), Args: []dst.Expr{plainClone(expr)}}}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return dst.NewIdent("false")
		case u.Info()&types.IsString != 0:
			return &dst.BasicLit{Kind: token.STRING, Value: `""`}
		case u.Info()&types.IsNumeric != 0:
			return &dst.BasicLit{Kind: token.INT, Value: "0"}
		}
	case *types.Struct, *types.Array:
		return &dst.CompositeLit{Type: plainClone(expr)}
	}
	return dst.NewIdent("nil")
}

// plainClone copies a type expression without its comments and line breaks.
func plainClone(x dst.Expr) dst.Expr {
	c := dst.Clone(x).(dst.Expr)
	dst.Inspect(c, func(n dst.Node) bool {
		if n != nil {
			d := n.Decorations()
			d.Before, d.After, d.Start, d.End = dst.None, dst.None, nil, nil
		}
		return true
	})
	return c
}

// resultTypes returns the type expression of each result, one per value.
func resultTypes(ft *ast.FuncType) []ast.Expr {
	if ft.Results == nil {
		return nil
	}
	var out []ast.Expr
	for _, f := range ft.Results.List {
		for range max(1, len(f.Names)) {
			out = append(out, f.Type)
		}
	}
	return out
}

var errorType = types.Universe.Lookup("error").Type()

func isError(t types.Type) bool { return types.Identical(t, errorType) }
