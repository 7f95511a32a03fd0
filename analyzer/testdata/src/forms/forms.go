// Package forms holds the ways in which a call can ask.
package forms

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func Register(s *mcp.Server) {
	s.AddTool(&mcp.Tool{Name: "direct"}, direct)
	s.AddTool(&mcp.Tool{Name: "value"}, methodValue)
	s.AddTool(&mcp.Tool{Name: "expr"}, methodExpr)
	s.AddTool(&mcp.Tool{Name: "embedded"}, embedded)
	s.AddTool(&mcp.Tool{Name: "alias"}, aliased)
	s.AddTool(&mcp.Tool{Name: "iface"}, throughInterface)
	s.AddTool(&mcp.Tool{Name: "wrapper"}, throughWrapper)
	s.AddTool(&mcp.Tool{Name: "generic"}, generic)
	s.AddTool(&mcp.Tool{Name: "inplace"}, inPlace)
	s.AddTool(&mcp.Tool{Name: "deferred"}, deferred)
	s.AddTool(&mcp.Tool{Name: "helper"}, helper)
	s.AddTool(&mcp.Tool{Name: "field"}, (&state{ask: defaultAsk}).handle)
	s.AddTool(&mcp.Tool{Name: "all"}, allKinds)
	s.AddTool(&mcp.Tool{Name: "callback"}, callback)
	s.AddTool(&mcp.Tool{Name: "dynamic"}, dynamic)
}

func direct(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	_, err := req.Session.Elicit(ctx, &mcp.ElicitParams{}) // want `MRTR001 req\.Session\.Elicit sends elicitation/create .*; asked by tool direct \(direct\)$`
	return nil, err
}

func methodValue(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	ask := req.Session.Elicit
	_, err := ask(ctx, &mcp.ElicitParams{}) // want `MRTR001 ask sends elicitation/create .*; asked by tool value \(methodValue\)$`
	return nil, err
}

func methodExpr(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	_, err := (*mcp.ServerSession).Elicit(req.Session, ctx, &mcp.ElicitParams{}) // want `MRTR001 .*; asked by tool expr \(methodExpr\)$`
	return nil, err
}

type session struct {
	*mcp.ServerSession
	name string
}

func embedded(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	s := session{req.Session, "x"}
	_, err := s.Elicit(ctx, &mcp.ElicitParams{}) // want `MRTR001 s\.Elicit .*; asked by tool embedded \(embedded\)$`
	return nil, err
}

type peer = mcp.ServerSession

func aliased(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var p *peer = req.Session
	_, err := p.ListRoots(ctx, nil) // want `MRTR003 p\.ListRoots sends roots/list .*; asked by tool alias \(aliased\)$`
	return nil, err
}

type asker interface {
	Elicit(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error)
	ID() string
}

func throughInterface(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var a asker
	if req.Session.InitializeParams() != nil {
		a = req.Session
	}
	if a == nil {
		return nil, nil
	}
	_, err := a.Elicit(ctx, &mcp.ElicitParams{}) // want `MRTR001 a\.Elicit .*; asked by tool iface \(throughInterface\)$`
	return nil, err
}

type wrapper struct{ inner *mcp.ServerSession }

func (w wrapper) Confirm(ctx context.Context, text string) (bool, error) {
	res, err := w.inner.Elicit(ctx, &mcp.ElicitParams{Message: text}) // want `MRTR001 .*; asked by tool wrapper \(throughWrapper → wrapper\.Confirm\)$`
	if err != nil {
		return false, err
	}
	return res.Action == "accept", nil
}

// confirmer is satisfied by wrapper, not by a session.
type confirmer interface {
	Confirm(context.Context, string) (bool, error)
}

func throughWrapper(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var c confirmer = wrapper{req.Session}
	_, err := c.Confirm(ctx, "Sure?")
	return nil, err
}

func askWith[S asker](ctx context.Context, s S) error {
	_, err := s.Elicit(ctx, nil) // want `MRTR001 s\.Elicit .*; asked by tool generic \(generic → askWith\)$`
	return err
}

func generic(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return nil, askWith(ctx, req.Session)
}

func inPlace(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	err := func() error {
		_, err := req.Session.Elicit(ctx, nil) // want `MRTR001 .*; asked by tool inplace \(inPlace → inPlace\.func1\)$`
		return err
	}()
	return nil, err
}

func deferred(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	defer func() {
		_, _ = req.Session.Elicit(ctx, nil) // want `MRTR001 .*; asked by tool deferred \(deferred → deferred\.func1\)$`
	}()
	return nil, nil
}

func helper(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return nil, first(ctx, req.Session)
}

func first(ctx context.Context, s *mcp.ServerSession) error { return second(ctx, s) }

func second(ctx context.Context, s *mcp.ServerSession) error {
	_, err := s.Elicit(ctx, nil) // want `MRTR001 .*; asked by tool helper \(helper → first → second\)$`
	return err
}

type state struct {
	ask func(context.Context, *mcp.ServerSession) error
}

func defaultAsk(ctx context.Context, s *mcp.ServerSession) error {
	_, err := s.Elicit(ctx, nil) // want `MRTR001 .*; asked by tool field \(state\.handle → defaultAsk\)$`
	return err
}

func (st *state) handle(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return nil, st.ask(ctx, req.Session)
}

func allKinds(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if _, err := req.Session.CreateMessage(ctx, nil); err != nil { // want `MRTR002 .*sends sampling/createMessage .*; asked by tool all \(allKinds\)$`
		return nil, err
	}
	if _, err := req.Session.CreateMessageWithTools(ctx, nil); err != nil { // want `MRTR002 .*CreateMessageWithTools .*`
		return nil, err
	}
	_, err := req.Session.ListRoots(ctx, nil) // want `MRTR003 .*`
	return nil, err
}

func each(list []string, f func(string) error) error {
	for _, s := range list {
		if err := f(s); err != nil {
			return err
		}
	}
	return nil
}

func callback(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return nil, each(nil, func(string) error {
		_, err := req.Session.Elicit(ctx, nil) // want `MRTR001 .*; asked by tool callback \(callback → each → callback\.func1\)$`
		return err
	})
}

// prompter is handed a session's method by somebody else.
type prompter struct {
	Ask func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error)
}

var shared prompter

func dynamic(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	_, err := shared.Ask(ctx, nil) // want `MRTR001 shared\.Ask .*; asked by tool dynamic \(dynamic\)$`
	return nil, err
}

// orphan is called by nobody.
func orphan(ctx context.Context, s *mcp.ServerSession) error {
	_, err := s.Elicit(ctx, nil) // want `MRTR001 .*; no handler of this package reaches it$`
	return err
}

// Exported is called by other packages.
func Exported(ctx context.Context, s *mcp.ServerSession) error {
	_, err := s.Elicit(ctx, nil) // want `MRTR001 .*; its handlers are in other packages$`
	return err
}
