package demo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mrtr-migrate/mrtr-migrate/internal/equiv"
	"github.com/mrtr-migrate/mrtr-migrate/internal/equiv/desk"
	"github.com/mrtr-migrate/mrtr-migrate/shim/state"
)

// A rewritten server that is broken in one place must not pass. Each case
// takes out what one handler needs; every script of that handler is then
// played, and at least one must find it.
func TestBrokenServerIsFound(t *testing.T) {
	tests := []struct {
		name, handler string
		file          string
		// old is replaced by new; it has to be there.
		old, new string
	}{
		{
			"ask left blocking", "archive_customer", "internal/tools/customers.go",
			`mrtr.Elicit(ctx, req.Session, `, `blocking(ctx, req.Session, `,
		}, {
			"action not checked", "archive_customer", "internal/tools/customers.go",
			`if res.Action != "accept" || res.Content["confirm"] != true {`, `if res.Action == "decline" {`,
		}, {
			"cancel not handled", "transfer_customer", "internal/tools/customers.go",
			`case "cancel":`, `case "nothing":`,
		}, {
			"two elements share a key", "prune_backups", "internal/tools/backups.go",
			`mrtr.Key(`, `sameKey(`,
		}, {
			"effect not memoised", "provision_machine", "internal/tools/machines.go",
			`mrtr.Once(`, `every(`,
		}, {
			"pending not checked before the other way", "grant_access", "internal/tools/access.go",
			`if mrtr.Pending(ctx) {`, `if never(ctx) {`,
		}, {
			"fail-open left open", "flush_cache", "internal/tools/cache.go",
			"return nil, nil, err\n\t} else", "_ = err\n\t} else",
		}, {
			"the helper asks one question more", "retire_machine", "internal/tools/tools.go",
			`return res.Action == "accept" && res.Content["confirm"] == true, nil`,
			`return again(ctx, session, res)`,
		},
	}
	// What the replacements call.
	const support = `package tools

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	mrtr "github.com/mrtr-migrate/mrtr-migrate/shim/gosdk"
)

func blocking(ctx context.Context, s *mcp.ServerSession, _ string, p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	return s.Elicit(ctx, p)
}

func sameKey(name string, _ ...any) string { return name }

func every[T any](ctx context.Context, _ string, f func(context.Context) (T, error)) (T, error) { return f(ctx) }

func never(context.Context) bool { return false }

func again(ctx context.Context, s *mcp.ServerSession, res *mcp.ElicitResult) (bool, error) {
	more, err := mrtr.Elicit(ctx, s, "again", &mcp.ElicitParams{Message: "Really?", RequestedSchema: yesNo("Yes")})
	if err != nil {
		return false, err
	}
	return res.Action == "accept" && more.Action == "accept", nil
}
`
	w := built(t)
	env := []string{state.EnvKeys + "=" + state.NewSecret()}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			broken := &workspace{dir: t.TempDir(), source: w.source}
			if err := os.CopyFS(broken.rewritten(), os.DirFS(w.rewritten())); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(broken.rewritten(), filepath.FromSlash(test.file))
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(data), test.old) {
				t.Fatalf("%s does not contain %q:\n%s", test.file, test.old, data)
			}
			// An import that is no longer used is kept.
			changed := strings.ReplaceAll(string(data), test.old, test.new) + "\nvar _ = mrtr.Pending\n"
			if err := os.WriteFile(path, []byte(changed), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(broken.rewritten(), "internal/tools/support.go"), []byte(support), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := broken.build(t.Context(), broken.rewritten(), "rewritten"); err != nil {
				t.Fatal(err)
			}
			original, good, bad := fleet(t, w, "original", equiv.Stdio, nil), fleet(t, w, "rewritten", equiv.Stdio, env), fleet(t, broken, "rewritten", equiv.Stdio, env)
			found := 0
			for _, script := range desk.Scripts() {
				if script.Handler != test.handler {
					continue
				}
				base, err := equiv.Record(t.Context(), original, script)
				if err != nil {
					t.Fatal(err)
				}
				subject := equiv.Subject{Era: equiv.Modern, Fault: equiv.Switched, Rewritten: true}
				if diffs := judged(t, good, script, base, subject); !equiv.Proven(diffs) {
					t.Errorf("%s: the server that is not broken differs: %v", script.Title(), diffs)
				}
				if diffs := judged(t, bad, script, base, subject); !equiv.Proven(diffs) {
					found++
				}
			}
			if found == 0 {
				t.Error("no script found it")
			}
		})
	}
}
