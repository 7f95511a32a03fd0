// Package gateuser has the handlers of package gate's questions.
package gateuser

import (
	"context"

	"gate"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type desk struct{ gate gate.Gate }

func Register(s *mcp.Server) {
	d := new(desk)
	mcp.AddTool(s, &mcp.Tool{Name: "suspend"}, d.suspend)
	mcp.AddTool(s, &mcp.Tool{Name: "look"}, d.look)
	mcp.AddTool(s, &mcp.Tool{Name: "review"}, d.review)
	mcp.AddTool(s, &mcp.Tool{Name: "handled"}, gate.Handle)
}

func (d *desk) suspend(ctx context.Context, req *mcp.CallToolRequest, in struct{}) (*mcp.CallToolResult, any, error) {
	_, err := d.allowed(ctx, req)
	return nil, nil, err
}

func (d *desk) allowed(ctx context.Context, req *mcp.CallToolRequest) (bool, error) {
	return d.gate.Given(ctx, req.Session, "Suspend?") // want `MRTR001 d\.gate\.Given sends elicitation/create \(gate\.Gate\.Given → Gate\.ask\) .*; asked by tool suspend \(desk\.suspend → desk\.allowed\)$`
}

func (d *desk) look(ctx context.Context, req *mcp.CallToolRequest, in struct{}) (*mcp.CallToolResult, any, error) {
	return nil, nil, gate.Answer(ctx, req.Session) // want `MRTR003 gate\.Answer sends roots/list .*; asked by tool look \(desk\.look\)$`
}

func (d *desk) review(ctx context.Context, req *mcp.CallToolRequest, in struct{}) (*mcp.CallToolResult, any, error) {
	var r gate.Reviewer = gate.Human{Session: req.Session}
	return nil, nil, r.Review(ctx) // want `MRTR002 r\.Review sends sampling/createMessage .*; asked by tool review \(desk\.review\)$`
}

// Middle is between the question and handlers that are in yet another
// package: it is no place to report.
func Middle(ctx context.Context, g *gate.Gate, s *mcp.ServerSession) error {
	_, err := g.Given(ctx, s, "Go on?")
	return err
}
