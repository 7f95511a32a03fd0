package legacyadapter_test

//lint:file-ignore SA1019 Sampling and roots are deprecated, and tested as long as they are served.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mrtr-migrate/mrtr-migrate/legacyadapter"
	mrtr "github.com/mrtr-migrate/mrtr-migrate/shim/gosdk"
	"github.com/mrtr-migrate/mrtr-migrate/shim/state"
)

// A desk is a server whose handlers are written as rewrite leaves them, and the
// record of what they did.
type desk struct {
	server *mcp.Server

	mu      sync.Mutex
	effects []string

	entered chan context.Context // of each call of the tool wait
	release chan struct{}        // ends the tool wait
	kept    *mcp.ServerSession   // of the last call of the tool keep

	afterCancel chan error // of the question that the tool wait asks then
}

func (d *desk) effect(what string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.effects = append(d.effects, what)
}

func (d *desk) done() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.effects)
}

func newRing(t *testing.T) *state.Ring {
	t.Helper()
	ring, err := state.EphemeralRing()
	if err != nil {
		t.Fatal(err)
	}
	return ring
}

func newDesk(t *testing.T) *desk { return newDeskWith(t, newRing(t)) }

func newDeskWith(t *testing.T, ring *state.Ring) *desk {
	t.Helper()
	d, err := openDesk(mrtr.KeyRing(ring))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func openDesk(keys mrtr.Keys) (*desk, error) {
	d := &desk{entered: make(chan context.Context, 1), release: make(chan struct{}), afterCancel: make(chan error, 1)}
	d.server = mcp.NewServer(&mcp.Implementation{Name: "desk", Version: "1"}, &mcp.ServerOptions{
		CompletionHandler: func(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			_, err := mrtr.Elicit(ctx, req.Session, "complete", form("Complete?"))
			return &mcp.CompleteResult{}, err
		},
	})
	err := legacyadapter.Install(d.server, keys, &mrtr.Options{
		Native: func(_, target string) bool { return target == "native" },
		Logger: slog.New(slog.DiscardHandler), // refusals are expected here
	})
	if err != nil {
		return nil, err
	}
	d.addTools()
	d.server.AddPrompt(&mcp.Prompt{Name: "handover", Arguments: []*mcp.PromptArgument{{Name: "shift"}}}, d.handover)
	d.server.AddResource(&mcp.Resource{Name: "payroll", URI: "desk://payroll"}, d.payroll)
	return d, nil
}

// TestMain serves a desk over standard input and output where a client under
// test has started this program for one.
func TestMain(m *testing.M) {
	if os.Getenv("LEGACYADAPTER_DESK") != "stdio" {
		os.Exit(m.Run())
	}
	d, err := openDesk(mrtr.EphemeralKeys())
	if err == nil {
		err = d.server.Run(context.Background(), legacyadapter.Transport(&mcp.StdioTransport{}))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (d *desk) addTools() {
	for name, handler := range map[string]mcp.ToolHandler{
		"confirm": d.confirm, "steps": d.steps, "blocking": d.blocking, "link": d.link, "sample": d.sample,
		"roots": d.roots, "fallback": d.fallback, "plain": d.plain, "wait": d.wait, "keep": d.keep,
		"stolen": d.stolen, "native": d.native, "später": d.plain,
	} {
		d.server.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, handler)
	}
}

func form(message string) *mcp.ElicitParams {
	return &mcp.ElicitParams{Message: message, RequestedSchema: json.RawMessage(
		`{"type":"object","properties":{"word":{"type":"string"}},"required":["word"]}`)}
}

func answer(format string, args ...any) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(format, args...)}}}
}

// confirm asks once and does something.
func (d *desk) confirm(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var in struct{ What string }
	if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
		return nil, err
	}
	res, err := mrtr.Elicit(ctx, req.Session, "confirm", form("Do "+in.What+"?"))
	if mrtr.Pending(ctx) {
		return mrtr.InputRequired(ctx), nil
	}
	if err != nil {
		return nil, err
	}
	if res.Action != "accept" {
		return answer("left %s: %s", in.What, res.Action), nil
	}
	d.effect(in.What)
	return answer("did %s: %v", in.What, res.Content["word"]), nil
}

// steps asks n times, each question naming the answers so far.
func (d *desk) steps(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var in struct{ N int }
	if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
		return nil, err
	}
	var words []string
	for i := range in.N {
		res, err := mrtr.Elicit(ctx, req.Session, mrtr.Key("step", i), form(fmt.Sprintf("Step %d after %v?", i, words)))
		if mrtr.Pending(ctx) {
			return mrtr.InputRequired(ctx), nil
		}
		if err != nil {
			return nil, err
		}
		if res.Action != "accept" {
			return answer("stopped at %d: %s", i, res.Action), nil
		}
		words = append(words, fmt.Sprint(res.Content["word"]))
	}
	d.effect("steps " + strings.Join(words, " "))
	return answer("%s", strings.Join(words, " ")), nil
}

// blocking is steps of two, in the other style.
func (d *desk) blocking(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	s := mrtr.Blocking(req.Session, "blocking")
	first, err := s.Elicit(ctx, form("First?"))
	if err != nil {
		return nil, err
	}
	second, err := s.Elicit(ctx, form(fmt.Sprintf("After %v?", first.Content["word"])))
	if err != nil {
		return nil, err
	}
	d.effect("blocking")
	return answer("%v %v", first.Content["word"], second.Content["word"]), nil
}

func (d *desk) link(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	res, err := mrtr.Elicit(ctx, req.Session, "link", &mcp.ElicitParams{Mode: "url", Message: "Sign in", URL: "https://example.com/sign-in", ElicitationID: "e1"})
	if mrtr.Pending(ctx) {
		return mrtr.InputRequired(ctx), nil
	}
	if err != nil {
		return nil, err
	}
	return answer("signed in: %s", res.Action), nil
}

func (d *desk) sample(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	res, err := mrtr.CreateMessage(ctx, req.Session, "sample", &mcp.CreateMessageParams{MaxTokens: 10,
		Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: "Summarise"}}}})
	if mrtr.Pending(ctx) {
		return mrtr.InputRequired(ctx), nil
	}
	if err != nil {
		return nil, err
	}
	return answer("%s", res.Content.(*mcp.TextContent).Text), nil
}

func (d *desk) roots(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	res, err := mrtr.ListRoots(ctx, req.Session, "roots", nil)
	if mrtr.Pending(ctx) {
		return mrtr.InputRequired(ctx), nil
	}
	if err != nil {
		return nil, err
	}
	return answer("%d roots", len(res.Roots)), nil
}

// fallback goes on without the answer of a client that cannot be asked.
func (d *desk) fallback(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	res, err := mrtr.Elicit(ctx, req.Session, "fallback", form("Which?"))
	if mrtr.Pending(ctx) {
		return mrtr.InputRequired(ctx), nil
	}
	if err != nil {
		return answer("the default"), nil
	}
	return answer("chosen: %v", res.Content["word"]), nil
}

func (d *desk) plain(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return answer("plain"), nil
}

// wait waits until it is released, or its context ends, and then asks if it is
// told to, as no handler should.
func (d *desk) wait(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var in struct{ Ask bool }
	if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
		return nil, err
	}
	d.entered <- ctx
	select {
	case <-d.release:
		return answer("waited"), nil
	case <-ctx.Done():
		if in.Ask {
			_, err := mrtr.Elicit(ctx, req.Session, "late", form("Late?"))
			d.afterCancel <- err
		}
		return nil, context.Cause(ctx)
	}
}

// keep keeps its session, as no handler should.
func (d *desk) keep(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	d.kept = req.Session
	return answer("kept"), nil
}

// stolen asks over the session of another request, with the SDK's own method.
func (d *desk) stolen(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	//lint:ignore MRTR001 the misuse is what is tested
	res, err := d.kept.Elicit(ctx, form("Stolen?"))
	if err != nil {
		return nil, err
	}
	d.effect("stolen")
	return answer("stolen: %v", res.Content["word"]), nil
}

// native is steps by the SDK's own fields, with the state counting.
func (d *desk) native(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var in struct{ N int }
	if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
		return nil, err
	}
	words := strings.Fields(req.Params.RequestState)
	if len(req.Params.InputResponses) > 0 {
		res, ok := req.Params.InputResponses["next"].(*mcp.ElicitResult)
		if !ok {
			return nil, errors.New("not an answer to a form")
		}
		words = append(words, fmt.Sprint(res.Content["word"]))
	}
	if len(words) < in.N {
		return &mcp.CallToolResult{
			InputRequests: mcp.InputRequestMap{"next": form(fmt.Sprintf("Step %d after %v?", len(words), words))},
			RequestState:  strings.Join(words, " "),
		}, nil
	}
	return answer("%s", strings.Join(words, " ")), nil
}

func (d *desk) handover(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	res, err := mrtr.Elicit(ctx, req.Session, "handover", form("Hand over to "+req.Params.Arguments["shift"]+"?"))
	if mrtr.Pending(ctx) {
		return mrtr.PromptInputRequired(ctx), nil
	}
	if err != nil {
		return nil, err
	}
	return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: fmt.Sprint("handover ", res.Content["word"])}}}}, nil
}

func (d *desk) payroll(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	res, err := mrtr.Elicit(ctx, req.Session, "payroll", form("Show the payroll?"))
	if mrtr.Pending(ctx) {
		return mrtr.ResourceInputRequired(ctx), nil
	}
	if err != nil {
		return nil, err
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, Text: fmt.Sprint("payroll ", res.Content["word"])}}}, nil
}
