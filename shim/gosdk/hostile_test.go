package gosdk_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	mrtr "github.com/mrtr-migrate/mrtr-migrate/shim/gosdk"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// A handler that returns no result, or the SDK's own way of asking for nothing,
// is an error to the peer that called it, and not the end of the process.
func TestNoResult(t *testing.T) {
	for _, native := range []bool{false, true} {
		s := newServer(t, &mrtr.Options{Native: func(string, string) bool { return native }})
		tool := func(name string, res *mcp.CallToolResult) {
			s.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return res, nil })
		}
		tool("nil", nil)
		tool("empty", &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{}})
		tool("good", &mcp.CallToolResult{})
		s.AddPrompt(&mcp.Prompt{Name: "nil"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) { return nil, nil })
		s.AddResource(&mcp.Resource{Name: "nil", URI: "x://nil"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) { return nil, nil })
		s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "nil", URITemplate: "y://{a}"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) { return nil, nil })
		p := connect(t, s)
		for _, call := range []struct{ method, name, target string }{
			{protocol.MethodCallTool, "name", "nil"},
			{protocol.MethodGetPrompt, "name", "nil"},
			{protocol.MethodReadResource, "uri", "x://nil"},
			{protocol.MethodReadResource, "uri", "y://nil"},
		} {
			if r := p.modern(call.method, map[string]any{call.name: call.target}); r.Error == nil {
				t.Errorf("native %v: %s %s: %s", native, call.method, call.target, r.Result)
			}
		}
		if r := p.tool("empty", nothing{}); !native && (r.Error == nil || string(r.Error.Data) != `{"code":"MRTR1018"}`) {
			t.Errorf("an empty map of requests: %s", r.Result)
		} else if native && r.ResultType != protocol.ResultInputRequired {
			t.Errorf("a native one: %s", r.Result)
		}
		if r := p.tool("good", nothing{}); r.ResultType != protocol.ResultComplete {
			t.Errorf("native %v: %s", native, r.Result)
		}
	}
}

// The functions of Options see what a peer sent before it is verified. A panic in
// one fails closed, tells the peer and the log nothing, and is over with its request.
func TestOptionsPanic(t *testing.T) {
	const secret = "tok-5ecret"
	for _, function := range []string{"Principal", "Reserve", "Native", "none"} {
		t.Run(function, func(t *testing.T) {
			var log bytes.Buffer
			on := false
			explode := func(which string) {
				if on && which == function {
					panic("no claim in " + secret)
				}
			}
			s := newServer(t, &mrtr.Options{
				Logger:    slog.New(slog.NewTextHandler(&log, nil)),
				Principal: func(mcp.Request) (string, error) { explode("Principal"); return "u", nil },
				Reserve:   func(string, string) bool { explode("Reserve"); return false },
				Native:    func(string, string) bool { explode("Native"); return false },
			})
			effects := 0
			addTool(s, "tool", func(ctx context.Context, ss *mcp.ServerSession) (string, error) {
				res, err := mrtr.Elicit(ctx, ss, "k", &mcp.ElicitParams{Message: "?"})
				if err == nil && res.Action == "accept" {
					effects++
				}
				return "done", err
			})
			p := connect(t, s)
			asked := p.tool("tool", nothing{})
			wantQuestion(t, asked, "k", protocol.MethodElicit)
			on = true
			for _, r := range []round{p.tool("tool", nothing{}), p.tool("tool", nothing{}, asked.answer(accept(nothing{})))} {
				if failed := r.Error != nil; failed != (function != "none") {
					t.Errorf("%s", r.Result)
				} else if failed && strings.Contains(r.Error.Message+string(r.Error.Data), secret) {
					t.Error("the peer is told what the function panicked with")
				}
			}
			on = false
			if want := map[bool]int{function == "none": 1}[true]; effects != want {
				t.Errorf("%d effects", effects)
			}
			if r := p.tool("tool", nothing{}, asked.answer(accept(nothing{}))); r.text() != "done" {
				t.Errorf("afterwards: %s", r.Result)
			}
			if strings.Contains(log.String(), secret) {
				t.Errorf("logged: %s", &log)
			}
			if logged := strings.Contains(log.String(), "Options panicked"); logged != (function != "none") {
				t.Errorf("log: %s", &log)
			}
		})
	}
}

// A question to somebody else's session is never put to the peer whose request
// is served: what the one may approve, the other may not.
func TestSessionOfSomebodyElse(t *testing.T) {
	admins := mcp.NewServer(&mcp.Implementation{Name: "admins", Version: "1"}, nil)
	var asked []string
	client := mcp.NewClient(&mcp.Implementation{Name: "admin", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			asked = append(asked, req.Params.Message)
			return &mcp.ElicitResult{Action: "decline"}, nil
		},
	})
	here, there := mcp.NewInMemoryTransports()
	admin, err := admins.Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	connection, err := client.Connect(t.Context(), there, &mcp.ClientSessionOptions{ProtocolVersion: protocol.Revision20251125})
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()

	s := newServer(t, nil)
	for _, style := range []string{"explicit", "blocking"} {
		elicit := func(ctx context.Context, of *mcp.ServerSession) (*mcp.ElicitResult, error) {
			p := &mcp.ElicitParams{Message: "Allow?"}
			if style == "blocking" {
				return mrtr.Blocking(of, "k").Elicit(ctx, p)
			}
			return mrtr.Elicit(ctx, of, "k", p)
		}
		ask := func(ctx context.Context, of *mcp.ServerSession) (string, error) {
			res, err := elicit(ctx, of)
			if err != nil {
				return "", err
			}
			return res.Action, nil
		}
		addTool(s, style+" own", ask)
		addTool(s, style+" admin", func(ctx context.Context, _ *mcp.ServerSession) (string, error) { return ask(ctx, admin) })
		addTool(s, style+" closed", func(ctx context.Context, _ *mcp.ServerSession) (string, error) {
			gone, err := newServer(t, nil).Connect(ctx, &mcp.IOTransport{Reader: nothingToRead{}, Writer: nothingToRead{}}, nil)
			if err != nil {
				return "", err
			}
			return ask(ctx, gone)
		})
		p := connect(t, s)
		_, last := p.play(style+" own", func(string, json.RawMessage) any { return accept(nothing{}) })
		if last.text() != "accept" {
			t.Errorf("%s, own session: %s", style, last.Result)
		}
		asked = nil
		keys, last := p.play(style+" admin", func(string, json.RawMessage) any { return accept(nothing{}) })
		if len(keys) != 0 || last.text() != "decline" || len(asked) != 1 {
			t.Errorf("%s, admin's session: the peer was asked %q, the admin %q: %s", style, keys, asked, last.Result)
		}
		keys, last = p.play(style+" closed", func(string, json.RawMessage) any { return accept(nothing{}) })
		if len(keys) != 0 || last.Error == nil {
			t.Errorf("%s, a session that cannot be asked: the peer was asked %q: %s", style, keys, last.Result)
		}
	}
}

// nothingToRead is the end of a connection.
type nothingToRead struct{}

func (nothingToRead) Read([]byte) (int, error)  { return 0, errors.New("closed") }
func (nothingToRead) Write([]byte) (int, error) { return 0, errors.New("closed") }
func (nothingToRead) Close() error              { return nil }
