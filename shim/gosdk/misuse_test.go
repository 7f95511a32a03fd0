package gosdk_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	mrtr "github.com/mrtr-migrate/mrtr-migrate/shim/gosdk"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// A handler that hands back the result for a pending question where none is
// pending does not look like one that has finished.
func TestInputRequiredWithoutAQuestion(t *testing.T) {
	s := newServer(t, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "tool"}, func(ctx context.Context, req *mcp.CallToolRequest, _ nothing) (*mcp.CallToolResult, any, error) {
		return mrtr.InputRequired(ctx), nil, nil
	})
	s.AddPrompt(&mcp.Prompt{Name: "prompt"}, func(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return mrtr.PromptInputRequired(ctx), nil
	})
	s.AddResource(&mcp.Resource{URI: "desk://one", Name: "one"}, func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return mrtr.ResourceInputRequired(ctx), nil
	})
	p := connect(t, s)
	if r := p.tool("tool", nothing{}); !r.IsError || !strings.Contains(r.text(), "MRTR1005") {
		t.Errorf("tool: %s", r.Result)
	}
	for _, r := range []round{
		p.modern(protocol.MethodGetPrompt, map[string]any{"name": "prompt"}),
		p.modern(protocol.MethodReadResource, map[string]any{"uri": "desk://one"}),
	} {
		if r.Error == nil {
			t.Errorf("%s", r.Result)
		}
	}
	if r := mrtr.InputRequired(context.Background()); !r.IsError {
		t.Error("without a continuation")
	}
}

// Results with the SDK's own input requests are refused, unless the handler is
// declared to make them.
func TestNativeHandlers(t *testing.T) {
	for _, declared := range []bool{false, true} {
		t.Run(fmt.Sprint(declared), func(t *testing.T) {
			s := newServer(t, &mrtr.Options{Native: func(method, target string) bool { return declared }})
			mcp.AddTool(s, &mcp.Tool{Name: "native"}, func(ctx context.Context, req *mcp.CallToolRequest, _ nothing) (*mcp.CallToolResult, any, error) {
				if _, ok := req.Params.InputResponses["k"]; ok && req.Params.RequestState == "mine" {
					return nil, nil, nil
				}
				return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"k": &mcp.ElicitParams{Message: "?"}}, RequestState: "mine"}, nil, nil
			})
			p := connect(t, s)
			first := p.tool("native", nothing{})
			if !declared {
				if first.Error == nil || string(first.Error.Data) != `{"code":"MRTR1018"}` {
					t.Errorf("%s", first.Result)
				}
				return
			}
			last := p.tool("native", nothing{}, first.answer(accept(nil)))
			if first.ResultType != protocol.ResultInputRequired || last.ResultType != protocol.ResultComplete {
				t.Errorf("%s, %s", first.Result, last.Result)
			}
		})
	}
}
