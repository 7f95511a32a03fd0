package rewrite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestManyEdits rewrites a handler with two findings besides its question, and
// two hundred others, several to a file: every edit lands once, each file
// imports the run-time once, and the module builds.
func TestManyEdits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	goModule(t, dir, "example.com/many")
	const files, each = 20, 10
	writeFile(t, filepath.Join(dir, "first.go"), []byte(`package many

import (
	"context"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type input struct {
	Name string
}

func Register(s *mcp.Server) {
	mcp.AddTool(s, &mcp.Tool{Name: "first"}, first)
	registerAll(s)
}

// first has an effect before its question, and goes on where that fails.
func first(ctx context.Context, req *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
	if err := os.Mkdir(in.Name, 0o700); err != nil {
		return nil, nil, err
	}
	res, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: "Fill it?"})
	if err == nil && res.Action != "accept" {
		return nil, nil, nil
	}
	return nil, nil, os.WriteFile(in.Name+"/filled", nil, 0o600)
}
`))
	var all strings.Builder
	all.WriteString("package many\n\nimport \"github.com/modelcontextprotocol/go-sdk/mcp\"\n\nfunc registerAll(s *mcp.Server) {\n")
	for f := range files {
		var b strings.Builder
		b.WriteString("package many\n\nimport (\n\t\"context\"\n\n\t\"github.com/modelcontextprotocol/go-sdk/mcp\"\n)\n")
		for i := range each {
			fmt.Fprintf(&all, "\tmcp.AddTool(s, &mcp.Tool{Name: \"t%d_%d\"}, t%d_%d)\n", f, i, f, i)
			fmt.Fprintf(&b, `
func t%d_%d(ctx context.Context, req *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
	res, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: in.Name})
	if err != nil {
		return nil, nil, err
	}
	return nil, res.Action, nil
}
`, f, i)
		}
		writeFile(t, filepath.Join(dir, fmt.Sprintf("tools%d.go", f)), []byte(b.String()))
	}
	all.WriteString("}\n")
	writeFile(t, filepath.Join(dir, "all.go"), []byte(all.String()))

	result := run(t, dir)
	if got, want := len(result.Handlers), files*each+1; got != want {
		t.Errorf("%d handlers were rewritten, want %d", got, want)
	}
	text, asks := "", 0
	for f := range files {
		data, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("tools%d.go", f)))
		if err != nil {
			t.Fatal(err)
		}
		text = string(data)
		if n := strings.Count(text, `"github.com/mrtr-migrate/mrtr-migrate/shim/gosdk"`); n != 1 {
			t.Errorf("tools%d.go imports the run-time %d times", f, n)
		}
		if strings.Contains(text, "Session.Elicit(") {
			t.Errorf("tools%d.go still asks in the old way", f)
		}
		asks += strings.Count(text, "mrtr.Elicit(ctx")
	}
	if asks != files*each {
		t.Errorf("%d asks were rewritten, want %d", asks, files*each)
	}
	data, err := os.ReadFile(filepath.Join(dir, "first.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"mrtr.Once(ctx", "mrtr.Elicit(ctx", "MRTR-TODO(MRTR010)", "if mrtr.Pending(ctx)"} {
		if strings.Count(string(data), want) != 1 {
			t.Errorf("first.go has %q %d times, want once:\n%s", want, strings.Count(string(data), want), data)
		}
	}
	vet(t, dir)
}
