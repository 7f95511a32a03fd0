package demo

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/mrtr-migrate/mrtr-migrate/internal/equiv"
	"github.com/mrtr-migrate/mrtr-migrate/internal/equiv/desk"
	"github.com/mrtr-migrate/mrtr-migrate/shim/state"
)

// servers are the original and the rewritten server, built once for all tests.
var servers struct {
	once      sync.Once
	workspace *workspace
	err       error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if w := servers.workspace; w != nil {
		if err := w.remove(); err != nil && code == 0 {
			code = 1
		}
	}
	os.Exit(code)
}

// built returns a workspace with both servers built. Nobody may change it.
func built(t *testing.T) *workspace {
	t.Helper()
	servers.once.Do(func() { servers.workspace, servers.err = buildServers(context.Background()) })
	if servers.err != nil {
		t.Fatal(servers.err)
	}
	return servers.workspace
}

func buildServers(ctx context.Context) (*workspace, error) {
	src, err := findSource(ctx)
	if err != nil {
		return nil, err
	}
	w, err := newWorkspace(src)
	if err != nil {
		return nil, err
	}
	if _, err := w.copyServer(); err != nil {
		return w, err
	}
	if err := w.build(ctx, w.original(), "original"); err != nil {
		return w, err
	}
	if err := w.copyOriginal(); err != nil {
		return w, err
	}
	if _, err := rewriteModule(ctx, w.rewritten(), src.dir); err != nil {
		return w, err
	}
	return w, w.build(ctx, w.rewritten(), "rewritten")
}

// fleet runs a program of the workspace on a world of its own.
func fleet(t *testing.T, w *workspace, name string, transport equiv.Transport, env []string) *equiv.Fleet {
	t.Helper()
	world, err := desk.NewWorld(filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	f := &equiv.Fleet{Program: equiv.Program{Name: name, Bin: w.bin(name), Env: env}, Transport: transport, World: world}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// subjects are all the ways in which a rewritten server is played to over a
// transport: old clients with the world still or moving, new ones with every
// fault.
func subjects(transport equiv.Transport) []equiv.Subject {
	var list []equiv.Subject
	for _, era := range []equiv.Era{equiv.Legacy, equiv.LegacyHopeful} {
		for _, fault := range []equiv.Fault{equiv.None, equiv.Moved} {
			list = append(list, equiv.Subject{Era: era, Fault: fault, Rewritten: true})
		}
	}
	for _, fault := range equiv.Faults() {
		list = append(list, equiv.Subject{Era: equiv.Modern, Fault: fault, Rewritten: true})
	}
	if transport == equiv.Stdio {
		list = append(list, equiv.Subject{Era: equiv.ModernMixed, Rewritten: true})
	}
	return list
}

// Every script, from both kinds of clients, over both transports, with every
// fault: the rewritten server ends with the original's result and effects and
// has asked the original's questions, but for the closed table.
func TestRewrittenServerIsEquivalent(t *testing.T) {
	w := built(t)
	env := []string{state.EnvKeys + "=" + state.NewSecret()}
	original := fleet(t, w, "original", equiv.Stdio, nil)
	fleets := []*equiv.Fleet{fleet(t, w, "rewritten", equiv.Stdio, env), fleet(t, w, "rewritten", equiv.HTTP, env)}
	runs := 0
	for _, script := range desk.Scripts() {
		t.Run(script.Title(), func(t *testing.T) {
			base, err := equiv.Record(t.Context(), original, script)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range fleets {
				for _, subject := range subjects(f.Transport) {
					runs++
					for _, d := range judged(t, f, script, base, subject) {
						if !d.Allowed() {
							t.Errorf("client %s over %s, %s: %s", subject.Era, f.Transport, subject.Fault, d)
						}
					}
				}
			}
		})
	}
	t.Logf("%d runs", runs)
}

// judged plays a script and compares.
func judged(t *testing.T, f *equiv.Fleet, script *equiv.Script, base *equiv.Baseline, subject equiv.Subject) []equiv.Difference {
	t.Helper()
	got, err := equiv.Play(t.Context(), f, subject.Era, script, subject.Fault, nil)
	if err != nil {
		t.Fatal(err)
	}
	diffs, err := equiv.Judge(script, base, subject, got)
	if err != nil {
		t.Fatal(err)
	}
	return diffs
}
