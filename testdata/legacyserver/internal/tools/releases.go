package tools

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type releaseInput struct {
	App     string `json:"app" jsonschema:"the app's id"`
	Version string `json:"version" jsonschema:"the version to release"`
}

type releaseOutput struct {
	App      string `json:"app"`
	Version  string `json:"version"`
	Released bool   `json:"released"`
}

// releaseApp releases an app if it gets clearance.
func (d *desk) releaseApp(ctx context.Context, req *mcp.CallToolRequest, in releaseInput) (*mcp.CallToolResult, releaseOutput, error) {
	out := releaseOutput{App: in.App, Version: in.Version}
	ok, err := d.clearance(ctx, req.Session, in.App, in.Version)
	if err != nil {
		return nil, out, fmt.Errorf("no clearance for %s: %w", in.App, err)
	}
	if !ok {
		return say("%s %s was not released.", in.App, in.Version), out, nil
	}
	if err := d.records.Release(in.App, in.Version); err != nil {
		return nil, out, err
	}
	out.Released = true
	return nil, out, nil
}

// clearance decides whether a version may go to production. A frozen app needs
// somebody who takes the risk, any other only a plain confirmation.
func (d *desk) clearance(ctx context.Context, session *mcp.ServerSession, app, version string) (bool, error) {
	current, err := d.records.App(app)
	if err != nil {
		return false, err
	}
	question := fmt.Sprintf("Release %s %s (now %s)?", app, version, current.Version)
	if current.Frozen {
		question = fmt.Sprintf("%s is frozen. Release %s all the same?", app, version)
	}
	return confirm(ctx, session, question)
}
