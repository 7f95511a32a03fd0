package analyzer

import (
	"go/ast"
	"go/constant"
	"go/types"
	"strings"
)

// This file finds the names of tools, prompts and resources: in the call that
// registers them, or beside their handler where it goes into a table or
// through a function.

// pairedName looks for the name of a handler that comes out of a table or
// through a function that registers its arguments: at the place where the
// handler goes in, its name is beside it.
func (f *finder) pairedName(v funcValue, reg *registration) string {
	if v.fn == nil {
		return ""
	}
	if names := f.itemNames(reg.nameField)[v.fn]; len(names) > 0 {
		return names[0]
	}
	return ""
}

// itemNames maps functions to the names beside which they stand, in composite
// literals and in calls of this package's functions.
func (f *finder) itemNames(nameField string) map[*Func][]string {
	if m, ok := f.names[nameField]; ok {
		return m
	}
	m := make(map[*Func][]string)
	f.names[nameField] = m
	pair := func(name string, list []ast.Expr) {
		if name == "" {
			return
		}
		for _, e := range list {
			if carriesFunc(f.pass.TypesInfo.TypeOf(e)) {
				for _, v := range f.flow.denotes(e) {
					if v.fn != nil {
						m[v.fn] = append(m[v.fn], name)
					}
				}
			}
		}
	}
	registers := make(map[*Func]bool)
	for _, r := range f.graph.registrations {
		registers[r.in] = true
	}
	for _, file := range f.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				if _, ok := structOf(f.pass.TypesInfo.TypeOf(n)); ok {
					name, values := f.rowName(n, nameField)
					pair(name, values)
					break
				}
				for _, elt := range n.Elts { // a map from names to handlers
					if kv, ok := elt.(*ast.KeyValueExpr); ok {
						pair(f.constName(kv.Key, nameField, 0), []ast.Expr{kv.Value})
					}
				}
			case *ast.CallExpr:
				fn, ok := calleeOf(f.pass.TypesInfo, n).(*types.Func)
				if ok && registers[f.funcs.byObj[fn.Origin()]] {
					pair(f.firstName(n.Args, nameField), n.Args)
				}
			}
			return true
		})
	}
	return m
}

// rowName returns the name in a struct literal, and all its values. A field
// that is called a name comes before any other string.
func (f *finder) rowName(lit *ast.CompositeLit, nameField string) (string, []ast.Expr) {
	var named, values []ast.Expr
	for _, elt := range lit.Elts {
		kv, ok := elt.(*ast.KeyValueExpr)
		if !ok {
			values = append(values, elt)
			continue
		}
		values = append(values, kv.Value)
		if key, ok := kv.Key.(*ast.Ident); ok && (strings.EqualFold(key.Name, "name") || strings.EqualFold(key.Name, nameField)) {
			named = append(named, kv.Value)
		}
	}
	if name := f.firstName(named, nameField); name != "" {
		return name, values
	}
	return f.firstName(values, nameField), values
}

// firstName returns the first of the expressions' constant names.
func (f *finder) firstName(list []ast.Expr, nameField string) string {
	for _, e := range list {
		if name := f.constName(e, nameField, 0); name != "" {
			return name
		}
	}
	return ""
}

// constName returns the constant name that describes a tool, prompt or
// resource, "" if it cannot be seen.
func (f *finder) constName(e ast.Expr, field string, depth int) string {
	if depth > 4 {
		return ""
	}
	e = ast.Unparen(e)
	if tv, ok := f.pass.TypesInfo.Types[e]; ok && tv.Value != nil {
		if tv.Value.Kind() == constant.String {
			return constant.StringVal(tv.Value)
		}
		return ""
	}
	switch e := e.(type) {
	case *ast.UnaryExpr:
		return f.constName(e.X, field, depth+1)
	case *ast.CompositeLit:
		if v := fieldValue(e, field); v != nil {
			return f.constName(v, field, depth+1)
		}
	case *ast.Ident:
		if init := f.initial(f.pass.TypesInfo.Uses[e]); init != nil {
			return f.constName(init, field, depth+1)
		}
	case *ast.CallExpr:
		fn, ok := calleeOf(f.pass.TypesInfo, e).(*types.Func)
		if !ok {
			return ""
		}
		if own := f.funcs.byObj[fn.Origin()]; own != nil {
			if v := onlyResult(own); v != nil {
				return f.constName(v, field, depth+1)
			}
			return ""
		}
		if len(e.Args) > 0 && f.sdks.pkgs[pathOf(fn)] != nil {
			return f.constName(e.Args[0], field, depth+1)
		}
	}
	return ""
}

// initial returns the expression that a variable is declared with, nil if
// there is none.
func (f *finder) initial(obj types.Object) ast.Expr {
	v, ok := obj.(*types.Var)
	if !ok {
		return nil
	}
	if f.initials == nil {
		f.initials = make(map[types.Object]ast.Expr)
		for _, file := range f.pass.Files {
			ast.Inspect(file, func(n ast.Node) bool {
				var lhs, rhs []ast.Expr
				switch n := n.(type) {
				case *ast.AssignStmt:
					lhs, rhs = n.Lhs, n.Rhs
				case *ast.ValueSpec:
					for _, name := range n.Names {
						lhs = append(lhs, name)
					}
					rhs = n.Values
				}
				if len(lhs) != len(rhs) {
					return true
				}
				for i := range lhs {
					if id, ok := lhs[i].(*ast.Ident); ok {
						if obj := f.pass.TypesInfo.Defs[id]; obj != nil {
							f.initials[obj] = rhs[i]
						}
					}
				}
				return true
			})
		}
	}
	return f.initials[v]
}

// fieldValue returns the value of a field in a composite literal.
func fieldValue(lit *ast.CompositeLit, field string) ast.Expr {
	if field == "" {
		return nil
	}
	for _, elt := range lit.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			if key, ok := kv.Key.(*ast.Ident); ok && key.Name == field {
				return kv.Value
			}
		}
	}
	return nil
}

// onlyResult returns the expression that a function always returns, nil if
// there is more than one.
func onlyResult(fn *Func) ast.Expr {
	var result ast.Expr
	n := 0
	if body := fn.Body(); body != nil {
		ast.Inspect(body, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.FuncLit:
				return false
			case *ast.ReturnStmt:
				n++
				if len(node.Results) > 0 {
					result = node.Results[0]
				}
			}
			return true
		})
	}
	if n != 1 {
		return nil
	}
	return result
}
