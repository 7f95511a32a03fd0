package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/dave/dst"
)

// edits turns a plan into file contents. A file in which something cannot be
// written fails alone, with its error.
func (pl *plan) edits() (map[string][]byte, map[string]error) {
	files := make(map[string]*ast.File)
	pkgs := make(map[string]*types.Package)
	note := func(path string, file *ast.File, pkg *types.Package) { files[path], pkgs[path] = file, pkg }
	for _, fn := range pl.functions {
		if pl.edited[fn] {
			note(fn.path, fn.file, fn.pkg.Types)
		}
	}
	for _, m := range pl.markers {
		if !m.here {
			note(m.fn.path, m.fn.file, m.fn.pkg.Types)
		}
	}
	for path, c := range pl.setup.files() {
		note(path, c.file, c.pkg.Types)
	}
	out := make(map[string][]byte)
	failed := make(map[string]error)
	for path, file := range files {
		data, err := pl.editFile(path, file, pkgs[path])
		if err != nil {
			failed[path] = err
			continue
		}
		before, err := pl.read(path)
		if err == nil && string(before) != string(data) {
			out[path] = data
		}
	}
	return out, failed
}

func (pl *plan) editFile(path string, file *ast.File, pkg *types.Package) ([]byte, error) {
	doc, err := pl.openDocument(path, file)
	if err != nil {
		return nil, err
	}
	shim, hasShim := importName(file, pkg, shimPath, shimName)
	adapter, hasAdapter := importName(file, pkg, adapterPath, adapterName)
	w := &writer{doc: doc, shim: shim, adapter: adapter, used: make(map[string]bool), needs: make(map[string]string)}

	var touched []ast.Decl
	touch := func(n ast.Node) {
		for _, d := range file.Decls {
			if d.Pos() <= n.Pos() && n.End() <= d.End() {
				touched = append(touched, d)
			}
		}
	}
	// Markers first: a comment travels with its statement.
	for _, m := range pl.markers {
		if m.fn.path == path && !m.here {
			m.write(doc)
			touch(m.stmt)
		}
	}
	for _, fn := range pl.functions {
		if fn.path != path || !pl.edited[fn] || fn.outer != nil {
			continue
		}
		if err := pl.editFunction(w, fn); err != nil {
			return nil, err
		}
		touch(fn.node)
	}
	for _, c := range pl.setup.servers {
		if c.path == path {
			w.server(c, pl.setup.http)
			touch(c.call)
		}
	}
	for _, c := range pl.setup.endpoints {
		if c.path == path {
			w.endpoint(c)
			touch(c.call)
		}
	}
	for _, c := range pl.setup.transports {
		if c.path == path {
			w.transport(c)
			touch(c.call)
		}
	}
	if pl.editImports(w, file, hasShim, hasAdapter) {
		for _, d := range file.Decls {
			if gen, ok := d.(*ast.GenDecl); ok && gen.Tok == token.IMPORT {
				touched = append(touched, d)
			}
		}
	}
	out, err := doc.close(touched)
	return followLines(doc.orig, out), err
}

// editImports adds what the edits need and drops the SDK where nothing uses it
// any more. It reports whether the imports changed.
func (pl *plan) editImports(w *writer, file *ast.File, hasShim, hasAdapter bool) bool {
	changed := false
	add := func(path, name string) {
		addImport(w.doc.tree, path, name)
		changed = true
	}
	if w.used[w.shim] && !hasShim {
		add(shimPath, w.shim)
	}
	if w.used[w.adapter] && !hasAdapter {
		add(adapterPath, w.adapter)
	}
	for path, name := range w.needs {
		add(path, name)
	}
	return unused(w.doc.tree, file) || changed
}

// unused drops the SDK's import from a file whose last use of it was replaced.
func unused(tree *dst.File, file *ast.File) bool {
	for _, spec := range file.Imports {
		if importPath(spec) != sdkPath+"/mcp" {
			continue
		}
		name := "mcp"
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if name == "." || name == "_" {
			continue
		}
		used := false
		for _, d := range tree.Decls {
			if gen, ok := d.(*dst.GenDecl); ok && gen.Tok == token.IMPORT {
				continue
			}
			dst.Inspect(d, func(n dst.Node) bool {
				if sel, ok := n.(*dst.SelectorExpr); ok {
					if id, ok := sel.X.(*dst.Ident); ok && id.Name == name {
						used = true
					}
				}
				return !used
			})
		}
		if !used {
			dropImport(tree, importPath(spec), name)
			return true
		}
	}
	return false
}

// editFunction rewrites the sites of one function, and of the literals in it
// that are called in place, innermost first.
func (pl *plan) editFunction(w *writer, fn *function) error {
	for _, s := range fn.sites {
		if s.callee != nil && s.callee.outer == fn {
			if err := pl.editFunction(w, s.callee); err != nil {
				return err
			}
		}
	}
	w.fn = fn
	for _, s := range fn.sites {
		call, ok := w.doc.node(s.call).(*dst.CallExpr)
		if !ok {
			return fmt.Errorf("%s: the call is not in the tree", pl.position(s.call.Pos()))
		}
		if s.ask != nil {
			w.ask(s, call)
		} else if s.at != "" {
			w.at(s, call)
		}
		for _, v := range s.index {
			w.number(v)
		}
		if s.guard != nil && s.guard.introduce {
			s.guard.failed = w.introduceError(s, call)
		}
	}
	for _, m := range fn.memos {
		if err := w.memo(m); err != nil {
			return err
		}
	}
	w.fn = fn
	for _, lit := range fn.waits {
		w.wait(fn, lit)
	}
	if _, failed := pl.lower(w.doc, fn, w); failed != nil {
		return fmt.Errorf("%s", failed.why)
	}
	for _, s := range fn.sites {
		if s.guard != nil && s.guard.branch != nil {
			w.refuseInBranch(s.guard)
		}
	}
	return nil
}

// introduceError gives a name to the error that an ask discarded.
func (w *writer) introduceError(s *site, call *dst.CallExpr) string {
	name, tok := s.fn.errorName(s.call)
	switch parent := s.fn.parents[s.call].(type) {
	case *ast.ExprStmt:
		lhs := []dst.Expr{}
		for range s.results().Len() - 1 {
			lhs = append(lhs, dst.NewIdent("_"))
		}
		w.replace(s.fn, parent, &dst.AssignStmt{Lhs: append(lhs, dst.NewIdent(name)), Tok: tok, Rhs: []dst.Expr{call}})
	case *ast.AssignStmt:
		if assign, ok := w.doc.node(parent).(*dst.AssignStmt); ok {
			assign.Lhs[len(assign.Lhs)-1] = dst.NewIdent(name)
			if assign.Tok != token.DEFINE {
				assign.Tok = tok
			}
		}
	}
	return name
}

// errorName returns the name for an error at a place in fn, and whether it is
// assigned to or declared there.
func (fn *function) errorName(at ast.Node) (string, token.Token) {
	obj := fn.lookup("err", at)
	switch v, ok := obj.(*types.Var); {
	case obj == nil:
		return "err", token.DEFINE
	case ok && isError(v.Type()) && fn.contains(v.Pos()):
		return "err", token.ASSIGN
	}
	return newNames(fn.pkg.Types, fn.node).fresh("err"), token.DEFINE
}

// lookup returns what a name means at a place in fn, nil if nothing.
func (fn *function) lookup(name string, at ast.Node) types.Object {
	scope := fn.pkg.Types.Scope().Innermost(at.Pos())
	if scope == nil {
		return nil
	}
	_, obj := scope.LookupParent(name, at.Pos())
	return obj
}

// replace exchanges a statement of fn for others that have no place in the
// syntax; its comments and spacing go to the first.
func (w *writer) replace(fn *function, old ast.Stmt, with ...dst.Stmt) {
	before := w.doc.node(old).(dst.Stmt)
	in := func(list []dst.Stmt) []dst.Stmt {
		i := slices.Index(list, before)
		if i < 0 {
			return list
		}
		*with[0].Decorations() = *before.Decorations()
		return slices.Replace(list, i, i+1, with...)
	}
	switch parent := w.doc.node(fn.parents[old]).(type) {
	case *dst.BlockStmt:
		parent.List = in(parent.List)
	case *dst.CaseClause:
		parent.Body = in(parent.Body)
	case *dst.CommClause:
		parent.Body = in(parent.Body)
	}
}

// ask turns session.Elicit(ctx, params) into mrtr.Elicit(ctx, session, key,
// params, facts...). Arguments that stood on lines of their own still do.
func (w *writer) ask(s *site, call *dst.CallExpr) {
	session, _ := w.doc.node(s.ask.Session).(dst.Expr)
	ctx, _ := w.doc.node(s.ask.Ctx).(dst.Expr)
	params, _ := w.doc.node(s.ask.Params).(dst.Expr)
	if sel, ok := call.Fun.(*dst.SelectorExpr); ok && sel.X == session {
		// A chain that was broken over lines joins on one.
		d := session.Decorations()
		d.Before, d.After = dst.None, dst.None
	}
	before := ctx.Decorations().Before
	if params.Decorations().Before == dst.None {
		before = dst.None
	}
	key := w.key(s.key, s.identity)
	session.Decorations().Before, session.Decorations().After = before, dst.None
	key.Decorations().Before = before
	args := []dst.Expr{ctx, session, key, params}
	for _, f := range s.facts {
		x := w.expression(f)
		x.Decorations().Before = before
		args = append(args, x)
	}
	if last := args[len(args)-1]; last != params {
		last.Decorations().After = params.Decorations().After
		if before == dst.None {
			last.Decorations().After = dst.None
		}
	}
	call.Fun = w.selector(w.shim, s.ask.Method)
	call.Args = args
	w.used[w.shim] = true
}

// at puts the call path into the context that a helper is called with.
func (w *writer) at(s *site, call *dst.CallExpr) {
	for i, arg := range call.Args {
		if w.doc.syntax(arg) != ast.Node(s.ctx) {
			continue
		}
		args := []dst.Expr{arg, stringLit(s.at)}
		for _, x := range s.identity {
			args = append(args, w.expression(x))
		}
		outer := w.runtime("At", args...)
		d := arg.Decorations()
		outer.Decs.NodeDecs = *d
		*d = dst.NodeDecs{}
		call.Args[i] = outer
		return
	}
}
