package analyzer

import (
	"go/ast"
	"go/types"
	"slices"
)

// This file looks at what becomes of an answer after the question.

// usesContent reports whether the answer of an ask is used for more than to
// tell yes from no.
func (f *finder) usesContent(fn *Func, site *ast.CallExpr) bool {
	var answer types.Object
	ast.Inspect(fn.Body(), func(n ast.Node) bool {
		if s, ok := n.(*ast.AssignStmt); ok && len(s.Rhs) == 1 && ast.Unparen(s.Rhs[0]) == ast.Expr(site) {
			if k, ok := keyOf(f.pass.TypesInfo, s.Lhs[0]); ok {
				answer = k.obj
			}
		}
		return answer == nil
	})
	if answer == nil {
		return false
	}
	uses := false
	var stack []ast.Node
	ast.Inspect(fn.Body(), func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if id, ok := n.(*ast.Ident); ok && f.pass.TypesInfo.Uses[id] == answer {
			uses = uses || f.isData(stack)
		}
		stack = append(stack, n)
		return true
	})
	return uses
}

// isData reports whether a use of an answer, of which the nodes around are
// given, is more than a judgement.
func (f *finder) isData(around []ast.Node) bool {
	for _, n := range slices.Backward(around) {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if n.Sel.Name == "Action" {
				return false
			}
		case *ast.ParenExpr, *ast.IndexExpr:
		case *ast.TypeAssertExpr:
			t := f.pass.TypesInfo.TypeOf(n.Type)
			return !isBoolean(t) && !isContainer(t)
		case *ast.CallExpr:
			return !isBoolean(f.pass.TypesInfo.TypeOf(n)) && !isError(f.pass.TypesInfo.TypeOf(n))
		case *ast.BinaryExpr:
			return false
		default:
			return true
		}
	}
	return true
}

func isBoolean(t types.Type) bool {
	if t == nil {
		return false
	}
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsBoolean != 0
}

// isContainer reports whether t is a map: the content as a whole.
func isContainer(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Map)
	return ok
}

// ignored reports whether nobody looks at what an ask returns: the answer is
// thrown away, and the error is at most compared and logged.
func (f *finder) ignored(fn *Func, site *ast.CallExpr) bool {
	thrown := false
	var err types.Object
	ast.Inspect(fn.Body(), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ExprStmt:
			thrown = thrown || ast.Unparen(n.X) == ast.Expr(site)
		case *ast.AssignStmt:
			if len(n.Rhs) == 1 && ast.Unparen(n.Rhs[0]) == ast.Expr(site) && isBlank(n.Lhs[0]) {
				thrown = true
				if k, ok := keyOf(f.pass.TypesInfo, n.Lhs[len(n.Lhs)-1]); ok {
					err = k.obj
				}
			}
		}
		return true
	})
	return thrown && (err == nil || !f.passedOn(fn, err))
}

// passedOn reports whether a variable is used for more than comparisons and
// logging.
func (f *finder) passedOn(fn *Func, v types.Object) bool {
	used := false
	var stack []ast.Node
	ast.Inspect(fn.Body(), func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if id, ok := n.(*ast.Ident); ok && f.pass.TypesInfo.Uses[id] == v {
			switch around := stack[len(stack)-1].(type) {
			case *ast.BinaryExpr:
			case *ast.AssignStmt:
				used = used || slices.Contains(around.Rhs, ast.Expr(id))
			case *ast.CallExpr:
				fn, _ := calleeOf(f.pass.TypesInfo, around).(*types.Func)
				path := pathOf(fn)
				used = used || path != "log" && path != "log/slog" && path != "fmt"
			default:
				used = true
			}
		}
		stack = append(stack, n)
		return true
	})
	return used
}
