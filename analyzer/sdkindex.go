package analyzer

import (
	"go/types"
	"strings"
)

// An sdkIndex resolves the SDK table against what one package imports,
// directly or not.
type sdkIndex struct {
	asks     map[funcName]*boundAsk
	handlers map[funcName]*registration
	fields   map[[3]string]*handlerField // package, type, field
	servers  map[funcName]bool
	http     map[funcName]bool
	serve    map[funcName]bool

	// pkgs are the SDKs' packages that were found. Without one, only facts can
	// lead to an ask.
	pkgs map[string]*types.Package
	// own reports that the package under analysis is an SDK's own.
	own bool
}

// A boundAsk is an ask method and its SDK.
type boundAsk struct {
	askMethod
	sdk *sdk
}

// newSDKIndex looks for SDKs among the dependencies of a package.
func newSDKIndex(pkg *types.Package) *sdkIndex {
	x := &sdkIndex{
		asks:     make(map[funcName]*boundAsk),
		handlers: make(map[funcName]*registration),
		fields:   make(map[[3]string]*handlerField),
		servers:  make(map[funcName]bool),
		http:     make(map[funcName]bool),
		serve:    make(map[funcName]bool),
		pkgs:     make(map[string]*types.Package),
	}
	deps := make(map[string]*types.Package)
	seen := make(map[*types.Package]bool)
	var visit func(*types.Package)
	visit = func(p *types.Package) {
		if seen[p] {
			return
		}
		seen[p] = true
		deps[pkgPath(p)] = p
		for _, imp := range p.Imports() {
			visit(imp)
		}
	}
	visit(pkg)

	for _, s := range sdks {
		for _, path := range s.packages {
			if p := deps[path]; p != nil {
				x.pkgs[path] = p
				x.own = x.own || p == pkg
			}
		}
		for i := range s.asks {
			x.asks[s.asks[i].funcName] = &boundAsk{s.asks[i], s}
		}
		for i := range s.handlers {
			x.handlers[s.handlers[i].funcName] = &s.handlers[i]
		}
		for i := range s.fields {
			f := &s.fields[i]
			x.fields[[3]string{f.pkg, f.typ, f.field}] = f
		}
		for set, names := range map[*map[funcName]bool][]funcName{&x.servers: s.servers, &x.http: s.http, &x.serve: s.serve} {
			for _, name := range names {
				(*set)[name] = true
			}
		}
	}
	return x
}

// present reports whether an SDK is among the dependencies.
func (x *sdkIndex) present() bool { return len(x.pkgs) > 0 }

// nameOf returns the name by which the table knows a function.
func nameOf(fn *types.Func) funcName {
	if fn.Pkg() == nil {
		return funcName{name: fn.Name()}
	}
	return funcName{pkgPath(fn.Pkg()), recvName(fn), fn.Name()}
}

// recvName returns the name of the type whose method fn is.
func recvName(fn *types.Func) string {
	recv := fn.Signature().Recv()
	if recv == nil {
		return ""
	}
	if named := namedOf(recv.Type()); named != nil {
		return named.Obj().Name()
	}
	return ""
}

// ask returns the entry of a method that asks by itself: one of an SDK's own.
func (x *sdkIndex) ask(fn *types.Func) *boundAsk {
	return x.asks[nameOf(fn)]
}

// askLike returns the entry of the session's method that a method of an
// interface stands for: same name, same signature, of an interface that the
// session satisfies. Anything else of that name is none of our business.
func (x *sdkIndex) askLike(fn *types.Func) *boundAsk {
	recv := fn.Signature().Recv()
	if recv == nil || !types.IsInterface(recv.Type()) || fn.Pkg() != nil && isSDKPath(pkgPath(fn.Pkg())) {
		return nil // an SDK's own interfaces are in the table, or are the client's side
	}
	iface, ok := recv.Type().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	return x.matchAsk(fn.Signature(), func(m *askMethod, session *types.Named) bool {
		return m.name == fn.Name() && satisfies(session, iface)
	})
}

// askSignature returns the entry of the session's method that a function type
// stands for: a field or parameter that is meant to hold its method value.
func (x *sdkIndex) askSignature(sig *types.Signature) *boundAsk {
	return x.matchAsk(sig, func(*askMethod, *types.Named) bool { return true })
}

// matchAsk returns the first entry with this signature that ok accepts.
func (x *sdkIndex) matchAsk(sig *types.Signature, ok func(*askMethod, *types.Named) bool) *boundAsk {
	for _, s := range sdks {
		for i := range s.asks {
			m := &s.asks[i]
			session := x.lookupType(m.pkg, m.recv)
			if session == nil || !ok(m, session) {
				continue
			}
			if f := methodOf(session, m.name); f != nil && sameSignature(f.Signature(), sig) {
				return x.asks[m.funcName]
			}
		}
	}
	return nil
}

// handler returns the entry of a function that registers handlers, also where
// it is called through an interface that the server satisfies.
func (x *sdkIndex) handler(fn *types.Func) *registration {
	if r := x.handlers[nameOf(fn)]; r != nil {
		return r
	}
	recv := fn.Signature().Recv()
	if recv == nil || !types.IsInterface(recv.Type()) {
		return nil
	}
	for _, s := range sdks {
		for i := range s.handlers {
			r := &s.handlers[i]
			if r.name != fn.Name() || r.recv == "" {
				continue
			}
			if server := x.lookupType(r.pkg, r.recv); server != nil {
				if m := methodOf(server, r.name); m != nil && sameSignature(m.Signature(), fn.Signature()) {
					return r
				}
			}
		}
	}
	return nil
}

// field returns the entry of a struct field that holds a handler.
func (x *sdkIndex) field(typ *types.Named, field string) *handlerField {
	if typ == nil || typ.Obj().Pkg() == nil {
		return nil
	}
	return x.fields[[3]string{pkgPath(typ.Obj().Pkg()), typ.Obj().Name(), field}]
}

// shape returns the entry of a signature that only handlers have.
func (x *sdkIndex) shape(sig *types.Signature) *handlerShape {
	if sig.Params().Len() < 2 || sig.Results().Len() < 2 || !isContext(sig.Params().At(0).Type()) {
		return nil
	}
	for _, s := range sdks {
		if x.pkgs[s.types] == nil {
			continue
		}
		for i := range s.shapes {
			shape := &s.shapes[i]
			if matchTypes(tupleTypes(sig.Params(), 1, 0), shape.params, s.types) &&
				matchTypes(tupleTypes(sig.Results(), 0, 1), shape.results, s.types) {
				return shape
			}
		}
	}
	return nil
}

// lookupType returns the named type of an SDK's package.
func (x *sdkIndex) lookupType(pkg, name string) *types.Named {
	p := x.pkgs[pkg]
	if p == nil {
		return nil
	}
	tn, ok := p.Scope().Lookup(name).(*types.TypeName)
	if !ok {
		return nil
	}
	named, _ := types.Unalias(tn.Type()).(*types.Named)
	return named
}

// methodOf returns the method of a type, or of a pointer to it.
func methodOf(t *types.Named, name string) *types.Func {
	obj, _, _ := types.LookupFieldOrMethod(t, true, t.Obj().Pkg(), name)
	fn, _ := obj.(*types.Func)
	return fn
}

// satisfies reports whether a type, or a pointer to it, implements iface.
func satisfies(t *types.Named, iface *types.Interface) bool {
	return types.Implements(t, iface) || types.Implements(types.NewPointer(t), iface)
}

// sameSignature reports whether two signatures take and return the same types,
// whatever their receivers are.
func sameSignature(a, b *types.Signature) bool {
	return a.Variadic() == b.Variadic() && types.Identical(a.Params(), b.Params()) && types.Identical(a.Results(), b.Results())
}

// tupleTypes returns the types of a tuple without the first skip and the last
// drop of them.
func tupleTypes(t *types.Tuple, skip, drop int) []types.Type {
	var list []types.Type
	for i := skip; i < t.Len()-drop; i++ {
		list = append(list, t.At(i).Type())
	}
	return list
}

// matchTypes reports whether types are those that a shape names.
func matchTypes(list []types.Type, names []string, pkg string) bool {
	if len(list) != len(names) {
		return false
	}
	for i, t := range list {
		if !matchType(t, names[i], pkg) {
			return false
		}
	}
	return true
}

// matchType reports whether t is the type that a shape names: "*" for any, a
// basic type, or a type of the SDK's package.
func matchType(t types.Type, name, pkg string) bool {
	if name == "*" {
		return true
	}
	if basic, ok := types.Unalias(t).(*types.Basic); ok {
		return basic.Name() == name
	}
	if rest, ok := strings.CutPrefix(name, "*"); ok {
		p, ok := types.Unalias(t).(*types.Pointer)
		return ok && matchType(p.Elem(), rest, pkg)
	}
	if rest, ok := strings.CutPrefix(name, "[]"); ok {
		s, ok := types.Unalias(t).(*types.Slice)
		return ok && matchType(s.Elem(), rest, pkg)
	}
	// CallToolRequest is an alias of an instance of ServerRequest.
	if alias, ok := t.(*types.Alias); ok {
		obj := alias.Obj()
		if obj.Pkg() != nil && pkgPath(obj.Pkg()) == pkg && obj.Name() == name {
			return true
		}
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || pkgPath(named.Obj().Pkg()) != pkg {
		return false
	}
	if named.Obj().Name() == name {
		return true
	}
	// An instance that is written out, or an alias that export data resolved:
	// compare with what the name stands for.
	tn, ok := named.Obj().Pkg().Scope().Lookup(name).(*types.TypeName)
	return ok && types.Identical(types.Unalias(tn.Type()), named)
}

// isContext reports whether t is context.Context.
func isContext(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "context" && named.Obj().Name() == "Context"
}
