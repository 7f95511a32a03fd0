package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mrtr-migrate/mrtr-migrate/rewrite"
)

const rewriteModule = `module example.com/server

go 1.26.0

require github.com/modelcontextprotocol/go-sdk v1.8.0

require (
	github.com/google/jsonschema-go v0.4.3 // indirect
	github.com/segmentio/asm v1.1.3 // indirect
	github.com/segmentio/encoding v0.5.4 // indirect
	github.com/yosida95/uritemplate/v3 v3.0.2 // indirect
	golang.org/x/oauth2 v0.35.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/time v0.15.0 // indirect
)
`

const rewriteServer = `package server

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func Register(s *mcp.Server) { mcp.AddTool(s, &mcp.Tool{Name: "go"}, handle) }

func handle(ctx context.Context, req *mcp.CallToolRequest, in struct{}) (*mcp.CallToolResult, any, error) {
	_, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: "Go?"})
	return nil, nil, err
}
`

// rewriteIn lays out a module with one file and returns its folder.
func rewriteIn(t *testing.T, source string) string {
	t.Helper()
	t.Setenv("GOFLAGS", "-mod=mod")
	dir := t.TempDir()
	sums, err := os.ReadFile("../../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"go.mod": rewriteModule, "go.sum": string(sums), "server.go": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// rewriteCommand runs the subcommand and returns what it printed and its
// error.
func rewriteCommand(t *testing.T, args ...string) (out, errOut string, err error) {
	t.Helper()
	clone, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	cmd := newRewriteCommand()
	var stdout, stderr bytes.Buffer
	cmd.SetOut(&stdout)
	cmd.SetErr(&stderr)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(append([]string{"-q", "--module-replace", clone}, args...))
	err = cmd.ExecuteContext(t.Context())
	return stdout.String(), stderr.String(), err
}

func TestRewriteShowsThenWrites(t *testing.T) {
	dir := rewriteIn(t, rewriteServer)
	out, summary, err := rewriteCommand(t, "-C", dir)
	if err != nil {
		t.Fatalf("rewrite: %v\n%s", err, summary)
	}
	for _, want := range []string{
		"--- a/server.go\n+++ b/server.go\n",
		"\n+	_, err := mrtr.Elicit(ctx, req.Session, \"handle.confirm\", &mcp.ElicitParams{Message: \"Go?\"})\n",
		"\n+++ b/go.mod\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the diff lacks %q:\n%s", want, out)
		}
	}
	if !strings.Contains(summary, "would be changed") || !strings.Contains(summary, "Rewritten: 1 handler") {
		t.Errorf("summary:\n%s", summary)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "server.go")); err != nil || string(data) != rewriteServer {
		t.Errorf("a run without --write changed the file: %v\n%s", err, data)
	}

	out, _, err = rewriteCommand(t, "-C", dir, "--write")
	if err != nil || strings.Contains(out, "+++") || !strings.Contains(out, "Rewritten: 1 handler") {
		t.Errorf("rewrite --write: %v\n%s", err, out)
	}
	data, err := os.ReadFile(filepath.Join(dir, "server.go"))
	if err != nil || !strings.Contains(string(data), "mrtr.Pending(ctx)") {
		t.Errorf("rewrite --write did not change the file: %v\n%s", err, data)
	}
	out, summary, err = rewriteCommand(t, "-C", dir, "--write")
	if err != nil || !strings.Contains(out, "Nothing to change.") {
		t.Errorf("a second run: %v\n%s%s", err, out, summary)
	}
}

func TestRewriteStatus(t *testing.T) {
	left := strings.Replace(rewriteServer, "Elicit(ctx", "Elicit(context.Background()", 1)
	for _, test := range []struct {
		name, source string
		args         []string
		want         string
	}{
		{"nothing asked", "package server\n", nil, ""},
		{"all done", rewriteServer, nil, ""},
		{"a marker is left", left, nil, exitStatus(statusFindings).Error()},
		{"does not build", strings.Replace(rewriteServer, "nil, nil, err", "err", 1), nil, "no package could be looked at"},
		{"no such package", rewriteServer, []string{"./nowhere"}, "no packages match"},
		{"unknown format", rewriteServer, []string{"--format", "yaml"}, "--format takes text or json"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := rewriteIn(t, test.source)
			_, _, err := rewriteCommand(t, append([]string{"-C", dir}, test.args...)...)
			if err == nil && test.want != "" || err != nil && (test.want == "" || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("err = %v, want %q", err, test.want)
			}
		})
	}
}

func TestRewriteJSON(t *testing.T) {
	dir := rewriteIn(t, strings.Replace(rewriteServer, "Elicit(ctx", "Elicit(context.Background()", 1))
	out, _, _ := rewriteCommand(t, "-C", dir, "--format", "json")
	var got struct {
		Module    string
		Done      *bool
		Written   *bool
		Files     []struct{ Path, Diff string }
		Markers   []rewrite.MarkerReport
		Untouched []rewrite.Untouched
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if got.Module != "example.com/server" || got.Done == nil || *got.Done || got.Written == nil || *got.Written {
		t.Errorf("got %+v", got)
	}
	if len(got.Files) != 1 || got.Files[0].Path != "server.go" || !strings.Contains(got.Files[0].Diff, "MRTR-TODO") {
		t.Errorf("files = %+v", got.Files)
	}
	if len(got.Markers) != 1 || got.Markers[0].Path != "server.go" || got.Markers[0].Line != 12 {
		t.Errorf("markers = %+v", got.Markers)
	}
	if len(got.Untouched) != 1 || got.Untouched[0].Ask != "Elicit" {
		t.Errorf("untouched = %+v", got.Untouched)
	}
}
