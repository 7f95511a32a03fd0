// Package lookalike has names that ask nobody: nothing is reported here.
package lookalike

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// survey has a method of that name.
type survey struct{}

func (survey) Elicit(ctx context.Context, p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	return &mcp.ElicitResult{Action: "accept"}, nil
}

// model is a client of some LLM.
type model interface {
	CreateMessage(ctx context.Context, prompt string) (string, error)
}

type tree interface {
	ListRoots(ctx context.Context) []string
}

// form has the session's signature, but more methods than a session.
type form interface {
	Elicit(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error)
	Fields() []string
}

func handle(ctx context.Context, req *mcp.CallToolRequest, in struct{}) (*mcp.CallToolResult, any, error) {
	var m model
	if m != nil {
		if _, err := m.CreateMessage(ctx, "hi"); err != nil {
			return nil, nil, err
		}
	}
	var t tree
	if t != nil {
		t.ListRoots(ctx)
	}
	var f form
	if f != nil {
		if _, err := f.Elicit(ctx, nil); err != nil {
			return nil, nil, err
		}
	}
	_, err := survey{}.Elicit(ctx, nil)
	return nil, nil, err
}

func Register(s *mcp.Server) { mcp.AddTool(s, &mcp.Tool{Name: "survey"}, handle) }

// Connect is a client: it answers, it does not ask.
func Connect(ctx context.Context, session *mcp.ClientSession) *mcp.Client {
	_, _ = session.CallTool(ctx, &mcp.CallToolParams{Name: "elicitation/create"})
	return mcp.NewClient(nil, &mcp.ClientOptions{
		ElicitationHandler: func(ctx context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return survey{}.Elicit(ctx, req.Params)
		},
	})
}
