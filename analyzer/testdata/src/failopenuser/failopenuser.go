// Package failopenuser goes on after another package's question failed.
package failopenuser

import (
	"context"
	"os"

	"consent"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func Register(s *mcp.Server) {
	s.AddTool(&mcp.Tool{Name: "word"}, word)
	s.AddTool(&mcp.Tool{Name: "typed"}, typed)
	s.AddTool(&mcp.Tool{Name: "fill"}, fill)
	s.AddTool(&mcp.Tool{Name: "lax"}, lax)
	s.AddTool(&mcp.Tool{Name: "strict"}, strict)
	s.AddTool(&mcp.Tool{Name: "verdict"}, verdict)
	s.AddTool(&mcp.Tool{Name: "verdictstrict"}, verdictStrict)
	s.AddTool(&mcp.Tool{Name: "decision"}, decision)
}

func word(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if consent.Word(ctx, req.Session, "Delete?") == "no" { // want `MRTR001 ` `MRTR010 fail-open: if consent\.Word fails, it returns as if nothing had happened \(consent\.go:15\), and word goes on to os\.RemoveAll \(failopenuser\.go:28\)`
		return nil, nil
	}
	return nil, os.RemoveAll("x")
}

func typed(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if consent.Typed(ctx, req.Session, "Delete?") == "no" { // want `MRTR001 ` `MRTR010 .*consent\.go:27`
		return nil, nil
	}
	return nil, os.RemoveAll("x")
}

// fill falls back to a default: no answer would prevent the effect.
func fill(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	name := "default"
	if v := consent.Typed(ctx, req.Session, "Name?"); v != "" { // want `MRTR001 `
		name = v
	}
	return nil, os.WriteFile(name, nil, 0o600)
}

func lax(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if err := consent.Lax(ctx, req.Session); err != nil { // want `MRTR001 ` `MRTR010 .*consent\.go:39`
		return nil, err
	}
	return nil, os.RemoveAll("x")
}

func strict(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if err := consent.Strict(ctx, req.Session); err != nil { // want `MRTR001 `
		return nil, err
	}
	return nil, os.RemoveAll("x")
}

func verdict(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if consent.Ask(ctx, req.Session) == consent.No { // want `MRTR001 ` `MRTR010 .*consent\.go:75`
		return nil, nil
	}
	return nil, os.RemoveAll("x")
}

func verdictStrict(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	switch consent.Ask(ctx, req.Session) { // want `MRTR001 `
	case consent.Yes:
	case consent.No, consent.Unavailable:
		return nil, nil
	}
	return nil, os.RemoveAll("x")
}

func decision(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	d := consent.Decide(ctx, req.Session) // want `MRTR001 ` `MRTR010 .*consent\.go:91`
	if d.Refused {
		return nil, nil
	}
	return nil, os.RemoveAll("x")
}
