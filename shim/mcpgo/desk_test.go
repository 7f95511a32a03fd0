package mcpgo_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	mrtr "github.com/mrtr-migrate/mrtr-migrate/shim/mcpgo"
)

// yesNo is the schema of a confirmation.
var yesNo = map[string]any{"type": "object", "properties": map[string]any{"ok": map[string]any{"type": "boolean"}}, "required": []string{"ok"}}

func form(message string) mcp.ElicitationRequest {
	return mcp.ElicitationRequest{Params: mcp.ElicitationParams{Message: message, RequestedSchema: yesNo}}
}

// A desk confirms an effect before it, by the three methods in both styles.
type desk struct {
	s *server.MCPServer
	b *mrtr.Binding

	mu      sync.Mutex
	effects int
	calls   int
	leaks   int // handlers that saw answers or a state
}

func newBinding(t *testing.T, opts *mrtr.Options) *mrtr.Binding {
	t.Helper()
	var o mrtr.Options
	if opts != nil {
		o = *opts
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	b, err := mrtr.New(mrtr.EphemeralKeys(), &o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func newDesk(t *testing.T, opts *mrtr.Options, more ...server.ServerOption) *desk {
	t.Helper()
	d := &desk{b: newBinding(t, opts)}
	d.s = server.NewMCPServer("desk", "1", append([]server.ServerOption{d.b.Option(), server.WithElicitation(), server.WithRoots()}, more...)...)
	d.s.EnableSampling()

	d.s.AddTool(mcp.NewTool("explicit", mcp.WithNumber("to")), func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		d.enter(req.Params.MultiRoundTripParams)
		res, err := mrtr.RequestElicitation(ctx, d.s, "confirm", form("Go on?"))
		if mrtr.Pending(ctx) {
			return mrtr.InputRequired(ctx), nil
		}
		if err != nil {
			return nil, err
		}
		return mcp.NewToolResultText(d.effect(res)), nil
	})
	d.s.AddTool(mcp.NewTool("blocking"), func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		d.enter(req.Params.MultiRoundTripParams)
		res, err := mrtr.Blocking(d.s, "confirm").RequestElicitation(ctx, form("Go on?"))
		if err != nil {
			return nil, err
		}
		return mcp.NewToolResultText(d.effect(res)), nil
	})
	prompt := func(text string) *mcp.GetPromptResult {
		return mcp.NewGetPromptResult("", []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(text))})
	}
	d.s.AddPrompt(mcp.NewPrompt("explicit"), func(ctx context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		d.enter(req.Params.MultiRoundTripParams)
		res, err := mrtr.RequestElicitation(ctx, d.s, "confirm", form("Go on?"))
		if mrtr.Pending(ctx) {
			return mrtr.PromptInputRequired(ctx), nil
		}
		if err != nil {
			return nil, err
		}
		return prompt(d.effect(res)), nil
	})
	d.s.AddPrompt(mcp.NewPrompt("blocking"), func(ctx context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		d.enter(req.Params.MultiRoundTripParams)
		res, err := mrtr.Blocking(d.s, "confirm").RequestElicitation(ctx, form("Go on?"))
		if err != nil {
			return nil, err
		}
		return prompt(d.effect(res)), nil
	})
	explicit := func(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		d.enter(req.Params.MultiRoundTripParams)
		res, err := mrtr.RequestElicitation(ctx, d.s, "confirm", form("Go on?"))
		if mrtr.Pending(ctx) {
			return mrtr.ResourceInputRequired(ctx), nil
		}
		if err != nil {
			return nil, err
		}
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: req.Params.URI, Text: d.effect(res)}}, nil
	}
	d.s.AddResource(mcp.NewResource("desk://explicit", "explicit"), explicit)
	d.s.AddResourceTemplate(mcp.NewResourceTemplate("desk://template/{x}", "template"), explicit)
	d.s.AddResource(mcp.NewResource("desk://blocking", "blocking"), func(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		d.enter(req.Params.MultiRoundTripParams)
		res, err := mrtr.Blocking(d.s, "confirm").RequestElicitation(ctx, form("Go on?"))
		if err != nil {
			return nil, err
		}
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: req.Params.URI, Text: d.effect(res)}}, nil
	})
	return d
}

func (d *desk) enter(p mcp.MultiRoundTripParams) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls++
	if p.InputResponses != nil || p.RequestState != "" {
		d.leaks++
	}
}

func (d *desk) effect(res *mcp.ElicitationResult) string {
	content, _ := res.Content.(map[string]any)
	if res.Action != mcp.ElicitationResponseActionAccept || content["ok"] != true {
		return "not done"
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.effects++
	return "done"
}

func (d *desk) want(t *testing.T, effects int) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.effects != effects {
		t.Fatalf("%d effects, want %d", d.effects, effects)
	}
	if d.leaks != 0 {
		t.Fatalf("%d handlers saw unverified answers", d.leaks)
	}
}

// deskRequests are the seven ways to ask the desk.
var deskRequests = []struct {
	name, method string
	params       map[string]any
}{
	{"tool explicit", "tools/call", map[string]any{"name": "explicit", "arguments": map[string]any{"to": 1}}},
	{"tool blocking", "tools/call", map[string]any{"name": "blocking"}},
	{"prompt explicit", "prompts/get", map[string]any{"name": "explicit"}},
	{"prompt blocking", "prompts/get", map[string]any{"name": "blocking"}},
	{"resource explicit", "resources/read", map[string]any{"uri": "desk://explicit"}},
	{"resource blocking", "resources/read", map[string]any{"uri": "desk://blocking"}},
	{"resource template", "resources/read", map[string]any{"uri": "desk://template/7"}},
}

// add registers a tool of a test.
func (d *desk) add(name string, f func(ctx context.Context) error) {
	d.s.AddTool(mcp.NewTool(name), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if err := f(ctx); err != nil {
			return nil, err
		}
		if mrtr.Pending(ctx) {
			return mrtr.InputRequired(ctx), nil
		}
		return mcp.NewToolResultText("ok"), nil
	})
}

var errNo = errors.New("no")
