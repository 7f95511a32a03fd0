package analyzer

import (
	"go/ast"
	"go/token"
	"slices"
)

// This file ties asks to the entry points that reach them, along the call
// graph.

// A route is one way from an entry point to an ask, or to a call of another
// package's function that may ask.
type route struct {
	handler *Handler
	// edges are the calls from the handler's function downwards.
	edges []*edge
	// async is what starts the first goroutine on the way, joined that its
	// starter waits for it, weak that some call on the way is not seen.
	async  ast.Node
	joined bool
	weak   bool
}

// good reports whether the request that starts the route can end in an
// InputRequiredResult at the route's end.
func (r *route) good() bool {
	return canRequireInput(r.handler.Method) && (r.async == nil || r.joined)
}

// origins is what is known of how a function is reached.
type origins struct {
	routes []*route
	// open reports that functions of other packages may reach it too.
	open bool
}

// A step is a state of the search: a function, reached upwards.
type step struct {
	fn       *Func
	detached bool // below a goroutine that nobody waits for
	async    bool // below any goroutine
	weak     bool
	// below is the function from which a handler that was made for one
	// function was reached.
	below *Func
}

// originsOf searches upwards from a function for the entry points that reach
// it, by the shortest way each.
func (f *finder) originsOf(fn *Func) *origins {
	if o, ok := f.origins[fn]; ok {
		return o
	}
	o := new(origins)
	f.origins[fn] = o

	type visit struct {
		step
		via *edge // leads down
		to  *visit
	}
	seen := map[step]bool{{fn: fn}: true}
	queue := []*visit{{step: step{fn: fn}}}
	have := make(map[*Handler]*route)
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		for _, h := range f.handlersOf[v.fn] {
			if !f.bound(h, v.via) {
				continue
			}
			r := &route{handler: h, weak: v.weak, joined: !v.detached}
			for w := v; w.via != nil; w = w.to {
				r.edges = append(r.edges, w.via)
				if r.async == nil {
					r.async = w.via.async
				}
			}
			if old := have[h]; old == nil || !old.good() && r.good() || old.weak && !r.weak {
				if old == nil {
					o.routes = append(o.routes, r)
				} else {
					*old = *r
					r = old
				}
				have[h] = r
			}
		}
		if f.visible(v.fn) && !v.detached && len(f.handlersOf[v.fn]) == 0 {
			o.open = true
		}
		for _, e := range f.graph.in[v.fn] {
			if e.from == nil || f.inTest(e.from) && !f.inTest(fn) {
				continue
			}
			s := step{
				fn:       e.from,
				detached: v.detached || e.async != nil && !e.joined,
				async:    v.async || e.async != nil,
				weak:     v.weak || e.weak,
			}
			if f.isMade(e.from) {
				s.below = v.fn
			}
			if !seen[s] {
				seen[s] = true
				queue = append(queue, &visit{s, e, v})
			}
		}
	}
	// main and init reach a registered literal only on paper: what they hand
	// to another package is called by requests.
	o.routes = slices.DeleteFunc(o.routes, func(r *route) bool {
		return r.handler.Method == methodOutside && r.weak
	})
	sortByPos(f.pass.Fset, o.routes, func(r *route) token.Pos { return handlerPos(r.handler) })
	return o
}

// isMade reports whether a function is a handler that some call made.
func (f *finder) isMade(fn *Func) bool {
	return slices.ContainsFunc(f.handlersOf[fn], func(h *Handler) bool { return h.bind != nil })
}

// handlerPos is where a handler is registered, or stands.
func handlerPos(h *Handler) token.Pos {
	if h.Registration != nil {
		return h.Registration.Pos()
	}
	return h.Func.Pos()
}

// visible reports whether other packages may call a function: by its name,
// through an interface, or because they were handed it.
func (f *finder) visible(fn *Func) bool {
	if f.pass.Pkg.Name() == "main" || f.inTest(fn) {
		return false
	}
	if fn.Obj == nil {
		return len(f.graph.in[fn]) == 0 || f.graph.in[fn][0].weak
	}
	return fn.Obj.Exported()
}

// chain writes a route down.
func (f *finder) chain(r *route) Chain {
	c := Chain{{Name: r.handler.Func.Name, Pos: f.position(r.handler.Func.Pos())}}
	for _, e := range r.edges {
		c = append(c, Frame{Name: e.to.Name, Pos: f.position(e.pos)})
	}
	return c
}

// connect gives every ask its chains and says which of them have no
// equivalent.
func (f *finder) connect() {
	f.origins = make(map[*Func]*origins)
	sortByPos(f.pass.Fset, f.asks, func(a *Ask) token.Pos { return a.Call.Pos() })
	for _, a := range f.asks {
		o := f.originsOf(a.In)
		bad := ""
		for _, r := range o.routes {
			if !r.good() {
				if bad == "" {
					bad = f.whyNot(r)
				}
				continue
			}
			a.Chains = append(a.Chains, f.chain(r))
			if r.async != nil && a.Async == nil {
				a.Async = r.async
			}
		}
		if len(a.Chains) == 0 && bad == "" {
			if e := f.started(a.In); e != nil {
				a.Async = e.async
				if !e.joined {
					bad = whyDetached
				}
			}
		}
		if len(a.Chains) == 0 {
			a.NoEquivalent = bad
		}
	}
}

const whyDetached = "its goroutine may outlive the request, and nothing waits for the answer before the result is sent"

// whyNot says why a route's ask has no equivalent.
func (f *finder) whyNot(r *route) string {
	switch {
	case r.handler.Method == methodOutside:
		return "it is sent outside any request, from " + r.handler.Func.Name
	case !canRequireInput(r.handler.Method):
		return "it is sent while serving " + r.handler.Method + ", which cannot end in an InputRequiredResult"
	}
	return whyDetached
}

// started returns the edge that starts a function as a goroutine, if that is
// the only way to it; nil if there is another way.
func (f *finder) started(fn *Func) *edge {
	in := f.graph.in[fn]
	if len(in) == 0 {
		return nil
	}
	for _, e := range in {
		if e.async == nil {
			return nil
		}
	}
	return in[0]
}

// below returns the asks that a call of a function may reach, nearest first.
func (f *finder) below(fn *Func) []AskRef {
	if refs, ok := f.reaches[fn]; ok {
		return refs
	}
	type visit struct {
		fn    *Func
		path  []Frame
		async bool
		weak  bool
	}
	var refs []AskRef
	type key struct {
		fn          *Func
		async, weak bool
	}
	seen := map[key]bool{{fn: fn}: true}
	have := make(map[refKey]bool)
	add := func(r AskRef) {
		k := refKey{r.Kind, r.Pos.Filename, r.Pos.Line, r.Pos.Column}
		if !have[k] && len(refs) < maxRefs {
			have[k] = true
			refs = append(refs, r)
		}
	}
	queue := []visit{{fn: fn, path: []Frame{{Name: f.qualify(fn), Pos: f.position(fn.Pos())}}}}
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		for _, a := range v.fn.Asks {
			if !f.ignoredAsk(a) {
				add(AskRef{Kind: a.Kind, Method: a.Method, Pos: f.position(a.Call.Pos()), Path: v.path, Async: v.async, Weak: v.weak})
			}
		}
		for _, e := range f.graph.out[v.fn] {
			if e.async != nil && !e.joined {
				continue // its own package reports it
			}
			async, weak := v.async || e.async != nil, v.weak || e.weak
			if e.to == nil {
				for _, r := range e.refs {
					r.Path = slices.Concat(v.path, r.Path)
					r.Async, r.Weak = r.Async || async, r.Weak || weak
					add(r)
				}
				continue
			}
			if e.weak && len(f.handlersOf[e.to]) > 0 {
				continue // it is registered here, and called by requests
			}
			if k := (key{e.to, async, weak}); !seen[k] && f.mayAsk[e.to] {
				seen[k] = true
				path := append(slices.Clip(v.path), Frame{Name: e.to.Name, Pos: f.position(e.pos)})
				queue = append(queue, visit{e.to, path, async, weak})
			}
		}
	}
	f.reaches[fn] = refs
	return refs
}

// A refKey tells asks apart.
type refKey struct {
	kind      Kind
	file      string
	line, col int
}

// qualify is how other packages call a function of this one.
func (f *finder) qualify(fn *Func) string {
	return f.pass.Pkg.Name() + "." + fn.Name
}

// markReaching finds all functions from which an ask can be reached.
func (f *finder) markReaching() {
	f.mayAsk = make(map[*Func]bool)
	var queue []*Func
	mark := func(fn *Func) {
		if fn != nil && !f.mayAsk[fn] {
			f.mayAsk[fn] = true
			queue = append(queue, fn)
		}
	}
	for _, a := range f.asks {
		mark(a.In)
	}
	for fn, edges := range f.graph.out {
		for _, e := range edges {
			if len(e.refs) > 0 {
				mark(fn)
			}
		}
	}
	for len(queue) > 0 {
		fn := queue[0]
		queue = queue[1:]
		for _, e := range f.graph.in[fn] {
			mark(e.from)
		}
	}
}

// fill completes the report: calls that reach asks, functions and handlers.
func (f *finder) fill() {
	f.markReaching()
	f.reaches = make(map[*Func][]AskRef)
	for _, fn := range f.funcs.all {
		f.fillCalls(fn)
		sortByPos(f.pass.Fset, fn.Asks, func(a *Ask) token.Pos { return a.Call.Pos() })
		if f.mayAsk[fn] || fn.Handler != nil {
			f.report.Funcs = append(f.report.Funcs, fn)
		}
	}
	sortByPos(f.pass.Fset, f.report.Funcs, func(fn *Func) token.Pos { return fn.Pos() })
	for _, h := range f.handlers {
		if h.Method != methodOutside {
			f.report.Handlers = append(f.report.Handlers, h)
		}
	}
	sortByPos(f.pass.Fset, f.report.Handlers, handlerPos)
}

// fillCalls enters the calls of a function that may ask.
func (f *finder) fillCalls(fn *Func) {
	byCall := make(map[*ast.CallExpr]*Call)
	for _, e := range f.graph.out[fn] {
		if e.call == nil {
			continue
		}
		refs := e.refs
		if e.to != nil {
			if !f.mayAsk[e.to] {
				continue
			}
			refs = f.below(e.to)
		}
		if len(refs) == 0 {
			continue
		}
		c := byCall[e.call]
		if c == nil {
			c = &Call{Call: e.call, Callee: e.callee, In: fn}
			byCall[e.call] = c
			fn.Calls = append(fn.Calls, c)
		} else if c.Callee != e.callee {
			c.Callee = nil
		}
		c.Interface = c.Interface || e.dynamic && e.callee != nil
		for _, r := range refs {
			if !slices.ContainsFunc(c.Reaches, func(have AskRef) bool { return have.Pos == r.Pos && have.Kind == r.Kind }) && len(c.Reaches) < maxRefs {
				c.Reaches = append(c.Reaches, r)
			}
		}
		if e.to == nil {
			c.foreign = append(c.foreign, e)
		}
	}
	sortByPos(f.pass.Fset, fn.Calls, func(c *Call) token.Pos { return c.Call.Pos() })
}
