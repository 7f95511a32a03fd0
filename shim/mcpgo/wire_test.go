package mcpgo_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	mrtr "github.com/mrtr-migrate/mrtr-migrate/shim/mcpgo"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

func everyTransport(t *testing.T, f func(t *testing.T, transport string)) {
	for _, transport := range []string{"stdio", "http"} {
		t.Run(transport, func(t *testing.T) { f(t, transport) })
	}
}

// Each request of a modern peer ends with nothing but the question, and its
// answer ends the operation, also after initialize on the same connection.
func TestThreeMethodsModern(t *testing.T) {
	everyTransport(t, func(t *testing.T, transport string) {
		for _, initialized := range []bool{false, true} {
			for _, r := range deskRequests {
				t.Run(fmt.Sprintf("initialized=%t/%s", initialized, r.name), func(t *testing.T) {
					d := newDesk(t, nil)
					p := connect(t, transport, d.b, d.s)
					if initialized {
						p.initialize(protocol.Revision20251125)
					}
					first := p.modern(r.method, r.params)
					wantQuestion(t, first, "confirm", protocol.MethodElicit)
					if got := string(first.Requests["confirm"].Params); got != `{"message":"Go on?","mode":"form","requestedSchema":{"properties":{"ok":{"type":"boolean"}},"required":["ok"],"type":"object"}}` {
						t.Errorf("params %s", got)
					}
					d.want(t, 0)
					wantComplete(t, p.modern(r.method, r.params, first.answer(accept(map[string]any{"ok": true}))), "done")
					d.want(t, 1)
					for _, no := range []any{map[string]any{"action": "decline"}, map[string]any{"action": "cancel", "content": nil}} {
						wantComplete(t, p.modern(r.method, r.params, first.answer(no)), "not done")
						d.want(t, 1)
					}
				})
			}
		}
	})
}

// Each request of an older peer is asked live, and its result has nothing of
// multi round-trip requests. What it sends of them is dropped.
func TestThreeMethodsLegacy(t *testing.T) {
	everyTransport(t, func(t *testing.T, transport string) {
		for _, version := range []string{protocol.Revision20251125, protocol.Revision20250618} {
			for _, r := range deskRequests {
				t.Run(version+"/"+r.name, func(t *testing.T) {
					d := newDesk(t, nil)
					p := connect(t, transport, d.b, d.s)
					p.initialize(version)
					params := map[string]any{"requestState": "x", "inputResponses": map[string]any{"confirm": accept(map[string]any{"ok": true})}}
					for k, v := range r.params {
						params[k] = v
					}
					for _, tt := range []struct{ answer, said string }{
						{`{"action":"decline"}`, "not done"}, {`{"action":"accept","content":{"ok":true}}`, "done"},
					} {
						res := p.legacy(r.method, params, func(frame) string { return tt.answer })
						if res.said() != tt.said || len(p.asks) != 1 || p.asks[0].Method != protocol.MethodElicit {
							t.Fatalf("%d questions: %s", len(p.asks), res.text)
						}
						for _, field := range []string{"resultType", "requestState", "inputRequests", "ttlMs", "cacheScope"} {
							if res.members[field] != nil {
								t.Errorf("%s: %s", field, res.text)
							}
						}
					}
					d.want(t, 1)
				})
			}
		}
	})
}

// Both eras on one connection do not disturb each other.
func TestErasMixed(t *testing.T) {
	everyTransport(t, func(t *testing.T, transport string) {
		d := newDesk(t, nil)
		p := connect(t, transport, d.b, d.s)
		p.initialize(protocol.Revision20251125)
		yes := func(frame) string { return `{"action":"accept","content":{"ok":true}}` }
		for i := range 3 {
			first := p.modern("tools/call", deskRequests[0].params)
			wantQuestion(t, first, "confirm", protocol.MethodElicit)
			if r := p.legacy("tools/call", deskRequests[0].params, yes); r.said() != "done" || len(p.asks) != 1 {
				t.Fatalf("%d questions: %s", len(p.asks), r.text)
			}
			wantComplete(t, p.modern("tools/call", deskRequests[0].params, first.answer(accept(map[string]any{"ok": true}))), "done")
			d.want(t, 2*(i+1))
		}
	})
}

func TestQuestionsOnTheWire(t *testing.T) {
	sampling := mcp.CreateMessageRequest{CreateMessageParams: mcp.CreateMessageParams{
		MaxTokens: 5, Messages: []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent("hi")}},
	}}
	text := `{"role":"assistant","content":{"type":"text","text":"yes"},"model":"m"}`
	blocks := `{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"model":"m"}`
	url := mcp.ElicitationRequest{Params: mcp.ElicitationParams{Mode: mcp.ElicitationModeURL, Message: "Sign in", URL: "https://example.com/in"}}
	sampled := func(res *mcp.CreateMessageResult, err error) error {
		if err != nil {
			return err
		}
		switch c := res.Content.(type) {
		case mcp.TextContent:
			if c.Text != "yes" {
				return errNo
			}
		case []mcp.Content:
			if len(c) != 2 {
				return errNo
			}
		default:
			return fmt.Errorf("content %T", c)
		}
		return nil
	}
	rooted := func(res *mcp.ListRootsResult, err error) error {
		if err == nil && (len(res.Roots) != 1 || res.Roots[0].URI != "file:///a") {
			return errNo
		}
		return err
	}
	elicited := func(res *mcp.ElicitationResult, err error) error {
		if err == nil && res.Action != mcp.ElicitationResponseActionAccept {
			return errNo
		}
		return err
	}
	tests := []struct {
		name, method, params, answer string
		ask                          func(ctx context.Context, s *server.MCPServer) error
	}{
		{"url", protocol.MethodElicit, `{"message":"Sign in","mode":"url","url":"https://example.com/in"}`, `{"action":"accept"}`,
			func(ctx context.Context, s *server.MCPServer) error {
				return elicited(mrtr.RequestElicitation(ctx, s, "k", url))
			}},
		{"url of the session", protocol.MethodElicit, `{"message":"Sign in","mode":"url","url":"https://example.com/in"}`, `{"action":"accept"}`,
			func(ctx context.Context, s *server.MCPServer) error {
				return elicited(mrtr.RequestURLElicitation(ctx, s, "k", server.ClientSessionFromContext(ctx), "", "https://example.com/in", "Sign in"))
			}},
		{"blocking url of the session", protocol.MethodElicit, `{"message":"Sign in","mode":"url","url":"https://example.com/in"}`, `{"action":"accept"}`,
			func(ctx context.Context, s *server.MCPServer) error {
				return elicited(mrtr.Blocking(s, "k").RequestURLElicitation(ctx, server.ClientSessionFromContext(ctx), "", "https://example.com/in", "Sign in"))
			}},
		{"sampling", protocol.MethodCreateMessage, `{"maxTokens":5,"messages":[{"content":{"text":"hi","type":"text"},"role":"user"}]}`, text,
			func(ctx context.Context, s *server.MCPServer) error {
				return sampled(mrtr.RequestSampling(ctx, s, "k", sampling))
			}},
		{"blocking sampling of several blocks", protocol.MethodCreateMessage, `{"maxTokens":5,"messages":[{"content":{"text":"hi","type":"text"},"role":"user"}]}`, blocks,
			func(ctx context.Context, s *server.MCPServer) error {
				return sampled(mrtr.Blocking(s, "k").RequestSampling(ctx, sampling))
			}},
		{"roots", protocol.MethodListRoots, `{}`, `{"roots":[{"uri":"file:///a"}]}`,
			func(ctx context.Context, s *server.MCPServer) error {
				return rooted(mrtr.RequestRoots(ctx, s, "k", mcp.ListRootsRequest{}))
			}},
		{"blocking roots", protocol.MethodListRoots, `{}`, `{"roots":[{"uri":"file:///a"}]}`,
			func(ctx context.Context, s *server.MCPServer) error {
				return rooted(mrtr.Blocking(s, "k").RequestRoots(ctx, mcp.ListRootsRequest{}))
			}},
	}
	everyTransport(t, func(t *testing.T, transport string) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				d := newDesk(t, nil)
				d.s.AddTool(mcp.NewTool("tool"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					err := tt.ask(ctx, d.s)
					if mrtr.Pending(ctx) {
						return mrtr.InputRequired(ctx), nil
					}
					if err != nil {
						return nil, err
					}
					return mcp.NewToolResultText("ok"), nil
				})
				p := connect(t, transport, d.b, d.s)
				call := map[string]any{"name": "tool"}
				first := p.modern("tools/call", call)
				wantQuestion(t, first, "k", tt.method)
				var v any
				if err := json.Unmarshal(first.Requests["k"].Params, &v); err != nil {
					t.Fatal(err)
				}
				if got, _ := json.Marshal(v); string(got) != tt.params {
					t.Errorf("params\n got %s\nwant %s", got, tt.params)
				}
				wantComplete(t, p.modern("tools/call", call, first.answer(json.RawMessage(tt.answer))), "ok")

				if transport == "http" && tt.method != protocol.MethodElicit {
					return // the SDK sends these on a GET stream, which the peer has not
				}
				p.initialize(protocol.Revision20251125)
				r := p.legacy("tools/call", call, func(frame) string { return tt.answer })
				if r.said() != "ok" || len(p.asks) != 1 || p.asks[0].Method != tt.method {
					t.Fatalf("live: %s", r.text)
				}
				var asked struct{ ElicitationID, URL string }
				_ = json.Unmarshal(p.asks[0].Params, &asked)
				if (asked.URL != "") != (asked.ElicitationID != "") {
					t.Errorf("live question %s", p.asks[0].Params)
				}
			})
		}
	})
}

// Every finished result of a modern request has its type, and a failed one is
// what the SDK makes of it.
func TestResultTypeAlways(t *testing.T) {
	everyTransport(t, func(t *testing.T, transport string) {
		d := newDesk(t, nil)
		d.add("ok", func(context.Context) error { return nil })
		d.add("error", func(context.Context) error { return errNo })
		d.s.AddResource(mcp.NewResource("desk://none", "none"), func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) { return nil, nil })
		p := connect(t, transport, d.b, d.s)
		for _, r := range []round{p.modern("tools/call", map[string]any{"name": "ok"}), p.modern("tools/list", nil), p.modern("resources/read", map[string]any{"uri": "desk://none"})} {
			if r.ResultType != protocol.ResultComplete || r.members["_meta"] == nil {
				t.Errorf("%s", r.text)
			}
		}
		if r := p.modern("resources/read", map[string]any{"uri": "desk://none"}); string(r.members["contents"]) != "[]" || r.members["ttlMs"] == nil {
			t.Errorf("a resource without contents: %s", r.text)
		}
		if r := p.modern("tools/call", map[string]any{"name": "error"}); r.Error == nil || r.Error.Code != protocol.CodeInternal || r.Error.Message != "no" {
			t.Errorf("%s", r.text)
		}
		wantError(t, p.modern("tools/call", map[string]any{"name": "missing"}), protocol.CodeInvalidParams, "", http.StatusBadRequest)
	})
}

func TestStateOnlyRoundOnTheWire(t *testing.T) {
	everyTransport(t, func(t *testing.T, transport string) {
		for _, r := range deskRequests {
			d := newDesk(t, &mrtr.Options{Reserve: func(string, string) bool { return true }})
			p := connect(t, transport, d.b, d.s)
			first := p.modern(r.method, r.params, retry{responses: map[string]any{"confirm": accept(map[string]any{"ok": true})}})
			if string(first.members["inputRequests"]) != `{}` || first.ResultType != protocol.ResultInputRequired || first.State == nil || len(first.members) != 3 || d.calls != 0 {
				t.Fatalf("first round, %d calls: %s", d.calls, first.text)
			}
			second := p.modern(r.method, r.params, retry{state: *first.State})
			wantQuestion(t, second, "confirm", protocol.MethodElicit)
			wantComplete(t, p.modern(r.method, r.params, second.answer(accept(map[string]any{"ok": true}))), "done")
			d.want(t, 1)
		}
	})
}

// A notification before the response makes HTTP a stream of events, in which the
// response is replaced as well.
func TestNotificationBeforeTheQuestion(t *testing.T) {
	everyTransport(t, func(t *testing.T, transport string) {
		d := newDesk(t, nil)
		d.add("tool", func(ctx context.Context) error {
			for i := range 5 { // of which the SDK may lose the last
				if err := d.s.SendNotificationToClient(ctx, "notifications/progress", map[string]any{"progressToken": "t", "progress": i}); err != nil {
					return err
				}
			}
			_, err := mrtr.RequestElicitation(ctx, d.s, "k", form("Go on?"))
			if mrtr.Pending(ctx) {
				return nil
			}
			return err
		})
		p := connect(t, transport, d.b, d.s)
		call := map[string]any{"name": "tool"}
		first := p.modern("tools/call", call)
		wantQuestion(t, first, "k", protocol.MethodElicit)
		if transport == "http" && (len(first.others) < 4 || first.others[0].Method != "notifications/progress") {
			t.Errorf("%d notifications", len(first.others))
		}
		wantComplete(t, p.modern("tools/call", call, first.answer(accept(map[string]any{"ok": true}))), "ok")
	})
}
