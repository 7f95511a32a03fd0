package gosdk_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	mrtr "github.com/mrtr-migrate/mrtr-migrate/shim/gosdk"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
	"github.com/mrtr-migrate/mrtr-migrate/shim/state"
)

// User code between the handler and the middleware may do what it likes with the
// result: the question goes out.
func TestInterruptSurvivesUserCode(t *testing.T) {
	around := map[string]mcp.Middleware{
		"recovers and fails": func(next mcp.MethodHandler) mcp.MethodHandler {
			return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
				defer func() {
					if r := recover(); r != nil {
						err = fmt.Errorf("recovered: %v", r)
					}
				}()
				return next(ctx, method, req)
			}
		},
		"rebuilds the result": func(next mcp.MethodHandler) mcp.MethodHandler {
			return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
				res, err := next(ctx, method, req)
				if r, ok := res.(*mcp.CallToolResult); ok {
					return &mcp.CallToolResult{Content: r.Content, StructuredContent: r.StructuredContent, IsError: r.IsError}, err
				}
				return res, err
			}
		},
		"turns all into an error": func(next mcp.MethodHandler) mcp.MethodHandler {
			return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
				next(ctx, method, req)
				return nil, errors.New("no")
			}
		},
	}
	for name, m := range around {
		for _, style := range []string{"explicit", "blocking", "explicit, error returned", "explicit, panic"} {
			t.Run(name+"/"+style, func(t *testing.T) {
				s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
				s.AddReceivingMiddleware(m) // the inner one
				ours, err := mrtr.NewMiddleware(mrtr.KeyRing(ring(t)), &mrtr.Options{Logger: quiet()})
				if err != nil {
					t.Fatal(err)
				}
				s.AddReceivingMiddleware(ours)
				mcp.AddTool(s, &mcp.Tool{Name: "tool"}, func(ctx context.Context, req *mcp.CallToolRequest, _ nothing) (*mcp.CallToolResult, any, error) {
					p := &mcp.ElicitParams{Message: "?"}
					switch style {
					case "blocking":
						mrtr.Blocking(req.Session, "k").Elicit(ctx, p)
						return &mcp.CallToolResult{}, nil, nil
					case "explicit":
						mrtr.Elicit(ctx, req.Session, "k", p)
						return mrtr.InputRequired(ctx), nil, nil
					case "explicit, panic":
						res, _ := mrtr.Elicit(ctx, req.Session, "k", p)
						return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: res.Action}}}, nil, nil
					}
					_, err := mrtr.Elicit(ctx, req.Session, "k", p)
					return nil, nil, fmt.Errorf("asking: %w", err)
				})
				wantQuestion(t, connect(t, s).tool("tool", nothing{}), "k", protocol.MethodElicit)
			})
		}
	}
}

// A panic with nothing pending arrives where it would have without the shim.
func TestPanicIsRaisedAgain(t *testing.T) {
	s := newServer(t, nil)
	var recovered any
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
			defer func() {
				if recovered = recover(); recovered != nil {
					err = errors.New("recovered")
				}
			}()
			return next(ctx, method, req)
		}
	})
	mcp.AddTool(s, &mcp.Tool{Name: "panics"}, func(context.Context, *mcp.CallToolRequest, nothing) (*mcp.CallToolResult, any, error) {
		panic("bug")
	})
	mcp.AddTool(s, &mcp.Tool{Name: "exits"}, func(context.Context, *mcp.CallToolRequest, nothing) (*mcp.CallToolResult, any, error) {
		runtime.Goexit()
		return nil, nil, nil
	})
	p := connect(t, s)
	if r := p.tool("panics", nothing{}); r.Error == nil || recovered != "bug" {
		t.Errorf("%v: %s", recovered, r.Result)
	}
	if r := p.tool("exits", nothing{}); r.Error == nil || string(r.Error.Data) != `{"code":"MRTR1007"}` {
		t.Errorf("%s", r.Result)
	}
}

func TestNewMiddlewareErrors(t *testing.T) {
	t.Setenv(state.EnvKeys, "")
	if _, err := mrtr.NewMiddleware(mrtr.KeysFromEnvironment(), nil); !errors.Is(err, state.ErrNoKey) {
		t.Errorf("no key in the environment: %v", err)
	}
	if _, err := mrtr.NewMiddleware(nil, nil); !errors.Is(err, state.ErrNoKey) {
		t.Errorf("no keys: %v", err)
	}
	if _, err := mrtr.NewMiddleware(mrtr.EphemeralKeys(), &mrtr.Options{Limits: state.Limits{Rounds: -1}}); err == nil {
		t.Error("a negative limit is accepted")
	}
	t.Setenv(state.EnvKeys, state.NewSecret())
	for _, keys := range []mrtr.Keys{mrtr.KeysFromEnvironment(), mrtr.EphemeralKeys(), mrtr.KeyRing(ring(t))} {
		if _, err := mrtr.NewMiddleware(keys, nil); err != nil {
			t.Error(err)
		}
	}
}

// Two instances of a server that share keys and their name take over from each
// other; servers that differ in either do not.
func TestInstances(t *testing.T) {
	d := new(desk)
	a, b := connect(t, d.server(t, &mrtr.Options{Audience: "desk"})), connect(t, d.server(t, &mrtr.Options{Audience: "desk"}))
	other := connect(t, d.server(t, &mrtr.Options{Audience: "till"}))
	first := a.tool("typed", nothing{})
	yes := first.answer(accept(map[string]any{"ok": true}))
	if r := other.tool("typed", nothing{}, yes); r.Error == nil || d.effects != 0 {
		t.Errorf("another server: %s", r.Result)
	}
	if r := b.tool("typed", nothing{}, yes); r.ResultType != protocol.ResultComplete || d.effects != 1 {
		t.Errorf("another instance: %s", r.Result)
	}
}

// httpPost sends a modern request to an HTTP handler and returns its status.
func httpPost(t *testing.T, url, token, name string, again ...retry) (int, round) {
	t.Helper()
	params := map[string]any{"name": name, "arguments": nothing{}, "_meta": map[string]any{
		protocol.MetaProtocolVersion: protocol.Revision20260728, protocol.MetaClientCapabilities: json.RawMessage(`{"elicitation":{}}`),
	}}
	for _, a := range again {
		params["requestState"], params["inputResponses"] = a.state, a.responses
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": protocol.MethodCallTool, "params": params})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer " + token,
		"Mcp-Protocol-Version": protocol.Revision20260728, "Mcp-Method": protocol.MethodCallTool, "Mcp-Name": name,
	} {
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var r round
	if err := json.NewDecoder(res.Body).Decode(&r.message); err != nil {
		t.Fatal(err)
	}
	if r.Result != nil {
		if err := json.Unmarshal(r.Result, &r); err != nil {
			t.Fatal(err)
		}
	}
	return res.StatusCode, r
}

// Over HTTP the principal is the user of the verified token, and refusals have
// status 400.
func TestPrincipalOverHTTP(t *testing.T) {
	d := new(desk)
	log := new(bytes.Buffer)
	s := d.server(t, &mrtr.Options{Logger: slog.New(slog.NewTextHandler(log, nil))})
	mcp.AddTool(s, &mcp.Tool{Name: "url"}, func(ctx context.Context, req *mcp.CallToolRequest, _ nothing) (*mcp.CallToolResult, any, error) {
		_, err := mrtr.Elicit(ctx, req.Session, "k", &mcp.ElicitParams{Message: "?", URL: "https://example.com"})
		return nil, nil, err
	})
	verify := func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		return &auth.TokenInfo{UserID: strings.TrimPrefix(token, "user-"), Expiration: time.Now().Add(time.Hour)}, nil
	}
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	server := httptest.NewServer(auth.RequireBearerToken(verify, nil)(handler))
	defer server.Close()

	_, first := httpPost(t, server.URL, "user-alice", "typed")
	if first.ResultType != protocol.ResultInputRequired {
		t.Fatalf("%s %+v", first.Result, first.Error)
	}
	yes := first.answer(accept(map[string]any{"ok": true}))
	if status, r := httpPost(t, server.URL, "user-bob", "typed", yes); status != http.StatusBadRequest || r.Error == nil || r.Error.Message != protocol.InvalidStateMessage || d.effects != 0 {
		t.Errorf("bob: %d %s", status, r.Result)
	}
	if status, r := httpPost(t, server.URL, "user-alice", "typed", yes); status != http.StatusOK || r.ResultType != protocol.ResultComplete || d.effects != 1 {
		t.Errorf("alice: %d %s", status, r.Result)
	}
	if status, r := httpPost(t, server.URL, "user-alice", "url"); status != http.StatusBadRequest || r.Error == nil || r.Error.Code != protocol.CodeMissingClientCapability {
		t.Errorf("capability: %d %s", status, r.Result)
	}
	// A token without a user cannot be told from another one.
	if _, r := httpPost(t, server.URL, "user-", "typed"); r.Error == nil || string(r.Error.Data) != `{"code":"MRTR1015"}` {
		t.Errorf("nobody: %s", r.Result)
	}
	if _, r := httpPost(t, server.URL, "user-", "typed", yes); r.Error == nil || r.Error.Message != protocol.InvalidStateMessage {
		t.Errorf("nobody with a state: %s", r.Result)
	}
	for _, secret := range []string{"alice", "bob", *first.State, "Bearer"} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("%q in the log:\n%s", secret, log)
		}
	}
	if !strings.Contains(log.String(), "reason=principal") {
		t.Errorf("no reason in the log:\n%s", log)
	}
}
