package rewrite

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/mrtr-migrate/mrtr-migrate/analyzer"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// A program is what the rewriter knows of the asking code: the functions that
// ask or call one that does, and the handlers that start them.
type program struct {
	*loaded
	reports   map[*types.Package]*analyzer.Report
	functions []*function // in order of package and position
	byObject  map[*types.Func]*function
	byNode    map[ast.Node]*function
	// unmarkable are files that cannot take a comment.
	unmarkable map[string]bool
}

// A function is a declaration or a literal that contains a site.
type function struct {
	src     *analyzer.Func
	handler *analyzer.Handler // nil for a helper
	pkg     *packages.Package
	file    *ast.File
	path    string // of the file

	node ast.Node // *ast.FuncDecl or *ast.FuncLit
	decl *ast.FuncDecl
	typ  *ast.FuncType
	body *ast.BlockStmt
	sig  *types.Signature

	outer   *function // the function whose body calls this literal in place
	parents map[ast.Node]ast.Node

	sites   []*site
	callers []*site
	memos   []*memo
	indexes map[*ast.RangeStmt]*ast.Ident
	waits   []*ast.FuncLit // deferred literals that must wait for the last round

	fixed   string    // why its file cannot be edited, "" if it can
	blocked []*Reason // why it cannot be edited, its file's reason included
}

// A site is a call in a function that may end the round: an ask, or a call of
// a function that asks.
type site struct {
	fn     *function
	call   *ast.CallExpr
	ask    *analyzer.Ask // nil for a call
	callee *function     // nil for an ask
	ctx    ast.Expr
	// dynamic says that it is dispatched through an interface or a function
	// value.
	dynamic bool

	// What the plan decides.
	key      string
	at       string // name for mrtr.At, "" for none
	identity []ast.Expr
	index    []*indexVar
	facts    []ast.Expr
	guard    *guard
}

func (s *site) results() *types.Tuple {
	return s.fn.pkg.TypesInfo.TypeOf(s.call.Fun).Underlying().(*types.Signature).Results()
}

// A Reason says why something was left as it was.
type Reason struct {
	Code     string         `json:"code"`
	Position token.Position `json:"-"`
	Message  string         `json:"message"`

	pos  token.Pos
	path string
	fn   *function
}

// model builds the program from the finder's reports.
func model(l *loaded, reports map[*types.Package]*analyzer.Report) *program {
	p := &program{
		loaded: l, reports: reports,
		byObject:   make(map[*types.Func]*function),
		byNode:     make(map[ast.Node]*function),
		unmarkable: make(map[string]bool),
	}
	for _, pkg := range l.pkgs {
		report := reports[pkg.Types]
		if report == nil {
			continue
		}
		for _, src := range report.Funcs {
			p.add(pkg, src)
		}
	}
	slices.SortStableFunc(p.functions, func(a, b *function) int {
		return cmp.Or(strings.Compare(a.path, b.path), cmp.Compare(a.node.Pos(), b.node.Pos()))
	})
	for _, pkg := range l.pkgs {
		if report := reports[pkg.Types]; report != nil {
			p.adopt(report)
		}
	}
	for _, fn := range p.functions {
		p.link(fn)
	}
	return p
}

// adopt marks handlers that a package registers and another one declares.
func (p *program) adopt(report *analyzer.Report) {
	for _, h := range report.Handlers {
		if h.Func == nil {
			continue
		}
		fn := p.byNode[h.Func.Lit]
		if h.Func.Obj != nil {
			fn = p.byObject[h.Func.Obj.Origin()]
		}
		if fn != nil && (fn.handler == nil || fn.handler.Presumed) {
			fn.handler = h
		}
	}
}

func (p *program) add(pkg *packages.Package, src *analyzer.Func) {
	fn := &function{src: src, handler: src.Handler, pkg: pkg}
	switch {
	case src.Lit != nil:
		fn.node, fn.typ, fn.body = src.Lit, src.Lit.Type, src.Lit.Body
		fn.sig, _ = pkg.TypesInfo.TypeOf(src.Lit).(*types.Signature)
	case src.Decl != nil && src.Decl.Body != nil:
		fn.node, fn.typ, fn.body = src.Decl, src.Decl.Type, src.Decl.Body
		fn.sig, _ = pkg.TypesInfo.Defs[src.Decl.Name].Type().(*types.Signature)
		fn.decl = src.Decl
	default:
		return
	}
	fn.file = fileOf(pkg, fn.node.Pos())
	if fn.file == nil || fn.sig == nil {
		return
	}
	fn.path = p.position(fn.node.Pos()).Filename
	for _, d := range fn.file.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Pos() <= fn.node.Pos() && fn.node.End() <= d.End() {
			fn.decl = d
		}
	}
	fn.parents = parentsOf(fn.node)
	p.functions = append(p.functions, fn)
	p.byNode[fn.node] = fn
	if src.Obj != nil {
		p.byObject[src.Obj.Origin()] = fn
	}
}

// link resolves the sites of a function.
func (p *program) link(fn *function) {
	for _, ask := range fn.src.Asks {
		fn.sites = append(fn.sites, &site{fn: fn, call: ask.Call, ask: ask, ctx: ask.Ctx})
	}
	for _, call := range fn.src.Calls {
		s := &site{fn: fn, call: call.Call, ctx: contextArgument(fn.pkg.TypesInfo, call.Call), dynamic: call.Interface || call.Callee == nil}
		if call.Callee != nil {
			s.callee = p.byObject[call.Callee.Origin()]
		}
		if lit, ok := ast.Unparen(call.Call.Fun).(*ast.FuncLit); ok {
			s.callee = p.byNode[lit]
			if s.callee != nil {
				s.callee.outer = fn
			}
		}
		if s.callee != nil {
			s.callee.callers = append(s.callee.callers, s)
		}
		fn.sites = append(fn.sites, s)
	}
	slices.SortFunc(fn.sites, func(a, b *site) int { return cmp.Compare(a.call.Pos(), b.call.Pos()) })
}

// name is how people call the function.
func (fn *function) name() string {
	if d, ok := fn.node.(*ast.FuncDecl); ok {
		if d.Recv != nil {
			return "(" + types.ExprString(d.Recv.List[0].Type) + ")." + d.Name.Name
		}
		return d.Name.Name
	}
	if h := fn.handler; h != nil && h.Name != "" {
		return "the handler of " + h.Name
	}
	if fn.decl != nil {
		return "a function literal in " + fn.decl.Name.Name
	}
	return "a function literal"
}

// tree returns the functions that a handler can reach, the handler first.
func (p *program) tree(handler *function) []*function {
	var out []*function
	seen := make(map[*function]bool)
	var visit func(fn *function)
	visit = func(fn *function) {
		if seen[fn] {
			return
		}
		seen[fn] = true
		out = append(out, fn)
		for _, s := range fn.sites {
			if s.callee != nil {
				visit(s.callee)
			}
		}
	}
	visit(handler)
	return out
}

// entries returns the functions that serve a multi round-trip request and may
// ask.
func (p *program) entries() []*function {
	var out []*function
	for _, fn := range p.functions {
		if fn.handler != nil && protocol.Multiround(fn.handler.Method) && len(fn.sites) > 0 {
			out = append(out, fn)
		}
	}
	return out
}

// position is where pos stands on disk. What cgo makes of a file has no name of
// its own; there the position is that in the file it was made from.
func (p *program) position(pos token.Pos) token.Position {
	at := p.fset.PositionFor(pos, false)
	if filepath.Ext(at.Filename) != ".go" {
		return p.fset.Position(pos)
	}
	return at
}

// parentsOf maps each node below root to the node it stands in.
func parentsOf(root ast.Node) map[ast.Node]ast.Node {
	parents := make(map[ast.Node]ast.Node)
	var stack []ast.Node
	ast.Inspect(root, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if len(stack) > 0 {
			parents[n] = stack[len(stack)-1]
		}
		stack = append(stack, n)
		return true
	})
	return parents
}

// contextArgument returns the argument of a call that is a context.
func contextArgument(info *types.Info, call *ast.CallExpr) ast.Expr {
	for _, arg := range call.Args {
		if isContext(info.TypeOf(arg)) {
			return arg
		}
	}
	return nil
}

func isContext(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Name() == "Context" && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "context"
}
