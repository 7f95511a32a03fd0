// Command legacyserver is the operations desk of a small company as an MCP
// server: customers, machines, backups, invoices and releases, each kept as a
// JSON file below one directory. What cannot be taken back is asked first.
//
// It speaks MCP over stdin and stdout, or over Streamable HTTP with -http.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mrtr-migrate/mrtr-migrate/testdata/legacyserver/internal/briefing"
	"github.com/mrtr-migrate/mrtr-migrate/testdata/legacyserver/internal/store"
	"github.com/mrtr-migrate/mrtr-migrate/testdata/legacyserver/internal/tools"
)

func main() {
	addr := flag.String("http", "", "serve Streamable HTTP on this address instead of stdio")
	data := flag.String("data", "data", "directory of the desk's records")
	flag.Parse()

	// Standard output belongs to the protocol; everything else goes to stderr.
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, nil)))

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	if err := run(ctx, *addr, *data); err != nil && !errors.Is(err, context.Canceled) {
		slog.Error("the operations desk stopped", "error", err)
		os.Exit(1)
	}
}

// run serves until ctx ends or the client goes away.
func run(ctx context.Context, addr, data string) error {
	records, err := store.Open(data)
	if err != nil {
		return err
	}
	server := newServer(records)
	if addr == "" {
		return server.Run(ctx, &mcp.StdioTransport{})
	}
	return serveHTTP(ctx, addr, server)
}

// newServer builds the desk's MCP server over the given records.
func newServer(records *store.Store) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{
		Name:    "operations-desk",
		Title:   "Operations desk",
		Version: "1.4.0",
	}, &mcp.ServerOptions{
		Instructions: "Tools of the operations desk. Anything that cannot be undone is confirmed by a person first.",
	})
	tools.Register(server, records)
	briefing.Register(server, records)
	return server
}

// serveHTTP serves the endpoint /mcp on addr until ctx ends.
func serveHTTP(ctx context.Context, addr string, server *mcp.Server) error {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("listening on %s: %w", addr, err)
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	web := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}

	slog.Info("the operations desk is open", "url", fmt.Sprintf("http://%s/mcp", listener.Addr()))

	failed := make(chan error, 1)
	go func() { failed <- web.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	// Open event streams never become idle, so do not wait for them long.
	grace, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := web.Shutdown(grace); err != nil {
		return web.Close()
	}
	return nil
}
