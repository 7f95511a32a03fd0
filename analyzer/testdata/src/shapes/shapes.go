// Package shapes has what public servers do with their session.
package shapes

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func Register(s *mcp.Server) {
	s.AddTool(&mcp.Tool{Name: "context"}, fromContext)
	s.AddTool(&mcp.Tool{Name: "passed"}, passed)
	s.AddTool(&mcp.Tool{Name: "generic"}, genericGate)
	s.AddTool(&mcp.Tool{Name: "embedded"}, embeddedInterface)
	s.AddTool(&mcp.Tool{Name: "named"}, namedFunc)
	s.AddTool(&mcp.Tool{Name: "factory"}, (&server{asker: sessionAsker}).factory)
	s.AddTool(&mcp.Tool{Name: "once"}, (&workspace{}).once)
	s.AddTool(&mcp.Tool{Name: "wrapped"}, wrapped)
	s.AddTool(&mcp.Tool{Name: "result"}, gated)
	s.AddTool(&mcp.Tool{Name: "recursive"}, recursive)
	s.AddTool(&mcp.Tool{Name: "variable"}, variable)
	s.AddTool(&mcp.Tool{Name: "chosen"}, chosen)
	s.AddTool(&mcp.Tool{Name: "value"}, valueReceiver)
	dispatcher{"dispatched": dispatched}.register(s)
}

type sessionKey struct{}

func fromContext(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	ctx = context.WithValue(ctx, sessionKey{}, req.Session)
	return nil, below(ctx)
}

func below(ctx context.Context) error {
	s, ok := ctx.Value(sessionKey{}).(*mcp.ServerSession)
	if !ok {
		return nil
	}
	_, err := s.Elicit(ctx, nil) // want `; asked by tool context \(fromContext → below\)$`
	return err
}

func passed(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return nil, useFunc(ctx, req.Session.Elicit)
}

func useFunc(ctx context.Context, ask func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error)) error {
	_, err := ask(ctx, nil) // want `; asked by tool passed \(passed → useFunc\)$`
	return err
}

type elicitor interface {
	Elicit(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error)
}

type gate[S elicitor] struct{ session S }

func (g gate[S]) check(ctx context.Context) error {
	_, err := g.session.Elicit(ctx, nil) // want `; asked by tool generic \(genericGate → gate\.check\)$`
	return err
}

func genericGate(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return nil, gate[*mcp.ServerSession]{req.Session}.check(ctx)
}

type peer struct {
	elicitor
	name string
}

func embeddedInterface(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	p := &peer{elicitor: req.Session}
	_, err := p.Elicit(ctx, nil) // want `; asked by tool embedded \(embeddedInterface\)$`
	return nil, err
}

type askFunc func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error)

func (f askFunc) confirm(ctx context.Context) error {
	_, err := f(ctx, nil) // want `; asked by tool named \(namedFunc → askFunc\.confirm\)$`
	return err
}

func namedFunc(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return nil, askFunc(req.Session.Elicit).confirm(ctx)
}

type server struct {
	asker func(req *mcp.CallToolRequest) elicitor
}

func sessionAsker(req *mcp.CallToolRequest) elicitor { return req.Session }

func (s *server) factory(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	_, err := s.asker(req).Elicit(ctx, nil) // want `; asked by tool factory \(server\.factory\)$`
	return nil, err
}

type workspace struct {
	first sync.Once
	root  string
}

func (w *workspace) once(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	w.first.Do(func() {
		res, err := req.Session.ListRoots(ctx, nil) // want `MRTR003 .*; asked by tool once \(workspace\.once → workspace\.once\.func1\)$`
		if err == nil && len(res.Roots) > 0 {
			w.root = res.Roots[0].URI
		}
	})
	return nil, nil
}

// own has the session's method, and passes it on.
type own struct{ session *mcp.ServerSession }

func (o own) Elicit(ctx context.Context, p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	return o.session.Elicit(ctx, p) // want `; asked by tool wrapped \(wrapped → own\.Elicit\)`
}

func wrapped(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	_, err := own{req.Session}.Elicit(ctx, nil)
	return nil, err
}

func stop(ctx context.Context, req *mcp.CallToolRequest) *mcp.CallToolResult {
	res, err := req.Session.Elicit(ctx, nil) // want `; asked by tool result \(gated → stop\)$`
	if err != nil || res.Action != "accept" {
		return &mcp.CallToolResult{IsError: true}
	}
	return nil
}

func gated(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if res := stop(ctx, req); res != nil {
		return res, nil
	}
	return nil, nil
}

func recursive(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return nil, again(ctx, req.Session, 3)
}

func again(ctx context.Context, s *mcp.ServerSession, n int) error {
	if n == 0 {
		return nil
	}
	if _, err := s.Elicit(ctx, nil); err != nil { // want `; asked by tool recursive \(recursive → again\)$`
		return err
	}
	return again(ctx, s, n-1)
}

func variable(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	confirm := func(text string) error {
		_, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: text}) // want `; asked by tool variable \(variable → variable\.func1\)$`
		return err
	}
	if err := confirm("one"); err != nil {
		return nil, err
	}
	return nil, confirm("two")
}

func chosen(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	steps := []func(context.Context, *mcp.ServerSession) error{stepOne, stepTwo}
	for _, step := range steps {
		if err := step(ctx, req.Session); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

func stepOne(ctx context.Context, s *mcp.ServerSession) error { return nil }

func stepTwo(ctx context.Context, s *mcp.ServerSession) error {
	_, err := s.Elicit(ctx, nil) // want `; asked by tool chosen \(chosen → stepTwo\)$`
	return err
}

// value copies the session.
func valueReceiver(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	s := *req.Session
	_, err := s.Elicit(ctx, nil) // want `; asked by tool value \(valueReceiver\)$`
	return nil, err
}

type dispatcher map[string]mcp.ToolHandler

func (d dispatcher) register(s *mcp.Server) {
	for name, h := range d {
		s.AddTool(&mcp.Tool{Name: name}, h)
	}
}

func dispatched(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	_, err := req.Session.Elicit(ctx, nil) // want `; asked by tool dispatched \(dispatched\)$`
	return nil, err
}
