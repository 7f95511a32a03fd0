package analyzer

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// This file writes the findings about asks themselves: MRTR001, 002, 003, 005
// and 014.

// maxNamed and maxTraced bound the handlers that a message names and the
// chains that are written out below it. A helper may serve a hundred handlers.
const (
	maxNamed  = 3
	maxTraced = 4
)

// askFindings are the findings about the asks and the calls that reach asks of
// other packages.
func (f *finder) askFindings() []*Finding {
	var list []*Finding
	for _, a := range f.asks {
		o := f.originsOf(a.In)
		list = append(list, f.askFindingsOf(&askPlace{
			subject: callText(a.Call) + " sends " + wireName(a.Kind),
			waits:   " and waits for the answer, which no 2026-07-28 client gives",
			kind:    a.Kind, call: a.Call, in: a.In, ask: a, origins: o,
		}, a.NoEquivalent)...)
	}
	for _, fn := range f.funcs.all {
		for _, c := range fn.Calls {
			if len(c.foreign) > 0 {
				list = append(list, f.callFindings(c)...)
			}
		}
	}
	return list
}

// An askPlace is where an ask, or a call that reaches one, stands.
type askPlace struct {
	subject, waits string
	kind           Kind
	call           *ast.CallExpr
	in             *Func
	ask            *Ask
	reach          *Call
	origins        *origins
	tail           []Related
}

// callFindings are the findings about a call of another package's function:
// one for each kind that it may ask, if a handler here reaches the call.
func (f *finder) callFindings(c *Call) []*Finding {
	var list []*Finding
	o := f.originsOf(c.In)
	if len(o.routes) == 0 {
		return nil // reported where the ask and where the handler stand
	}
	for _, kind := range []Kind{Elicitation, Sampling, Roots} {
		i := slices.IndexFunc(c.Reaches, func(r AskRef) bool { return r.Kind == kind })
		if i < 0 {
			continue
		}
		ref := c.Reaches[i]
		if ref.Weak && !slices.ContainsFunc(o.routes, func(r *route) bool { return r.handler.Method != methodOutside }) {
			continue // main only hands on what requests call
		}
		var names []string
		var tail []Related
		for i, frame := range ref.Path {
			names = append(names, frame.Name)
			if i > 0 {
				tail = append(tail, Related{frame.Pos, ref.Path[i-1].Name + " calls " + frame.Name})
			}
		}
		tail = append(tail, Related{ref.Pos, names[len(names)-1] + " asks with " + ref.Method})
		bad := ""
		if !slices.ContainsFunc(o.routes, (*route).good) {
			bad = f.whyNot(o.routes[0])
		}
		list = append(list, f.askFindingsOf(&askPlace{
			subject: fmt.Sprintf("%s sends %s (%s)", callText(c.Call), wireName(kind), strings.Join(names, " → ")),
			waits:   " and waits for the answer, which no 2026-07-28 client gives",
			kind:    kind, call: c.Call, in: c.In, reach: c, origins: o, tail: tail,
		}, bad)...)
	}
	return list
}

// askFindingsOf are the findings about one place.
func (f *finder) askFindingsOf(p *askPlace, noEquivalent string) []*Finding {
	finding := func(code Code, message string, related ...Related) *Finding {
		return &Finding{
			Code: code, Pos: p.call.Pos(), End: p.call.End(),
			Message: message, Related: related,
			Ask: p.ask, Call: p.reach, Func: p.in,
		}
	}
	var good, bad []*route
	for _, r := range p.origins.routes {
		if r.good() {
			good = append(good, r)
		} else {
			bad = append(bad, r)
		}
	}
	var list []*Finding
	switch {
	case noEquivalent != "" && len(good) == 0:
		list = append(list, finding(CodeNoEquivalent, p.subject+", which has no MRTR equivalent here: "+noEquivalent, f.trace(bad, p.tail)...))
	default:
		list = append(list, finding(askCode(p.kind), p.subject+p.waits+"; "+f.reachedBy(p, good), f.trace(good, p.tail)...))
		if len(bad) > 0 {
			list = append(list, finding(CodeNoEquivalent,
				p.subject+", which on one of its ways here has no MRTR equivalent: "+f.whyNot(bad[0]), f.trace(bad, p.tail)...))
		}
	}
	async := asyncOf(good)
	if p.ask != nil && p.ask.NoEquivalent == "" {
		async = p.ask.Async
	}
	if async != nil {
		at := f.position(async.Pos())
		list = append(list, finding(CodeGoroutine,
			fmt.Sprintf("%s on a goroutine of its own (%s): a round may end before it is asked", p.subject, short(at)),
			Related{at, "the goroutine is started here"}))
	}
	return list
}

// asyncOf returns what starts a goroutine on one of the routes.
func asyncOf(routes []*route) ast.Node {
	for _, r := range routes {
		if r.async != nil {
			return r.async
		}
	}
	return nil
}

// reachedBy says which handlers reach a place.
func (f *finder) reachedBy(p *askPlace, good []*route) string {
	if len(good) == 0 {
		if p.origins.open {
			return "its handlers are in other packages"
		}
		return "no handler of this package reaches it"
	}
	var names []string
	for _, r := range good {
		chain := []string{r.handler.Func.Name}
		for _, e := range r.edges {
			chain = append(chain, e.to.Name)
		}
		if name := fmt.Sprintf("%s (%s)", f.describe(r), strings.Join(chain, " → ")); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	text := "asked by " + strings.Join(names[:min(len(names), maxNamed)], ", ")
	if more := len(names) - maxNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// describe names what a handler serves.
func (f *finder) describe(r *route) string {
	what := map[string]string{
		protocol.MethodCallTool:     "tool",
		protocol.MethodGetPrompt:    "prompt",
		protocol.MethodReadResource: "resource",
		MethodAny:                   "receiving middleware",
		methodOutside:               "no request",
	}[r.handler.Method]
	if what == "" {
		what = r.handler.Method
	}
	name := r.handler.Name
	if name == "" && r.handler.Method == protocol.MethodCallTool {
		// A wrapper around the handlers: their names stand further down.
		for _, e := range r.edges {
			if names := f.itemNames("Name")[e.to]; len(names) > 0 {
				name = names[0]
				break
			}
		}
	}
	if name != "" {
		return what + " " + name
	}
	if canRequireInput(r.handler.Method) && r.handler.Method != MethodAny {
		return "a " + what
	}
	return what
}

// trace writes routes down, position by position.
func (f *finder) trace(routes []*route, tail []Related) []Related {
	var list []Related
	traced := 0
	for _, r := range routes {
		name := r.handler.Func.Name
		first := Related{f.position(r.handler.Func.Pos()), fmt.Sprintf("%s: %s", f.describe(r), name)}
		if slices.Contains(list, first) {
			continue
		}
		if traced++; traced > maxTraced {
			break
		}
		list = append(list, first)
		for _, e := range r.edges {
			verb := "calls"
			if e.async != nil {
				verb = "starts"
			} else if e.weak {
				verb = "hands on"
			}
			list = append(list, Related{f.position(e.pos), fmt.Sprintf("%s %s %s", name, verb, e.to.Name)})
			name = e.to.Name
		}
	}
	return append(list, tail...)
}

// wireName is the request that an ask of a kind sends.
func wireName(k Kind) string {
	switch k {
	case Sampling:
		return protocol.MethodCreateMessage
	case Roots:
		return protocol.MethodListRoots
	}
	return protocol.MethodElicit
}

// callText names what a call calls.
func callText(call *ast.CallExpr) string {
	if _, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok {
		return "a function literal"
	}
	return types.ExprString(call.Fun)
}

// short is a position for use within a message: the file's base name and the
// line.
func short(p token.Position) string {
	return fmt.Sprintf("%s:%d", filepath.Base(p.Filename), p.Line)
}

// findings are all findings of the package in source order, without those that
// a directive suppresses.
func (f *finder) findings() []*Finding {
	list := f.askFindings()
	if !f.isSDKOwn() { // below its dispatcher everything asks
		list = append(list, f.failOpen()...)
		list = append(list, f.order()...)
	}
	list = f.directives.apply(list, len(f.pass.TypeErrors) == 0)
	slices.SortStableFunc(list, func(a, b *Finding) int {
		return cmp.Or(comparePos(f.pass.Fset, a.Pos, b.Pos), strings.Compare(string(a.Code), string(b.Code)))
	})
	return list
}
