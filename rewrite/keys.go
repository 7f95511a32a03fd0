package rewrite

import (
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxKey bounds the keys that are written. The run-time allows 64 characters
// with what At and the loop add; shorter ones read better.
const maxKey = 40

// A keyring hands out keys: each author-readable, and unlike every other that
// one handler can reach.
type keyring struct {
	used map[string][]*function
	// earlier are the keys that a package has from earlier runs.
	earlier map[string]map[*types.Package]bool
	// rivals are the functions that share a handler with a function.
	rivals map[*function]map[*function]bool
}

func newKeyring(p *program) *keyring {
	r := &keyring{
		used:    make(map[string][]*function),
		earlier: make(map[string]map[*types.Package]bool),
		rivals:  make(map[*function]map[*function]bool),
	}
	for _, h := range p.entries() {
		tree := p.tree(h)
		for _, fn := range tree {
			if r.rivals[fn] == nil {
				r.rivals[fn] = make(map[*function]bool)
			}
			for _, other := range tree {
				r.rivals[fn][other] = true
			}
		}
	}
	for _, pkg := range p.pkgs {
		for _, file := range pkg.Syntax {
			ast.Inspect(file, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && callsRuntime(pkg.TypesInfo, call) {
					r.remember(pkg.Types, call)
				}
				return true
			})
		}
	}
	return r
}

// remember takes the string constants that a call of the run-time names.
func (r *keyring) remember(pkg *types.Package, call *ast.CallExpr) {
	for _, arg := range call.Args {
		lit, ok := arg.(*ast.BasicLit)
		if !ok {
			continue
		}
		if key, err := strconv.Unquote(lit.Value); err == nil {
			if r.earlier[key] == nil {
				r.earlier[key] = make(map[*types.Package]bool)
			}
			r.earlier[key][pkg] = true
		}
	}
}

// taken reports whether a key means something else to a handler that reaches
// fn, and whether that is in fn itself.
func (r *keyring) taken(fn *function, key string) (taken, own bool) {
	for _, other := range r.used[key] {
		if other == fn {
			return true, true
		}
		taken = taken || r.rivals[fn][other]
	}
	for pkg := range r.earlier[key] {
		taken = taken || pkg == fn.pkg.Types
		for other := range r.rivals[fn] {
			taken = taken || pkg == other.pkg.Types
		}
	}
	return taken, false
}

// take returns a new key for fn that is made of the parts: with the package
// before it where another function has it, with a number where fn has.
func (r *keyring) take(fn *function, parts ...string) string {
	key := clip(strings.Join(parts, "."))
	if taken, own := r.taken(fn, key); taken && !own {
		key = clip(fn.pkg.Name + "." + strings.Join(parts, "."))
	}
	base := key
	for i := 2; ; i++ {
		if taken, _ := r.taken(fn, key); !taken {
			break
		}
		key = base + strconv.Itoa(i)
	}
	r.used[key] = append(r.used[key], fn)
	return key
}

// callsRuntime reports whether a call is one of a function of the run-time.
func callsRuntime(info *types.Info, call *ast.CallExpr) bool {
	fun := ast.Unparen(call.Fun)
	switch f := fun.(type) {
	case *ast.IndexExpr:
		fun = f.X
	case *ast.IndexListExpr:
		fun = f.X
	}
	sel, ok := fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	obj := info.Uses[sel.Sel]
	return obj != nil && obj.Pkg() != nil && obj.Pkg().Path() == shimPath
}

// clip keeps the characters that a key may have, and not too many of them.
func clip(s string) string {
	var b strings.Builder
	for _, c := range s {
		switch {
		case c < utf8.RuneSelf && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'), strings.ContainsRune("_.-", c):
			b.WriteRune(c)
		default:
			b.WriteByte('-')
		}
	}
	out := strings.Trim(b.String(), "-.")
	if len(out) > maxKey {
		out = strings.TrimRight(out[:maxKey], "-.")
	}
	if out == "" {
		return "ask"
	}
	return out
}

// label is the first part of the keys of a function.
func (fn *function) label() string {
	if d, ok := fn.node.(*ast.FuncDecl); ok {
		name := lowerFirst(d.Name.Name)
		if d.Recv != nil && slices.Contains([]string{"handle", "handler", "call", "run", "execute", "do", "serve", "invoke"}, name) {
			return lowerFirst(receiverName(d)) + "." + name
		}
		return name
	}
	if h := fn.handler; h != nil && h.Name != "" {
		return h.Name
	}
	if fn.decl != nil {
		return lowerFirst(fn.decl.Name.Name)
	}
	return fn.pkg.Name
}

func receiverName(d *ast.FuncDecl) string {
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return "method"
		}
	}
}

// keyParts returns what the key of an ask is made of: the function, and what
// the question is for where the function's name does not say it.
func (s *site) keyParts() []string {
	asks := 0
	for _, other := range s.fn.sites {
		if other.ask != nil {
			asks++
		}
	}
	if s.fn.handler == nil && asks == 1 {
		return []string{s.fn.label()}
	}
	return []string{s.fn.label(), s.role()}
}

// role says in a word what an ask is for: the variable that takes the answer,
// the first field that is asked for, or the kind.
func (s *site) role() string {
	if name := s.resultVariable(); name != "" {
		return name
	}
	if s.ask == nil {
		return calledName(s.call)
	}
	switch s.code() {
	case codeSampling:
		return "sample"
	case codeRoots:
		return "roots"
	}
	if field := s.fn.firstProperty(s.ask.Params); field != "" {
		return field
	}
	return "confirm"
}

// resultVariable is the name of the variable that takes the first result, if
// it says more than that it is one.
func (s *site) resultVariable() string {
	assign, ok := s.fn.parents[s.call].(*ast.AssignStmt)
	if !ok || len(assign.Lhs) == 0 || len(assign.Rhs) != 1 {
		return ""
	}
	id, ok := assign.Lhs[0].(*ast.Ident)
	if !ok {
		return ""
	}
	if slices.Contains(vague, strings.ToLower(id.Name)) || len(id.Name) < 3 {
		return ""
	}
	return id.Name
}

// vague are variable names that say nothing about a question.
var vague = []string{
	"_", "ans", "answer", "elicitation", "elicited", "er", "err", "error", "input", "ok", "out", "output", "r", "reply", "res", "resp",
	"response", "result", "ret", "rsp", "stop", "v", "val", "value",
}

func calledName(call *ast.CallExpr) string {
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.IndexExpr:
		return calledName(&ast.CallExpr{Fun: f.X})
	case *ast.IndexListExpr:
		return calledName(&ast.CallExpr{Fun: f.X})
	}
	return "ask"
}

// firstProperty returns the first property of the schema that is written out
// in params, or "".
func (fn *function) firstProperty(params ast.Expr) string {
	found := ""
	for _, x := range fn.sources(params) {
		ast.Inspect(x, func(n ast.Node) bool {
			kv, ok := n.(*ast.KeyValueExpr)
			if !ok || found != "" {
				return found == ""
			}
			key := ""
			switch k := kv.Key.(type) {
			case *ast.Ident:
				key = k.Name
			case *ast.BasicLit:
				key, _ = strconv.Unquote(k.Value)
			}
			if key != "Properties" && key != "properties" {
				return true
			}
			if lit, ok := kv.Value.(*ast.CompositeLit); ok && len(lit.Elts) > 0 {
				if first, ok := lit.Elts[0].(*ast.KeyValueExpr); ok {
					if name, ok := first.Key.(*ast.BasicLit); ok {
						found, _ = strconv.Unquote(name.Value)
					}
				}
			}
			return false
		})
	}
	return found
}
