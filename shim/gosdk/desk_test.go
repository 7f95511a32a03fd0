package gosdk_test

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	mrtr "github.com/mrtr-migrate/mrtr-migrate/shim/gosdk"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

var yesNo = json.RawMessage(`{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}`)

type nothing struct{}

// done is an output whose zero value its schema refuses.
type done struct {
	Done string `json:"done" jsonschema:"what was done"`
}

var doneSchema = json.RawMessage(`{"type":"object","properties":{"done":{"type":"string","minLength":1}},"required":["done"]}`)

// ask asks for a confirmation in the explicit style. It reports whether the
// handler must return.
func ask(ctx context.Context, s mrtr.Elicitor) (action string, pending bool, err error) {
	res, err := mrtr.Elicit(ctx, s, "confirm", &mcp.ElicitParams{Message: "Go on?", RequestedSchema: yesNo})
	if mrtr.Pending(ctx) {
		return "", true, nil
	}
	if err != nil {
		return "", false, err
	}
	if res.Action == "accept" && res.Content["ok"] == true {
		return "yes", false, nil
	}
	return res.Action, false, nil
}

// A desk is a server that asks the same question by each method, and counts its
// effects.
type desk struct {
	effects int
	calls   int      // of the typed tool's handler
	seen    []string // what handlers saw of the fields of a retry
}

func (d *desk) note(action string) string {
	if action == "yes" {
		d.effects++
	}
	return action
}

func (d *desk) server(t *testing.T, opts *mrtr.Options) *mcp.Server {
	s := newServer(t, opts)
	mcp.AddTool(s, &mcp.Tool{Name: "typed", OutputSchema: doneSchema}, func(ctx context.Context, req *mcp.CallToolRequest, _ nothing) (*mcp.CallToolResult, done, error) {
		d.calls++
		if req.Params.RequestState != "" || req.Params.InputResponses != nil || req.Params.Meta[mrtr.MetaState] != nil || req.Params.Meta[mrtr.MetaResponses] != nil {
			d.seen = append(d.seen, "typed")
		}
		action, pending, err := ask(ctx, req.Session)
		if pending {
			return mrtr.InputRequired(ctx), done{}, nil
		}
		return nil, done{d.note(action)}, err
	})
	s.AddTool(&mcp.Tool{Name: "untyped", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		action, pending, err := ask(ctx, req.Session)
		if pending {
			return mrtr.InputRequired(ctx), nil
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: d.note(action)}}}, err
	})
	s.AddPrompt(&mcp.Prompt{Name: "prompt"}, func(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		action, pending, err := ask(ctx, req.Session)
		if pending {
			return mrtr.PromptInputRequired(ctx), nil
		}
		return &mcp.GetPromptResult{Description: d.note(action), Messages: []*mcp.PromptMessage{}}, err
	})
	read := func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		action, pending, err := ask(ctx, req.Session)
		if pending {
			return mrtr.ResourceInputRequired(ctx), nil
		}
		if err != nil {
			return nil, err
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{Text: d.note(action)}}}, nil
	}
	s.AddResource(&mcp.Resource{URI: "desk://one", Name: "one"}, read)
	s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "desk://many/{n}", Name: "many"}, read)
	return s
}

// deskRequests are the requests of the desk that ask.
var deskRequests = []struct {
	name, method string
	params       map[string]any
}{
	{"typed tool", protocol.MethodCallTool, map[string]any{"name": "typed", "arguments": nothing{}}},
	{"untyped tool", protocol.MethodCallTool, map[string]any{"name": "untyped"}},
	{"prompt", protocol.MethodGetPrompt, map[string]any{"name": "prompt"}},
	{"resource", protocol.MethodReadResource, map[string]any{"uri": "desk://one"}},
	{"resource of a template", protocol.MethodReadResource, map[string]any{"uri": "desk://many/7"}},
}

// wantQuestion checks an input_required result with one question: its members
// and no others.
func wantQuestion(t *testing.T, r round, key, method string) {
	t.Helper()
	if r.Error != nil {
		t.Fatalf("error %d %s", r.Error.Code, r.Error.Message)
	}
	names := slices.Sorted(maps.Keys(r.members))
	if want := []string{"_meta", "inputRequests", "requestState", "resultType"}; !slices.Equal(names, want) {
		t.Fatalf("members %q, want %q: %s", names, want, r.Result)
	}
	if r.ResultType != protocol.ResultInputRequired || r.State == nil || *r.State == "" || len(r.Requests) != 1 || r.Requests[key].Method != method {
		t.Fatalf("result %s", r.Result)
	}
}
