package mcpgo_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	mrtr "github.com/mrtr-migrate/mrtr-migrate/shim/mcpgo"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
	"github.com/mrtr-migrate/mrtr-migrate/shim/state"
)

type user struct{ asked int }

func (u *user) Elicit(_ context.Context, req mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	u.asked++
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: "accept", Content: map[string]any{"ok": true}}}, nil
}

// The SDK's own client plays every request of both eras.
func TestClient(t *testing.T) {
	for _, version := range []string{protocol.Revision20260728, protocol.Revision20251125} {
		t.Run(version, func(t *testing.T) {
			d := newDesk(t, nil)
			srv := httptest.NewServer(d.b.NewStreamableHTTPServer(d.s))
			defer srv.Close()
			conn, err := transport.NewStreamableHTTP(srv.URL + "/mcp")
			if err != nil {
				t.Fatal(err)
			}
			u := new(user)
			c := client.NewClient(conn, client.WithElicitationHandler(u))
			play(t, d, c, u, version)
		})
	}
}

// A client in the same process is asked by a function call, in whichever era.
func TestInProcessClient(t *testing.T) {
	for _, version := range []string{protocol.Revision20260728, protocol.Revision20251125} {
		t.Run(version, func(t *testing.T) {
			d := newDesk(t, nil)
			u := new(user)
			c := client.NewClient(transport.NewInProcessTransportWithOptions(d.s, transport.WithElicitationHandler(u)), client.WithElicitationHandler(u))
			play(t, d, c, u, version)
		})
	}
}

func play(t *testing.T, d *desk, c *client.Client, u *user, version string) {
	t.Helper()
	ctx := t.Context()
	if err := c.Start(ctx); err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var init mcp.InitializeRequest
	init.Params.ProtocolVersion = version
	init.Params.ClientInfo = mcp.Implementation{Name: "client", Version: "1"}
	if _, err := c.Initialize(ctx, init); err != nil {
		t.Fatal(err)
	}
	for i, r := range deskRequests {
		var said string
		switch r.method {
		case protocol.MethodCallTool:
			var req mcp.CallToolRequest
			req.Params.Name = r.params["name"].(string)
			req.Params.Arguments = r.params["arguments"]
			res, err := c.CallTool(ctx, req)
			if err != nil {
				t.Fatalf("%s: %v", r.name, err)
			}
			said = res.Content[0].(mcp.TextContent).Text
		case protocol.MethodGetPrompt:
			var req mcp.GetPromptRequest
			req.Params.Name = r.params["name"].(string)
			res, err := c.GetPrompt(ctx, req)
			if err != nil {
				t.Fatalf("%s: %v", r.name, err)
			}
			said = res.Messages[0].Content.(mcp.TextContent).Text
		case protocol.MethodReadResource:
			var req mcp.ReadResourceRequest
			req.Params.URI = r.params["uri"].(string)
			res, err := c.ReadResource(ctx, req)
			if err != nil {
				t.Fatalf("%s: %v", r.name, err)
			}
			said = res.Contents[0].(mcp.TextResourceContents).Text
		}
		if said != "done" || u.asked != i+1 {
			t.Errorf("%s: %q after %d questions", r.name, said, u.asked)
		}
	}
	d.want(t, len(deskRequests))
}

// Start serves the path that the SDK's would, behind the front, and no other.
func TestStart(t *testing.T) {
	for _, tt := range []struct {
		path string
		opts []server.StreamableHTTPOption
	}{{"/mcp", nil}, {"/other", []server.StreamableHTTPOption{server.WithEndpointPath("other/")}}} {
		d := newDesk(t, nil)
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		addr := listener.Addr().String()
		listener.Close()
		s := d.b.NewStreamableHTTPServer(d.s, tt.opts...)
		ended := make(chan error, 1)
		go func() { ended <- s.Start(addr) }()
		for deadline := time.Now().Add(10 * time.Second); ; {
			conn, err := net.Dial("tcp", addr)
			if err == nil {
				conn.Close()
				break
			}
			if time.Now().After(deadline) {
				t.Fatal(err)
			}
		}
		p := &peer{t: t, wire: &httpWire{url: "http://" + addr + tt.path, header: http.Header{}}, caps: allCaps}
		wantQuestion(t, p.modern("tools/call", deskRequests[0].params), "confirm", protocol.MethodElicit)
		res := (&httpWire{url: "http://" + addr + "/elsewhere", header: http.Header{}}).post(t, "tools/list",
			`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":`+p.params(nil)+`}`)
		res.Body.Close()
		if res.StatusCode != http.StatusNotFound {
			t.Errorf("status %d elsewhere", res.StatusCode)
		}
		if err := s.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		<-ended
	}
}

func TestNew(t *testing.T) {
	if _, err := mrtr.New(nil, nil); err == nil {
		t.Error("no keys, no error")
	}
	t.Setenv(state.EnvKeys, "")
	if _, err := mrtr.New(mrtr.KeysFromEnvironment(), nil); err == nil {
		t.Error("an empty environment, no error")
	}
	t.Setenv(state.EnvKeys, state.NewSecret())
	if _, err := mrtr.New(mrtr.KeysFromEnvironment(), nil); err != nil {
		t.Error(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("Must did not panic")
		}
	}()
	mrtr.Must(mrtr.New(nil, nil))
}
