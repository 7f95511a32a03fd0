package analyzer

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// A Kind is what an ask asks for.
type Kind uint8

// The three requests that a server may make of its client.
const (
	Elicitation Kind = iota // elicitation/create
	Sampling                // sampling/createMessage
	Roots                   // roots/list
)

// String returns the kind as it stands in messages.
func (k Kind) String() string {
	switch k {
	case Elicitation:
		return "elicitation"
	case Sampling:
		return "sampling"
	case Roots:
		return "roots"
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// A Report is what the finder knows of one package. It is the only source of
// truth for the rules, the rewriter and the command: nobody looks for asks a
// second time. Everything is in source order, so that two runs agree.
type Report struct {
	Package *types.Package
	// Funcs are the functions and literals that contain or reach an ask, and
	// those that are handlers.
	Funcs []*Func
	// Handlers are the registrations seen in this package, and the functions
	// that have the signature of a handler and reach an ask although nothing
	// in this package registers them.
	Handlers []*Handler
	// Findings are what the rules say, without what a directive suppresses.
	Findings []*Finding

	// Servers are the calls that make a server (mcp.NewServer).
	Servers []*ast.CallExpr
	// HTTPHandlers are the calls that make an HTTP endpoint
	// (mcp.NewStreamableHTTPHandler).
	HTTPHandlers []*ast.CallExpr
	// Transports are the calls that serve a transport (Run, Connect).
	Transports []*ast.CallExpr

	finder *finder
}

// Effect reports whether a call in this package has an effect that should not
// be repeated, and what has it in the end, such as "os.Remove". A literal that
// is called counts with its body. It serves the rewriter: deferred calls run
// at the end of every round.
func (r *Report) Effect(call *ast.CallExpr) (what string, ok bool) {
	if r.finder == nil {
		return "", false
	}
	fn := r.finder.enclosing(call.Pos())
	if fn == nil {
		return "", false
	}
	r.finder.effects.walk(call, r.finder.scopeOf(fn), func(e effectSite) {
		if e.what == "" && e.mutates&1 != 0 {
			e.what = e.text
		}
		if what == "" && e.what != "" {
			what, ok = e.what, true
			if e.cause != "" {
				what += " (" + e.cause + ")"
			}
		}
	})
	return what, ok
}

// A Func is a function or a function literal of the package.
type Func struct {
	// Obj is nil for a literal.
	Obj *types.Func
	// Exactly one of Decl and Lit is set, but for a handler that another
	// package declares: it has neither.
	Decl *ast.FuncDecl
	Lit  *ast.FuncLit
	// Outer is the function in which a literal stands, nil at package level.
	Outer *Func
	// Name is how messages call it, such as "desk.releaseApp" or
	// "payroll.func1".
	Name string
	// Handler is set when it is registered as a handler. One registered more
	// than once has its first registration here.
	Handler *Handler
	// Asks and Calls are those in its own body, not in literals within it, in
	// source order.
	Asks  []*Ask
	Calls []*Call
}

// Body returns the function's body, nil if another package declares it or it
// has none.
func (f *Func) Body() *ast.BlockStmt {
	switch {
	case f.Decl != nil:
		return f.Decl.Body
	case f.Lit != nil:
		return f.Lit.Body
	}
	return nil
}

// Pos returns where the function stands, token.NoPos if another package
// declares it.
func (f *Func) Pos() token.Pos {
	switch {
	case f.Decl != nil:
		return f.Decl.Name.Pos()
	case f.Lit != nil:
		return f.Lit.Pos()
	}
	return token.NoPos
}

// An Ask is a call that makes the server send a request to its client and
// wait for the answer.
type Ask struct {
	Call *ast.CallExpr
	Kind Kind
	// Method is the name of the session's method: Elicit, CreateMessage,
	// CreateMessageWithTools or ListRoots for the official SDK.
	Method string
	// Session is what is asked, nil where no expression at the call names it
	// (the call of a method value whose session stands elsewhere).
	Session, Ctx, Params ast.Expr
	In                   *Func
	// Interface is not nil if the call is made through an interface that a
	// session satisfies.
	Interface *types.Named
	// Chains lead from handlers to this ask, through this package only.
	Chains []Chain
	// Async is the go statement, or the call that starts a goroutine, between
	// the function that serves the request and the ask; nil if the ask runs on
	// the handler's own goroutine on every chain.
	Async ast.Node
	// NoEquivalent says why no InputRequiredResult can replace this ask. It is
	// empty if one can, or if the callers are in other packages.
	NoEquivalent string

	sdk *sdk
}

// A Call is a call of a function that may ask, in this or another package.
type Call struct {
	Call *ast.CallExpr
	// Callee is the function called, nil for a literal or a function value.
	Callee *types.Func
	In     *Func
	// Interface reports that the call is dispatched dynamically: Reaches are
	// the asks of the implementations known here.
	Interface bool
	// Reaches are the asks below this call, at most maxRefs of them.
	Reaches []AskRef

	// foreign are the edges to other packages' functions.
	foreign []*edge
}

// An AskRef names an ask from a distance: it is what crosses package
// boundaries.
type AskRef struct {
	Kind   Kind
	Method string
	// Pos is where the ask stands.
	Pos token.Position
	// Path are the functions between the one that holds the reference and the
	// ask: the callee first, the function that contains the ask last.
	Path []Frame
	// Async reports that a goroutine lies between, Weak that some call between
	// is not seen: the function is handed to another package's.
	Async, Weak bool
}

// A Handler is a function that serves a request of a client.
type Handler struct {
	// Method is the request that it serves: protocol.MethodCallTool,
	// MethodGetPrompt or MethodReadResource; MethodAny for receiving
	// middleware; a notification's or another request's name otherwise.
	Method string
	// Name is the tool's, prompt's or resource's name where it is constant.
	Name string
	// Typed reports the form with decoded arguments (mcp.AddTool).
	Typed bool
	// Presumed reports that no registration was seen, only the signature.
	Presumed bool
	Func     *Func
	// Registration is nil for a presumed handler.
	Registration *ast.CallExpr
	// Result is the type of the first result, Output that of the second one
	// of a typed handler.
	Result, Output types.Type

	// bind is the call of maker, a function of this package, that makes or
	// registers this handler: what maker's parameters are is said there.
	bind  *ast.CallExpr
	maker *Func
}

// MethodAny is the Method of receiving middleware, which sees every request.
const MethodAny = "*"

// A Chain leads from a handler, which is first, to the function that contains
// the ask, which is last.
type Chain []Frame

// A Frame is one function of a chain. Pos is where the function before it
// calls it; for the first frame, where the function stands.
type Frame struct {
	Name string
	Pos  token.Position
}

// A Finding is what a rule says about one place.
type Finding struct {
	Code     Code
	Pos, End token.Pos
	// Message is one line of plain text, without the code.
	Message string
	Related []Related
	// Ask, Call and Func say what it is about, where that is known.
	Ask  *Ask
	Call *Call
	Func *Func
}

// Text is the finding as it is printed after its position: "CODE message".
func (f *Finding) Text() string { return string(f.Code) + " " + f.Message }

// A Related is another position that belongs to a finding. It may be in
// another package, so it is resolved already.
type Related struct {
	Pos     token.Position
	Message string
}
