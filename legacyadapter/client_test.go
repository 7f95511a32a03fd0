package legacyadapter_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mrtr-migrate/mrtr-migrate/legacyadapter"
	mrtr "github.com/mrtr-migrate/mrtr-migrate/shim/gosdk"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// links are the ways in which a go-sdk client reaches a desk.
var links = map[string]func(t *testing.T, d *desk) mcp.Transport{
	"memory": func(t *testing.T, d *desk) mcp.Transport {
		here, there := mcp.NewInMemoryTransports()
		if _, err := d.server.Connect(t.Context(), legacyadapter.Transport(here), nil); err != nil {
			t.Fatal(err)
		}
		return there
	},
	"pipes": func(t *testing.T, d *desk) mcp.Transport {
		in, toServer := io.Pipe()
		fromServer, out := io.Pipe()
		if _, err := d.server.Connect(t.Context(), legacyadapter.Transport(&mcp.IOTransport{Reader: in, Writer: out}), nil); err != nil {
			t.Fatal(err)
		}
		return &mcp.IOTransport{Reader: fromServer, Writer: toServer}
	},
	"http": func(t *testing.T, d *desk) mcp.Transport {
		return &mcp.StreamableClientTransport{Endpoint: endpoint(t, d.server, nil)}
	},
}

// The go-sdk's own client, in every revision that it speaks, over every link.
func TestGoClient(t *testing.T) {
	for _, revision := range append(protocol.LegacyRevisions(), protocol.Revision20260728) {
		for name, link := range links {
			t.Run(revision+" "+name, func(t *testing.T) {
				d := newDesk(t)
				cs, asked := goClient(t, link(t, d), revision)
				if got := cs.InitializeResult().ProtocolVersion; got != revision {
					t.Fatalf("negotiated %s", got)
				}
				res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "steps", Arguments: map[string]any{"n": 6}})
				if err != nil {
					t.Fatal(err)
				}
				if got := res.Content[0].(*mcp.TextContent).Text; got != "w0 w1 w2 w3 w4 w5" || len(*asked) != 6 {
					t.Errorf("result %q after %q", got, *asked)
				}
				prompt, err := cs.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "handover", Arguments: map[string]string{"shift": "s"}})
				if err != nil {
					t.Fatal(err)
				}
				if got := prompt.Messages[0].Content.(*mcp.TextContent).Text; got != "handover w6" {
					t.Errorf("prompt %q", got)
				}
				resource, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "desk://payroll"})
				if err != nil {
					t.Fatal(err)
				}
				if got := resource.Contents[0].Text; got != "payroll w7" {
					t.Errorf("resource %q", got)
				}
				if done := d.done(); len(done) != 1 {
					t.Errorf("effects %q", done)
				}
			})
		}
	}
}

// goClient connects a client that answers w0, w1 and so on, and records what it
// is asked.
func goClient(t *testing.T, transport mcp.Transport, revision string) (*mcp.ClientSession, *[]string) {
	t.Helper()
	asked := new([]string)
	client := mcp.NewClient(&mcp.Implementation{Name: "go", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			*asked = append(*asked, req.Params.Message)
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"word": fmt.Sprintf("w%d", len(*asked)-1)}}, nil
		},
	})
	cs, err := client.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cs.Close() })
	return cs, asked
}

// Clients of both eras on one endpoint at once do not disturb each other.
func TestGoClientsOfBothEras(t *testing.T) {
	d := newDesk(t)
	url := endpoint(t, d.server, nil)
	var all sync.WaitGroup
	for i := range 8 {
		revision := protocol.Revision20260728
		if i%2 == 0 {
			revision = protocol.Revision20251125
		}
		cs, _ := goClient(t, &mcp.StreamableClientTransport{Endpoint: url}, revision)
		all.Go(func() {
			res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "steps", Arguments: map[string]any{"n": 4}})
			if err != nil {
				t.Error(err)
				return
			}
			if got := res.Content[0].(*mcp.TextContent).Text; got != "w0 w1 w2 w3" {
				t.Errorf("%s: %q", revision, got)
			}
		})
	}
	all.Wait()
}

// What a modern request notifies in its course reaches the peer, also where the
// request is served on a session of its own.
func TestNotificationsOfSeparateRequests(t *testing.T) {
	d := newDesk(t)
	d.server.AddTool(&mcp.Tool{Name: "progress", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: req.Params.GetProgressToken(), Progress: 0.5})
			return answer("at %v", err), errors.Join(err, req.Session.Ping(ctx, nil))
		})
	p := overPipes(t, d.server)
	initialize(t, p, `"2025-11-25"`, allCaps)
	params := strings.Replace(modern(`"name":"progress","arguments":{}`, allCaps), `"_meta":{`, `"_meta":{"progressToken":"p",`, 1)
	x := p.call("tools/call", params, nil)
	if len(x.frames) != 2 || x.frames[0].Method != "notifications/progress" || !strings.Contains(x.frames[0].text, `"progressToken":"p"`) {
		t.Errorf("frames %+v", x.frames)
	}
	if x.Error == nil { // the ping is refused, and nothing else of it is seen
		t.Errorf("a request to the peer of a modern request: %s", x.text)
	}
}

func TestInstallErrors(t *testing.T) {
	server := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
	if err := legacyadapter.Install(nil, mrtr.EphemeralKeys(), nil); err == nil {
		t.Error("installed on nothing")
	}
	if err := legacyadapter.Install(server, nil, nil); err == nil {
		t.Error("installed without keys")
	}
	t.Setenv("MRTR_STATE_KEYS", "")
	func() {
		defer func() {
			if recover() == nil {
				t.Error("MustInstall goes on without keys")
			}
		}()
		legacyadapter.MustInstall(server, mrtr.KeysFromEnvironment())
	}()
	if legacyadapter.MustInstall(server, mrtr.EphemeralKeys()) != server {
		t.Error("MustInstall returns another server")
	}
}
