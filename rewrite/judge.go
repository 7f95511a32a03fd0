package rewrite

import (
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"slices"

	"github.com/dave/dst"

	"github.com/mrtr-migrate/mrtr-migrate/analyzer"
)

// Codes of the rules that the rewriter's own reasons belong to. Their meaning
// is the analyzer's, or else in Diagnostics.
const (
	codeElicitation = "MRTR001"
	codeSampling    = "MRTR002"
	codeRoots       = "MRTR003"
	codeNoHandler   = "MRTR005"
	codeFailOpen    = "MRTR010"
	codeEffect      = "MRTR011"
	codeOrder       = "MRTR013"
	codeGoroutine   = "MRTR014"
	codeDefer       = "MRTR016"
	codeContext     = "MRTR028"
)

// code returns the rule under which an ask, or a call that leads to asks, is
// reported.
func (s *site) code() string {
	if s.ask == nil {
		return codeElicitation
	}
	switch s.ask.Kind {
	case analyzer.Sampling:
		return codeSampling
	case analyzer.Roots:
		return codeRoots
	}
	return codeElicitation
}

// judge finds, for every function, what keeps it from being edited. It does
// not look at other functions: select.go does.
func (p *program) judge() {
	for _, fn := range p.functions {
		if why := p.fixed(fn); why != "" {
			fn.fixed = why
			fn.block(codeElicitation, fn.node, "%s", why)
		}
	}
	for _, fn := range p.functions {
		if fn.fixed != "" {
			continue
		}
		p.judgePlace(fn)
		p.judgeDefers(fn)
		p.judgeEffects(fn)
		for _, s := range fn.sites {
			p.judgeSite(fn, s)
		}
	}
	p.tryLowering()
}

func (fn *function) block(code string, at ast.Node, format string, args ...any) {
	fn.blocked = append(fn.blocked, &Reason{
		Code: code, Position: fn.pkg.Fset.PositionFor(at.Pos(), false), Message: fmt.Sprintf(format, args...),
		pos: at.Pos(), path: fn.path, fn: fn,
	})
}

// fixed says why nothing in the function's file may change, or is "".
func (p *program) fixed(fn *function) string {
	name := filepath.Base(fn.path)
	switch {
	case !p.editable[fn.pkg.Types] && fn.pkg.Module != nil:
		return fn.pkg.PkgPath + " belongs to the module " + fn.pkg.Module.Path
	case !p.editable[fn.pkg.Types]:
		return fn.pkg.PkgPath + " is not part of this module"
	case !slices.Contains(fn.pkg.GoFiles, p.fset.PositionFor(fn.file.FileStart, false).Filename):
		return name + " uses cgo: what is compiled is not the file on disk"
	case ast.IsGenerated(fn.file):
		return name + " is generated: change what generates it"
	case lineDirective(fn.file):
		return name + ": " + errLineDirective.Error()
	}
	return ""
}

// judgePlace blocks what the finder says has no MRTR equivalent, and literals
// whose callers are not known.
func (p *program) judgePlace(fn *function) {
	for _, s := range fn.sites {
		switch {
		case s.ask != nil && s.ask.NoEquivalent != "":
			fn.block(codeNoHandler, s.call, "no round can be ended here: %s", s.ask.NoEquivalent)
		case p.found(fn, s, codeGoroutine):
			fn.block(codeGoroutine, s.call, "asked on a goroutine of its own, a round may end before the answer is there: ask on the handler's goroutine, or decide what happens without an answer")
		case s.ask == nil && p.found(fn, s, codeNoHandler) && !p.found(fn, s, codeElicitation, codeSampling, codeRoots):
			fn.block(codeNoHandler, s.call, "no round can be ended here: nothing that reaches %s serves a tool, prompt or resource", types.ExprString(s.call.Fun))
		}
	}
	if len(fn.blocked) > 0 || fn.handler != nil || fn.outer != nil {
		return
	}
	if fn.isLiteral() && len(fn.sites) > 0 {
		fn.block(codeNoHandler, fn.sites[0].call, "asked in a function value, and it is not known who calls it: ask before it is made, or carry the answer in")
	}
}

// found reports whether the finder has a finding of one of the codes about a
// site.
func (p *program) found(fn *function, s *site, codes ...string) bool {
	return slices.ContainsFunc(p.reports[fn.pkg.Types].Findings, func(f *analyzer.Finding) bool {
		about := f.Ask != nil && f.Ask == s.ask || f.Call != nil && f.Call.Call == s.call
		return about && slices.Contains(codes, string(f.Code))
	})
}

func (p *program) judgeSite(fn *function, s *site) {
	if s.ask == nil && s.callee == nil {
		why := "is not a function of this module"
		if s.dynamic {
			why = "may be one of several functions: call the one that asks by its name"
		}
		fn.block(codeElicitation, s.call, "%s may ask, and %s", types.ExprString(s.call.Fun), why)
		return
	}
	if s.callee != nil && s.callee.fixed != "" {
		fn.block(codeElicitation, s.call, "%s asks and cannot be changed: %s", types.ExprString(s.call.Fun), s.callee.fixed)
		return
	}
	switch {
	case s.ask != nil && (s.ask.Session == nil || s.ask.Ctx == nil || s.ask.Params == nil):
		fn.block(s.code(), s.call, "asked through a function value: call the session's method, so that its arguments can be seen")
	case s.callee != nil && s.callee.outer == fn && s.callee.isLiteral():
		s.ctx = fn.parameterContext()
		if s.ctx == nil {
			fn.block(codeContext, s.call, "the question has no context that comes from the request's")
		}
	case s.ctx == nil:
		fn.block(codeContext, s.call, "%s is called without a context, so it cannot know which request it asks for", types.ExprString(s.call.Fun))
	case !fn.derives(s.ctx):
		fn.block(codeContext, s.call, "the context %s does not come from the request's, so the question cannot be tied to it", types.ExprString(s.ctx))
	}
	if s.ctx != nil && fn.parameterContext() == nil && len(fn.blocked) == 0 {
		if _, variable := ast.Unparen(s.ctx).(*ast.Ident); !variable {
			fn.block(codeContext, s.call, "no variable holds the context of the question")
		}
	}
	if s.ctx != nil && len(fn.blocked) == 0 && s.checkContext() == "" {
		fn.block(codeContext, s.call, "no variable holds the request's context behind the question: give it a name of its own, and keep it")
	}
	if s.ask != nil && s.ask.Session != nil && !within1(s.call, s.ask.Session) {
		fn.block(s.code(), s.call, "asked through a method value: call the session's method, so that its arguments can be seen")
	}
	if m := p.implementation(s); m != nil {
		fn.block(s.code(), s.call, "%s may be (%s).%s, which does not just ask: the question would go to the client without it",
			types.ExprString(s.ask.Session), types.TypeString(m.Signature().Recv().Type(), types.RelativeTo(fn.pkg.Types)), m.Name())
	}
	fn.judgeLoops(s)
	if fn.withinSelect(s) {
		fn.block(codeOrder, s.call, "asked in a case of a select, which a later round may not choose again: ask behind it")
	}
	if what := fn.held(s); what != "" {
		fn.block(codeDefer, s.call, "%s comes only behind this question, and a round may end here: defer it", what)
	}
	for n := ast.Node(s.call); n != nil && n != fn.node; n = fn.parents[n] {
		loop, ok := n.(*ast.RangeStmt)
		if !ok || within1(loop.X, s.call) {
			continue
		}
		switch fn.pkg.TypesInfo.TypeOf(loop.X).Underlying().(type) {
		case *types.Map:
			fn.block(codeOrder, loop, "the questions are asked in the random order of a map: range over its sorted keys")
		case *types.Chan:
			fn.block(codeOrder, loop, "the questions are asked in a loop over a channel, which a later round cannot repeat")
		}
	}
}

func within1(outer, n ast.Node) bool { return outer.Pos() <= n.Pos() && n.End() <= outer.End() }

func (fn *function) isLiteral() bool {
	_, ok := fn.node.(*ast.FuncLit)
	return ok
}

// parameterContext returns the context that the function, or the function
// around a literal that is called in place, was called with.
func (fn *function) parameterContext() *ast.Ident {
	for f := fn; f != nil; f = f.outer {
		for _, field := range f.typ.Params.List {
			for _, name := range field.Names {
				if name.Name != "_" && isContext(f.pkg.TypesInfo.TypeOf(name)) {
					return name
				}
			}
		}
	}
	return nil
}

// tryLowering lowers every function once, on a tree that is thrown away, to
// learn which cannot be.
func (p *program) tryLowering() {
	byFile := make(map[string][]*function)
	for _, fn := range p.functions {
		if len(fn.sites) > 0 && fn.fixed == "" {
			byFile[fn.path] = append(byFile[fn.path], fn)
		}
	}
	for path, fns := range byFile {
		doc, err := p.openDocument(path, fns[0].file)
		for _, fn := range fns {
			if err != nil {
				fn.block(codeElicitation, fn.node, "%v", err)
				continue
			}
			if _, failed := p.lower(doc, fn, probe{}); failed != nil {
				at := ast.Node(fn.node)
				if failed.site != nil {
					at = failed.site.call
				}
				fn.block(failed.code, at, "%s", failed.why)
			}
		}
	}
}

func (p *program) openDocument(path string, file *ast.File) (*document, error) {
	data, err := p.read(path)
	if err != nil {
		return nil, err
	}
	if int(file.FileEnd-file.FileStart) != len(data) {
		return nil, fmt.Errorf("%s changed while it was read", filepath.Base(path))
	}
	return open(p.fset, file, path, data)
}

// read returns the bytes that a file was loaded from.
func (p *program) read(path string) ([]byte, error) {
	if data, ok := p.overlay[path]; ok {
		return data, nil
	}
	return os.ReadFile(path)
}

// lower runs a lowering of fn in doc.
func (p *program) lower(doc *document, fn *function, out exits) (*lowering, *unsupported) {
	l := &lowering{
		doc:   doc,
		info:  fn.pkg.TypesInfo,
		names: newNames(fn.pkg.Types, fn.decl, importsOf(fn.file)),
		sites: make(map[*dst.CallExpr]*site),
		exits: out,
		gotos: make(map[string]bool),
	}
	if fn.decl == nil {
		l.names = newNames(fn.pkg.Types, fn.file)
	}
	for _, s := range fn.sites {
		if call, ok := doc.node(s.call).(*dst.CallExpr); ok {
			l.sites[call] = s
		}
	}
	for _, m := range fn.memos {
		if call, ok := doc.node(m.call).(*dst.CallExpr); ok && m.check != nil {
			l.sites[call] = m.check
		}
	}
	ast.Inspect(fn.body, func(n ast.Node) bool {
		if b, ok := n.(*ast.BranchStmt); ok && b.Tok.String() == "goto" {
			l.gotos[b.Label.Name] = true
		}
		return true
	})
	l.occurrences = func(name string, n dst.Node) int {
		at := doc.syntax(n)
		count := 0
		ast.Inspect(fn.node, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id.Name == name && (at == nil || !within1(at, id)) {
				count++
			}
			return true
		})
		return count
	}
	var body *dst.BlockStmt
	switch n := doc.node(fn.node).(type) {
	case *dst.FuncDecl:
		body = n.Body
	case *dst.FuncLit:
		body = n.Body
	}
	l.body(body)
	return l, l.failed
}

// importsOf is the part of a file whose names an added variable must not hide.
func importsOf(file *ast.File) ast.Node {
	list := &ast.GenDecl{}
	for _, s := range file.Imports {
		name := s.Name
		if name == nil {
			name = ast.NewIdent(guessName(importPath(s)))
		}
		list.Specs = append(list.Specs, &ast.ValueSpec{Names: []*ast.Ident{name}})
	}
	return list
}

// probe stands for the exits where nothing is written.
type probe struct{}

func (probe) pending(*site) dst.Expr      { return dst.NewIdent("true") }
func (probe) leave(*site) *dst.ReturnStmt { return &dst.ReturnStmt{} }
func (probe) after(*site) []dst.Stmt      { return nil }
