// Package handlers holds the ways in which a function becomes a handler.
package handlers

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const payrollURI = "desk://payroll"

type desk struct{}

func (d *desk) tool(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	_, err := req.Session.Elicit(ctx, nil) // want `; asked by tool method \(desk\.tool\)$`
	return nil, err
}

func prompt(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	_, err := req.Session.Elicit(ctx, nil) // want `; asked by prompt handover \(prompt\)$`
	return nil, err
}

func resource(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	_, err := req.Session.Elicit(ctx, nil) // want `; asked by resource desk://payroll \(resource\), resource desk://payroll/\{month\} \(resource\)$`
	return nil, err
}

var lateTool = &mcp.Tool{Name: "late"}

func Register(s *mcp.Server) {
	d := new(desk)
	s.AddTool(&mcp.Tool{Name: "method"}, d.tool)
	s.AddPrompt(&mcp.Prompt{Name: "handover"}, prompt)
	s.AddResource(&mcp.Resource{URI: payrollURI}, resource)
	s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: payrollURI + "/{month}"}, resource)
	mcp.AddTool(s, &mcp.Tool{Name: "literal"}, func(ctx context.Context, req *mcp.CallToolRequest, in struct{}) (*mcp.CallToolResult, any, error) {
		_, err := req.Session.Elicit(ctx, nil) // want `; asked by tool literal \(Register\.func1\)$`
		return nil, nil, err
	})

	var h mcp.ToolHandler = func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		_, err := req.Session.Elicit(ctx, nil) // want `; asked by tool late \(Register\.func2\)$`
		return nil, err
	}
	s.AddTool(lateTool, h)

	for _, row := range table {
		s.AddTool(row.tool, row.handle)
	}
	for name, h := range byName {
		s.AddTool(&mcp.Tool{Name: name}, h)
	}
	add(s, "typed", wrapped)
	s.AddTool(&mcp.Tool{Name: "decorated"}, audited(decorated))

	s.AddTool(&mcp.Tool{Name: "logged1"}, audited(logged1))
	s.AddTool(&mcp.Tool{Name: "logged2"}, audited(logged2))
	add(s, "generic1", generic1)
	add(s, "generic2", generic2)

	s.AddTool(&mcp.Tool{Name: "maybe1"}, maybe(nil, maybe1))
	s.AddTool(&mcp.Tool{Name: "maybe2"}, maybe(nil, maybe2))

	var r registrar = s
	r.AddTool(&mcp.Tool{Name: "through_interface"}, viaInterface)

	s.AddReceivingMiddleware(confirmAll("x"), func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			call, ok := req.(*mcp.CallToolRequest)
			if !ok {
				return next(ctx, method, req)
			}
			if _, err := call.Session.Elicit(ctx, nil); err != nil { // want `; asked by receiving middleware \(Register\.func3\.func1\)$`
				return nil, err
			}
			return next(ctx, method, req)
		}
	})
}

type registrar interface {
	AddTool(t *mcp.Tool, h mcp.ToolHandler)
}

func viaInterface(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	_, err := req.Session.Elicit(ctx, nil) // want `; asked by tool through_interface \(viaInterface\)$`
	return nil, err
}

var table = []struct {
	tool   *mcp.Tool
	handle mcp.ToolHandler
}{
	{tool: &mcp.Tool{Name: "row1"}, handle: row1},
	{&mcp.Tool{Name: "row2"}, row2},
}

func row1(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	_, err := req.Session.Elicit(ctx, nil) // want `; asked by tool row1 \(row1\)$`
	return nil, err
}

func row2(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	_, err := req.Session.Elicit(ctx, nil) // want `; asked by tool row2 \(row2\)$`
	return nil, err
}

var byName = map[string]mcp.ToolHandler{"mapped": mapped}

func mapped(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	_, err := req.Session.Elicit(ctx, nil) // want `; asked by tool mapped \(mapped\)$`
	return nil, err
}

// add registers typed handlers with one more wrapper around them.
func add[In, Out any](s *mcp.Server, name string, h mcp.ToolHandlerFor[In, Out]) {
	mcp.AddTool(s, &mcp.Tool{Name: name}, func(ctx context.Context, req *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
		return h(ctx, req, in)
	})
}

func wrapped(ctx context.Context, req *mcp.CallToolRequest, in struct{}) (*mcp.CallToolResult, any, error) {
	_, err := req.Session.Elicit(ctx, nil) // want `; asked by tool typed \(add\.func1 → wrapped\)$`
	return nil, nil, err
}

// audited is a decorator.
func audited(inner mcp.ToolHandler) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return inner(ctx, req)
	}
}

func decorated(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	_, err := req.Session.Elicit(ctx, nil) // want `; asked by tool decorated \(audited\.func1 → decorated\)$`
	return nil, err
}

// confirmAll is a factory of middleware.
func confirmAll(text string) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if call, ok := req.(*mcp.CallToolRequest); ok {
				if _, err := call.Session.Elicit(ctx, nil); err != nil { // want `; asked by receiving middleware \(confirmAll\.func1\.func1\)$`
					return nil, err
				}
			}
			return next(ctx, method, req)
		}
	}
}

// Payroll returns a handler that another package registers.
func Payroll(month string) mcp.ResourceHandler {
	return func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		_, err := req.Session.Elicit(ctx, nil) // want `; asked by a resource \(Payroll\.func1\)$`
		return nil, err
	}
}

// approve serves several handlers, each behind the same decorator.
func approve(ctx context.Context, s *mcp.ServerSession) error {
	_, err := s.Elicit(ctx, nil) // want `; asked by tool logged1 \(audited\.func1 → logged1 → approve\), tool logged2 \(audited\.func1 → logged2 → approve\), tool generic1 \(add\.func1 → generic1 → approve\) and 1 more$`
	return err
}

func logged1(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return nil, approve(ctx, req.Session)
}

func logged2(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return nil, approve(ctx, req.Session)
}

func generic1(ctx context.Context, req *mcp.CallToolRequest, in struct{}) (*mcp.CallToolResult, any, error) {
	return nil, nil, approve(ctx, req.Session)
}

func generic2(ctx context.Context, req *mcp.CallToolRequest, in int) (*mcp.CallToolResult, any, error) {
	return nil, nil, approve(ctx, req.Session)
}

// maybe decorates its handler, or not.
func maybe(decorate func(mcp.ToolHandler) mcp.ToolHandler, h mcp.ToolHandler) mcp.ToolHandler {
	if decorate == nil {
		return h
	}
	return decorate(h)
}

func maybe1(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	_, err := req.Session.Elicit(ctx, nil) // want `; asked by tool maybe1 \(maybe1\)$`
	return nil, err
}

func maybe2(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	_, err := req.Session.Elicit(ctx, nil) // want `; asked by tool maybe2 \(maybe2\)$`
	return nil, err
}
