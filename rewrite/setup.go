package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/dave/dst"
	"golang.org/x/tools/go/packages"
)

// setup is what a program needs around its handlers: the middleware at every
// server, the endpoint for both eras, the filter in front of each transport.
type setup struct {
	servers, endpoints, transports []setupCall
	http                           bool
	// found says that the module builds a server at all.
	found bool
}

type setupCall struct {
	pkg  *packages.Package
	file *ast.File
	path string
	call *ast.CallExpr
	arg  int // of a transport
}

// planSetup collects the calls that need the run-time, in the programs that
// contain a rewritten handler.
func (pl *plan) planSetup() {
	pl.setup = &setup{}
	if len(pl.handlers) == 0 {
		return
	}
	touched := make(map[string]bool)
	for fn := range pl.edited {
		touched[fn.pkg.PkgPath] = true
	}
	for _, pkg := range pl.pkgs {
		if report := pl.reports[pkg.Types]; report != nil && pl.editable[pkg.Types] && len(report.HTTPHandlers) > 0 {
			pl.setup.http = true
		}
	}
	for _, pkg := range pl.pkgs {
		report := pl.reports[pkg.Types]
		if report == nil || !pl.editable[pkg.Types] || !pl.together(pkg, touched) {
			continue
		}
		pl.setup.found = pl.setup.found || len(report.Servers) > 0
		for _, call := range report.Servers {
			if s, ok := pl.setupCall(pkg, call); ok && !wrapped(s, "MustInstall") {
				pl.setup.servers = append(pl.setup.servers, s)
			}
		}
		for _, call := range report.HTTPHandlers {
			s, ok := pl.setupCall(pkg, call)
			if !ok {
				continue
			}
			if !asHandler(pkg.TypesInfo, s) {
				pl.setupMarker(s, "this endpoint is used as more than an http.Handler: serve it with legacyadapter.NewStreamableHTTPHandler, which answers both revisions")
				continue
			}
			pl.setup.endpoints = append(pl.setup.endpoints, s)
		}
		for _, call := range report.Transports {
			s, ok := pl.setupCall(pkg, call)
			if !ok {
				continue
			}
			for i, arg := range call.Args {
				if isTransport(pkg.TypesInfo, arg) && !callsAdapter(pkg.TypesInfo, arg, "Transport") {
					s.arg = i
					pl.setup.transports = append(pl.setup.transports, s)
				}
			}
		}
	}
}

func (pl *plan) setupCall(pkg *packages.Package, call *ast.CallExpr) (setupCall, bool) {
	file := fileOf(pkg, call.Pos())
	if file == nil || ast.IsGenerated(file) {
		return setupCall{}, false
	}
	path := pl.fset.PositionFor(file.FileStart, false).Filename
	return setupCall{pkg: pkg, file: file, path: path, call: call}, slices.Contains(pkg.GoFiles, path)
}

func (pl *plan) setupMarker(s setupCall, text string) {
	for _, d := range s.file.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil && d.Pos() <= s.call.Pos() && s.call.End() <= d.End() {
			fn := &function{pkg: s.pkg, file: s.file, path: s.path, node: d, decl: d, typ: d.Type, body: d.Body, parents: parentsOf(d)}
			pl.mark(fn, s.call.Pos(), codeElicitation, text)
			return
		}
	}
}

// together reports whether a package and one of the touched ones are part of
// one program: one imports the other, or a package imports both.
func (pl *plan) together(pkg *packages.Package, touched map[string]bool) bool {
	for _, root := range pl.pkgs {
		closure := make(map[string]bool)
		packages.Visit([]*packages.Package{root}, nil, func(p *packages.Package) { closure[p.PkgPath] = true })
		if !closure[pkg.PkgPath] {
			continue
		}
		for path := range touched {
			if closure[path] {
				return true
			}
		}
	}
	return false
}

// wrapped reports whether the call is an argument of a function of the adapter
// already.
func wrapped(s setupCall, name string) bool {
	found := false
	ast.Inspect(s.file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || !callsAdapter(s.pkg.TypesInfo, call, name) {
			return !found
		}
		for _, arg := range call.Args {
			if within1(arg, s.call) {
				found = true
			}
		}
		return !found
	})
	return found
}

// callsAdapter reports whether x is a call of a function of the adapter.
func callsAdapter(info *types.Info, x ast.Expr, name string) bool {
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok {
		return false
	}
	var id *ast.Ident
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	default:
		return false
	}
	obj := info.Uses[id]
	return obj != nil && obj.Pkg() != nil && obj.Pkg().Path() == adapterPath && obj.Name() == name
}

// isTransport reports whether an argument is an mcp.Transport, or implements
// it.
func isTransport(info *types.Info, arg ast.Expr) bool {
	t := info.TypeOf(arg)
	if t == nil {
		return false
	}
	if isSDK(t, "Transport") {
		return true
	}
	named := namedType(t)
	return named != nil && named.Obj().Pkg() != nil && hasMethod(t, "Connect") && !isSDK(t, "Server")
}

func hasMethod(t types.Type, name string) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
	_, ok := obj.(*types.Func)
	return ok
}

// asHandler reports whether an endpoint is used as an http.Handler only: as an
// argument, or in a variable all of whose uses are arguments and calls of
// ServeHTTP.
func asHandler(info *types.Info, s setupCall) bool {
	parents := parentsOf(s.file)
	if handlerUse(info, parents, s.call) {
		return true
	}
	assign, ok := parents[s.call].(*ast.AssignStmt)
	if !ok || assign.Tok != token.DEFINE || len(assign.Lhs) != 1 {
		return false
	}
	id, ok := assign.Lhs[0].(*ast.Ident)
	if !ok {
		return false
	}
	obj := info.Defs[id]
	for use, o := range info.Uses {
		if o == obj && !handlerUse(info, parents, use) {
			return false
		}
	}
	return obj != nil
}

// handlerUse reports whether an expression stands where an http.Handler does.
func handlerUse(info *types.Info, parents map[ast.Node]ast.Node, x ast.Expr) bool {
	switch parent := parents[x].(type) {
	case *ast.CallExpr:
		sig, ok := info.TypeOf(parent.Fun).Underlying().(*types.Signature)
		if !ok {
			return types.IsInterface(info.TypeOf(parent.Fun)) // a conversion
		}
		for i, arg := range parent.Args {
			if arg == x && i < sig.Params().Len() && types.IsInterface(sig.Params().At(i).Type()) {
				return true
			}
		}
	case *ast.KeyValueExpr:
		if id, ok := parent.Key.(*ast.Ident); ok {
			if f, ok := info.Uses[id].(*types.Var); ok && f.IsField() {
				return types.IsInterface(f.Type())
			}
		}
	case *ast.SelectorExpr:
		return parent.Sel.Name == "ServeHTTP"
	case *ast.ValueSpec:
		return parent.Type != nil && types.IsInterface(info.TypeOf(parent.Type))
	case *ast.AssignStmt:
		for i, rhs := range parent.Rhs {
			if rhs == x && parent.Tok == token.ASSIGN && len(parent.Lhs) == len(parent.Rhs) {
				return types.IsInterface(info.TypeOf(parent.Lhs[i]))
			}
		}
	case *ast.ReturnStmt:
		for n := parents[parent]; n != nil; n = parents[n] {
			var ft *ast.FuncType
			switch n := n.(type) {
			case *ast.FuncDecl:
				ft = n.Type
			case *ast.FuncLit:
				ft = n.Type
			default:
				continue
			}
			if types := resultTypes(ft); len(types) == len(parent.Results) {
				for i, r := range parent.Results {
					if r == x {
						return isInterface(info, types[i])
					}
				}
			}
			return false
		}
	}
	return false
}

func isInterface(info *types.Info, x ast.Expr) bool { return types.IsInterface(info.TypeOf(x)) }

// files returns the files that the setup edits.
func (s *setup) files() map[string]setupCall {
	out := make(map[string]setupCall)
	for _, list := range [][]setupCall{s.servers, s.endpoints, s.transports} {
		for _, c := range list {
			out[c.path] = c
		}
	}
	return out
}

// server wraps mcp.NewServer(…) into legacyadapter.MustInstall(…, keys).
func (w *writer) server(c setupCall, http bool) {
	call, ok := w.doc.node(c.call).(*dst.CallExpr)
	if !ok {
		return
	}
	keys := "EphemeralKeys"
	if http {
		keys = "KeysFromEnvironment"
	}
	inner := &dst.CallExpr{Fun: call.Fun, Args: call.Args, Ellipsis: call.Ellipsis}
	inner.Decs.Lparen = call.Decs.Lparen
	call.Decs.Lparen = nil
	call.Ellipsis = false
	call.Fun = w.selector(w.adapter, "MustInstall")
	call.Args = []dst.Expr{inner, w.runtime(keys)}
	w.used[w.adapter] = true
}

// endpoint exchanges the SDK's constructor for the adapter's.
func (w *writer) endpoint(c setupCall) {
	call, ok := w.doc.node(c.call).(*dst.CallExpr)
	if !ok {
		return
	}
	call.Fun = w.selector(w.adapter, "NewStreamableHTTPHandler")
	w.used[w.adapter] = true
}

// transport wraps a transport into the adapter's filter.
func (w *writer) transport(c setupCall) {
	call, ok := w.doc.node(c.call).(*dst.CallExpr)
	if !ok {
		return
	}
	arg := call.Args[c.arg]
	outer := &dst.CallExpr{Fun: w.selector(w.adapter, "Transport"), Args: []dst.Expr{arg}}
	d := arg.Decorations()
	outer.Decs.Before, outer.Decs.After = d.Before, d.After
	d.Before, d.After = dst.None, dst.None
	call.Args[c.arg] = outer
	w.used[w.adapter] = true
}
