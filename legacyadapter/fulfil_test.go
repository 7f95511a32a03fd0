package legacyadapter

//lint:file-ignore SA1019 Sampling and roots are deprecated, and tested as long as they are served.

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// A handler that asks nothing but to be called later is called later: after a
// pause, with its state, and not for ever.
func TestStateOnlyIsPaced(t *testing.T) {
	later := map[string]func(state string) (mcp.Result, error){
		"no requests":     func(s string) (mcp.Result, error) { return &mcp.CallToolResult{RequestState: s}, nil },
		"empty requests":  func(s string) (mcp.Result, error) { return nil, errors.New(busy) }, // as the SDK's bridge makes it
		"of a prompt":     func(s string) (mcp.Result, error) { return &mcp.GetPromptResult{RequestState: s}, nil },
		"of a resource":   func(s string) (mcp.Result, error) { return &mcp.ReadResourceResult{RequestState: s}, nil },
		"and an old type": func(s string) (mcp.Result, error) { return (*mcp.CallToolResult)(nil), errors.New(busy) },
	}
	for name, result := range later {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for _, busyTimes := range []int{1, maxStateOnly, maxStateOnly + 1} {
					var states []string
					calls := 0
					start := time.Now()
					res, err := fulfil(t.Context(), func(_ context.Context, _ string, req mcp.Request) (mcp.Result, error) {
						states = append(states, req.GetParams().(*mcp.CallToolParamsRaw).RequestState)
						if calls++; calls <= busyTimes {
							return result("wait")
						}
						return &mcp.CallToolResult{}, nil
					}, protocol.MethodCallTool, &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Name: "t"}}, nil)

					if busyTimes > maxStateOnly {
						var rounds *RoundsError
						var wire *jsonrpc.Error
						if !errors.As(err, &rounds) || !rounds.StateOnly || !errors.As(err, &wire) || wire.Code != protocol.CodeInternal {
							t.Errorf("error %v", err)
						}
						continue
					}
					if err != nil || res == nil || calls != busyTimes+1 {
						t.Fatalf("%d calls, result %v, error %v", calls, res, err)
					}
					if waited, want := time.Since(start), stateOnlyPause*(1<<busyTimes-1); waited != want {
						t.Errorf("waited %v, want %v", waited, want)
					}
					if name == "no requests" && (states[0] != "" || slices.ContainsFunc(states[1:], func(s string) bool { return s != "wait" })) {
						t.Errorf("states %q", states)
					}
				}
			})
		})
	}
}

// A request that is cancelled during a pause is not run again (rule 14 of
// runtime.md 1.2).
func TestStateOnlyCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := errors.New("gone")
		ctx, cancel := context.WithCancelCause(t.Context())
		calls := 0
		_, err := fulfil(ctx, func(context.Context, string, mcp.Request) (mcp.Result, error) {
			calls++
			cancel(gone)
			return &mcp.CallToolResult{RequestState: "later"}, nil
		}, protocol.MethodCallTool, &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{}}, nil)
		if calls != 1 || !errors.Is(err, gone) {
			t.Errorf("%d calls, error %v", calls, err)
		}
	})
}

// The request that a handler got is not changed by the rounds that follow.
func TestRetryCopies(t *testing.T) {
	answers := mcp.InputResponseMap{"k": &mcp.ElicitResult{Action: "accept"}}
	for _, req := range []mcp.Request{
		&mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Name: "n"}},
		&mcp.GetPromptRequest{Params: &mcp.GetPromptParams{Name: "n"}},
		&mcp.ReadResourceRequest{Params: &mcp.ReadResourceParams{URI: "n"}},
	} {
		again := retry(req, nil, answers, "s")
		switch p := again.GetParams().(type) {
		case *mcp.CallToolParamsRaw:
			old := req.GetParams().(*mcp.CallToolParamsRaw)
			if p.Name != "n" || p.RequestState != "s" || len(p.InputResponses) != 1 || old.RequestState != "" || old.InputResponses != nil {
				t.Errorf("%+v, and the first is %+v", p, old)
			}
		case *mcp.GetPromptParams:
			old := req.GetParams().(*mcp.GetPromptParams)
			if p.Name != "n" || p.RequestState != "s" || len(p.InputResponses) != 1 || old.RequestState != "" || old.InputResponses != nil {
				t.Errorf("%+v, and the first is %+v", p, old)
			}
		case *mcp.ReadResourceParams:
			old := req.GetParams().(*mcp.ReadResourceParams)
			if p.URI != "n" || p.RequestState != "s" || len(p.InputResponses) != 1 || old.RequestState != "" || old.InputResponses != nil {
				t.Errorf("%+v, and the first is %+v", p, old)
			}
		}
		if cleared := withoutRetryFields(again, nil); needFields(cleared) {
			t.Errorf("fields are left in %+v", cleared.GetParams())
		}
		if withoutRetryFields(req, nil) != req {
			t.Error("a request without the fields is copied")
		}
	}
}

func needFields(req mcp.Request) bool {
	switch p := req.GetParams().(type) {
	case *mcp.CallToolParamsRaw:
		return p.RequestState != "" || p.InputResponses != nil
	case *mcp.GetPromptParams:
		return p.RequestState != "" || p.InputResponses != nil
	case *mcp.ReadResourceParams:
		return p.RequestState != "" || p.InputResponses != nil
	}
	return false
}

// The bridge asks over a real session, within what initialize declared, and
// makes an id for a URL, which older revisions require.
func TestAsk(t *testing.T) {
	tests := []struct {
		name     string
		question mcp.InputRequest
		caps     *mcp.ClientCapabilities
		ok       bool
	}{
		{"form", &mcp.ElicitParams{Message: "m", RequestedSchema: map[string]any{"type": "object"}}, &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{}}, true},
		{"form, undeclared", &mcp.ElicitParams{Message: "m", RequestedSchema: map[string]any{"type": "object"}}, &mcp.ClientCapabilities{}, false},
		{"url", &mcp.ElicitParams{Message: "m", URL: "https://example.com"}, &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{URL: &mcp.URLElicitationCapabilities{}}}, true},
		{"url, form only", &mcp.ElicitParams{Message: "m", URL: "https://example.com"}, &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{}}, false},
		{"sampling", &mcp.CreateMessageParams{Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: "t"}}, nil}}, &mcp.ClientCapabilities{Sampling: &mcp.SamplingCapabilities{}}, true},
		{"sampling, undeclared", &mcp.CreateMessageParams{}, &mcp.ClientCapabilities{}, false},
		{"tools", &mcp.CreateMessageWithToolsParams{ToolChoice: &mcp.ToolChoice{}}, &mcp.ClientCapabilities{Sampling: &mcp.SamplingCapabilities{Tools: &mcp.SamplingToolsCapabilities{}}}, true},
		{"tools, undeclared", &mcp.CreateMessageWithToolsParams{ToolChoice: &mcp.ToolChoice{}}, &mcp.ClientCapabilities{Sampling: &mcp.SamplingCapabilities{}}, false},
		{"tools, no sampling", &mcp.CreateMessageWithToolsParams{}, &mcp.ClientCapabilities{}, false},
		{"roots", &mcp.ListRootsParams{}, &mcp.ClientCapabilities{RootsV2: &mcp.RootCapabilities{}}, true},
		{"roots, undeclared", &mcp.ListRootsParams{}, &mcp.ClientCapabilities{}, false},
		{"nothing", nil, &mcp.ClientCapabilities{RootsV2: &mcp.RootCapabilities{}}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			asked := 0
			server := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
			opts := &mcp.ClientOptions{Capabilities: tt.caps}
			if tt.caps.Elicitation != nil { // a handler would declare it
				opts.ElicitationHandler = func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					if req.Params.Mode == "url" && req.Params.ElicitationID == "" {
						t.Error("no elicitationId")
					}
					return &mcp.ElicitResult{Action: "accept"}, nil
				}
			}
			if tt.caps.Sampling != nil {
				opts.CreateMessageWithToolsHandler = func(context.Context, *mcp.CreateMessageWithToolsRequest) (*mcp.CreateMessageWithToolsResult, error) {
					return &mcp.CreateMessageWithToolsResult{Role: "assistant", Model: "m", Content: []mcp.Content{&mcp.TextContent{Text: "t"}}}, nil
				}
			}
			client := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, opts)
			client.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
				return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
					asked++
					return next(ctx, method, req)
				}
			})
			here, there := mcp.NewInMemoryTransports()
			session, err := server.Connect(t.Context(), here, nil)
			if err != nil {
				t.Fatal(err)
			}
			cs, err := client.Connect(t.Context(), there, &mcp.ClientSessionOptions{ProtocolVersion: protocol.Revision20251125})
			if err != nil {
				t.Fatal(err)
			}
			defer cs.Close()
			answers, err := askAll(t.Context(), session, mcp.InputRequestMap{"k": tt.question})
			if tt.ok {
				if err != nil || answers["k"] == nil || asked != 1 {
					t.Errorf("answers %v, error %v, asked %d times", answers, err, asked)
				}
				return
			}
			var wire *jsonrpc.Error
			if asked > 0 || !errors.As(err, &wire) || wire.Code != protocol.CodeInternal {
				t.Errorf("error %v, asked %d times", err, asked)
			}
		})
	}
}
