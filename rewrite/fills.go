package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
)

// fills returns the argument or receiver of an effect through which it may
// change memory that the function goes on to use, or nil. A later round takes
// the record instead of the call, so that memory would stay empty.
func (p *program) fills(fn *function, call *ast.CallExpr) ast.Expr {
	info := fn.pkg.TypesInfo
	callee := p.byCall(info, call)
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.FuncLit:
		if fn.captures(f) {
			return f
		}
	case *ast.Ident:
		if v, ok := info.Uses[f].(*types.Var); ok && fn.contains(v.Pos()) {
			return f // a closure: what it sets is not known
		}
	case *ast.SelectorExpr:
		if info.Selections[f] == nil {
			break
		}
		// A store or a client that a service holds, or that somebody made,
		// stays; what the function itself has laid out does not.
		if v := fn.localRoot(f.X); v != nil && !fn.onlyRead(v, call) && (callee != nil || fn.fresh(v)) && p.writes(callee, -1) {
			return f.X
		}
	}
	for i, arg := range call.Args {
		if lit, ok := ast.Unparen(arg).(*ast.FuncLit); ok && fn.captures(lit) {
			return lit
		}
		if isContext(info.TypeOf(arg)) || !leadsToMemory(info.TypeOf(arg)) {
			continue
		}
		v := fn.localRoot(arg)
		if v == nil || fn.onlyRead(v, call) || callee == nil && !isPointer(info.TypeOf(arg)) && !fn.fresh(v) {
			continue
		}
		if p.writes(callee, i) {
			return arg
		}
	}
	return nil
}

// short names an expression in a reason.
func short(x ast.Expr) string {
	if _, lit := ast.Unparen(x).(*ast.FuncLit); lit {
		return "its function literal"
	}
	return types.ExprString(x)
}

// captures reports whether a literal sets a variable of the function around it.
func (fn *function) captures(lit *ast.FuncLit) bool {
	info := fn.pkg.TypesInfo
	found := false
	sets := func(x ast.Expr) {
		if v := fn.localRoot(x); v != nil && (v.Pos() < lit.Pos() || lit.End() <= v.Pos()) {
			found = true
		}
	}
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, lhs := range n.Lhs {
				if id, ok := lhs.(*ast.Ident); !ok || info.Defs[id] == nil {
					sets(lhs)
				}
			}
		case *ast.IncDecStmt:
			sets(n.X)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				sets(n.X)
			}
		}
		return !found
	})
	return found
}

// fresh reports whether the function itself has laid out the memory of a local
// variable: it has no value but its zero, or one that is written out.
func (fn *function) fresh(v *types.Var) bool {
	for _, x := range fn.assigned(v) {
		x = ast.Unparen(x)
		if addr, ok := x.(*ast.UnaryExpr); ok && addr.Op == token.AND {
			x = ast.Unparen(addr.X)
		}
		switch x := x.(type) {
		case *ast.CompositeLit:
		case *ast.CallExpr:
			if !fn.pkg.TypesInfo.Types[ast.Unparen(x.Fun)].IsBuiltin() {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// leadsToMemory reports whether the holder of a value of this type can change
// what the caller sees.
func leadsToMemory(t types.Type) bool {
	if t == nil {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Slice, *types.Interface:
		return true
	case *types.Struct:
		for f := range u.Fields() {
			if leadsToMemory(f.Type()) {
				return true
			}
		}
	}
	return false
}

// localRoot returns the local variable of fn, no parameter, that an expression
// is or is a part of.
func (fn *function) localRoot(x ast.Expr) *types.Var {
	info := fn.pkg.TypesInfo
	for {
		switch e := ast.Unparen(x).(type) {
		case *ast.UnaryExpr:
			if e.Op != token.AND {
				return nil
			}
			x = e.X
		case *ast.StarExpr:
			x = e.X
		case *ast.SelectorExpr:
			x = e.X
		case *ast.IndexExpr:
			x = e.X
		case *ast.SliceExpr:
			x = e.X
		case *ast.CallExpr:
			if !info.Types[ast.Unparen(e.Fun)].IsType() || len(e.Args) != 1 {
				return nil
			}
			x = e.Args[0]
		case *ast.Ident:
			v, ok := info.Uses[e].(*types.Var)
			if !ok || v.IsField() || !fn.contains(v.Pos()) || isParameter(info, fn.typ, v) || fn.sig.Recv() == v {
				return nil
			}
			return v
		default:
			return nil
		}
	}
}

// onlyRead reports whether the function does not use a variable any more
// behind a call; in a loop, what stands before it comes behind it too.
func (fn *function) onlyRead(v *types.Var, call *ast.CallExpr) bool {
	start := call.End()
	for n := fn.parents[ast.Node(call)]; n != nil; n = fn.parents[n] {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			if v.Pos() < n.Pos() {
				start = n.Pos()
			}
		}
	}
	used := false
	ast.Inspect(fn.body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && fn.pkg.TypesInfo.Uses[id] == v && id.Pos() >= start && !within1(call, id) {
			used = true
		}
		return !used
	})
	return !used
}

// byCall returns the declaration of the function that a call names, with its
// package's types, or nil for one whose body is not at hand.
func (p *program) byCall(info *types.Info, call *ast.CallExpr) *body {
	var id *ast.Ident
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	default:
		return nil
	}
	obj, ok := info.Uses[id].(*types.Func)
	if !ok {
		return nil
	}
	obj = obj.Origin()
	for _, pkg := range p.pkgs {
		if pkg.Types != obj.Pkg() {
			continue
		}
		for _, file := range pkg.Syntax {
			for _, d := range file.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && pkg.TypesInfo.Defs[d.Name] == obj && d.Body != nil {
					return &body{decl: d, sig: obj.Signature(), info: pkg.TypesInfo}
				}
			}
		}
	}
	return nil
}

// A body is a function declaration of the program.
type body struct {
	decl *ast.FuncDecl
	sig  *types.Signature
	info *types.Info
}

// writes reports whether a function may change the memory behind its i-th
// parameter, or its receiver for -1. A function that is not known may; one
// that is may where it assigns through the parameter or hands it on.
func (p *program) writes(b *body, i int) bool {
	if b == nil {
		return true
	}
	v := b.sig.Recv()
	if i >= 0 {
		v = b.sig.Params().At(min(i, b.sig.Params().Len()-1))
	}
	if v == nil {
		return true
	}
	root := func(x ast.Expr) bool {
		for {
			switch e := ast.Unparen(x).(type) {
			case *ast.SelectorExpr:
				x = e.X
			case *ast.IndexExpr:
				x = e.X
			case *ast.SliceExpr:
				x = e.X
			case *ast.StarExpr:
				x = e.X
			case *ast.UnaryExpr:
				x = e.X
			case *ast.Ident:
				return b.info.Uses[e] == v
			default:
				return false
			}
		}
	}
	found := false
	ast.Inspect(b.decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, lhs := range n.Lhs {
				if _, plain := ast.Unparen(lhs).(*ast.Ident); !plain {
					found = found || root(lhs)
				}
			}
			for _, rhs := range n.Rhs { // another name for it
				found = found || leadsToMemory(b.info.TypeOf(rhs)) && root(rhs)
			}
		case *ast.IncDecStmt:
			found = found || root(n.X)
		case *ast.ReturnStmt:
			for _, x := range n.Results {
				found = found || leadsToMemory(b.info.TypeOf(x)) && root(x)
			}
		case *ast.CallExpr:
			if tv := b.info.Types[ast.Unparen(n.Fun)]; tv.IsType() {
				return !found
			}
			for _, arg := range n.Args {
				found = found || leadsToMemory(b.info.TypeOf(arg)) && root(arg) && !onlyReads(b.info, n)
			}
			if sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok && b.info.Selections[sel] != nil {
				found = found || leadsToMemory(b.info.TypeOf(sel.X)) && root(sel.X)
			}
		}
		return !found
	})
	return found
}

// onlyReads reports whether a call leaves its arguments as they are: built-in
// functions and the standard library's printers and encoders.
func onlyReads(info *types.Info, call *ast.CallExpr) bool {
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		b, ok := info.Uses[f].(*types.Builtin)
		return ok && b.Name() != "copy" && b.Name() != "clear" && b.Name() != "delete"
	case *ast.SelectorExpr:
		obj, ok := info.Uses[f.Sel].(*types.Func)
		if !ok || obj.Pkg() == nil {
			return false
		}
		switch obj.Pkg().Path() + "." + obj.Name() {
		case "encoding/json.Marshal", "encoding/json.MarshalIndent", "fmt.Sprint", "fmt.Sprintf", "fmt.Sprintln", "fmt.Errorf", "strings.Join",
			"os.WriteFile", "bytes.NewReader", "io.ReadAll", "slices.Contains", "slices.Clone", "maps.Clone":
			return true
		}
	}
	return false
}
