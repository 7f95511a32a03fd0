// Package storeuser has effects before questions, and what looks like them.
package storeuser

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"strings"

	"store"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	mrtr "github.com/mrtr-migrate/mrtr-migrate/shim/gosdk"
)

type desk struct {
	store   *store.Store
	names   []string
	client  *http.Client
	orders  orders
	pending map[string]int
}

// orders is kept by a service elsewhere.
type orders interface {
	Get(ctx context.Context, id string) (string, error)
	CreateOrder(ctx context.Context, id string) (string, error)
}

func Register(s *mcp.Server) {
	d := &desk{store: store.New("x")}
	s.AddTool(&mcp.Tool{Name: "create"}, d.create)
	s.AddTool(&mcp.Tool{Name: "read"}, d.read)
	s.AddTool(&mcp.Tool{Name: "after"}, d.after)
	s.AddTool(&mcp.Tool{Name: "failed"}, d.failed)
	s.AddTool(&mcp.Tool{Name: "loop"}, d.loop)
	s.AddTool(&mcp.Tool{Name: "helper"}, d.helper)
	s.AddTool(&mcp.Tool{Name: "memory"}, d.memory)
	s.AddTool(&mcp.Tool{Name: "memo"}, d.memo)
	s.AddTool(&mcp.Tool{Name: "local"}, d.local)
	s.AddTool(&mcp.Tool{Name: "run"}, d.run)
	s.AddTool(&mcp.Tool{Name: "twice"}, d.twice)

	var seen []string
	s.AddTool(&mcp.Tool{Name: "captured"}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		seen = append(seen, req.Params.Name)   // want `MRTR011 seen = … \(storeuser\.go:50\) happens before the question at storeuser\.go:51`
		_, err := req.Session.Elicit(ctx, nil) // want `MRTR001 `
		return nil, err
	})
}

func (d *desk) create(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if err := d.store.Save("x", 1); err != nil { // want `MRTR011 d\.store\.Save \(storeuser\.go:57, os\.WriteFile at store\.go:25\) happens before the question at storeuser\.go:60, so it would happen again each round`
		return nil, err
	}
	if _, err := req.Session.Elicit(ctx, nil); err != nil { // want `MRTR001 `
		return nil, err
	}
	return nil, d.store.Save("x", 2)
}

// read has nothing before its question that could not be done again.
func (d *desk) read(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	data, err := d.store.Load("x")
	if err != nil {
		return nil, err
	}
	d.store.Cached("x")
	log.Printf("asking about %s", data)
	slog.Info("asking", "host", os.Getenv("HOST"))
	fmt.Println("asking")
	if _, err := d.orders.Get(ctx, "1"); err != nil {
		return nil, err
	}
	hreq, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://example.com", nil)
	if err != nil {
		return nil, err
	}
	if _, err := d.client.Do(hreq); err != nil {
		return nil, err
	}
	_, err = req.Session.Elicit(ctx, nil) // want `MRTR001 `
	return nil, err
}

// after has its effects where they belong.
func (d *desk) after(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	_, err := req.Session.Elicit(ctx, nil) // want `MRTR001 `
	if err != nil {
		return nil, err
	}
	return nil, d.store.Save("x", 1)
}

// failed has an effect on a path that asks no more.
func (d *desk) failed(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if req.Params.Name == "" {
		return nil, d.store.Save("x", 1)
	}
	_, err := req.Session.Elicit(ctx, nil) // want `MRTR001 `
	return nil, err
}

func (d *desk) loop(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	for range 3 {
		if _, err := req.Session.Elicit(ctx, nil); err != nil { // want `MRTR001 `
			return nil, err
		}
		if err := d.store.Save("x", 1); err != nil { // want `MRTR011 `
			return nil, err
		}
	}
	return nil, nil
}

func (d *desk) confirm(ctx context.Context, s *mcp.ServerSession) error {
	_, err := s.Elicit(ctx, nil) // want `MRTR001 `
	return err
}

func (d *desk) helper(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if _, err := d.orders.CreateOrder(ctx, "1"); err != nil { // want `MRTR011 d\.orders\.CreateOrder|storeuser\.orders\.CreateOrder`
		return nil, err
	}
	return nil, d.confirm(ctx, req.Session)
}

func (d *desk) memory(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	d.names = append(d.names, "x")         // want `MRTR011 d\.names = …`
	d.store.Number()                       // want `MRTR011 d\.store\.Number `
	store.Count()                          // want `MRTR011 store\.Count `
	_, err := req.Session.Elicit(ctx, nil) // want `MRTR001 `
	return nil, err
}

// memo does it once, whatever the rounds.
func (d *desk) memo(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if _, err := mrtr.Once(ctx, "save", func(ctx context.Context) (int, error) { return 1, d.store.Save("x", 1) }); err != nil {
		return nil, err
	}
	_, err := req.Session.Elicit(ctx, nil) // want `MRTR001 `
	return nil, err
}

// local changes only what the request made itself.
func (d *desk) local(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var b strings.Builder
	b.WriteString("x")
	list := []string{}
	list = append(list, b.String())
	own := store.New("y")
	own.Keep("x", nil)
	n := 0
	add := func() { n++ }
	add()
	m := map[string]int{}
	m["x"]++
	_, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: strings.Join(list, "")}) // want `MRTR001 `
	return nil, err
}

func (d *desk) run(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if err := exec.CommandContext(ctx, "make").Run(); err != nil { // want `MRTR011 exec\.Cmd\.Run`
		return nil, err
	}
	_, err := req.Session.Elicit(ctx, nil) // want `MRTR001 `
	return nil, err
}

// saveAfter asks, and then has an effect.
func (d *desk) saveAfter(ctx context.Context, s *mcp.ServerSession) error {
	if _, err := s.Elicit(ctx, nil); err != nil { // want `MRTR001 `
		return err
	}
	return d.store.Save("x", 1)
}

func (d *desk) twice(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if err := d.saveAfter(ctx, req.Session); err != nil { // want `MRTR011 d\.saveAfter `
		return nil, err
	}
	return nil, d.saveAfter(ctx, req.Session)
}
