package demo

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mrtr-migrate/mrtr-migrate/cmd/mrtr-migrate/internal/output"
	"github.com/mrtr-migrate/mrtr-migrate/internal/equiv"
)

// idle are tools that find nothing and change nothing.
func idle() Tools {
	return Tools{
		Lint:    func(context.Context, string) ([]output.Finding, error) { return nil, nil },
		Rewrite: func(context.Context, string, string) (Edit, error) { return Edit{}, nil },
	}
}

// temporary lets the demonstration's folders be made in a folder of the test,
// and returns what is in it.
func temporary(t *testing.T) func() []string {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	return func() []string {
		left, err := filepath.Glob(filepath.Join(dir, "mrtr-demo-*"))
		if err != nil {
			t.Fatal(err)
		}
		return left
	}
}

// A server that was not rewritten serves old clients as before and new ones
// not at all: the demonstration has to say so.
func TestRunSaysThatServersDiffer(t *testing.T) {
	left := temporary(t)
	var out strings.Builder
	report, err := Run(t.Context(), idle(), Options{Out: &out, Width: 100, Only: "archive_customer"})
	if err != nil {
		t.Fatal(err)
	}
	if report.Agree {
		t.Error("Agree, although nothing was rewritten")
	}
	for _, run := range report.Runs {
		modern := run.Era == equiv.Modern.String()
		if asks := run.Script != "no such customer"; modern && asks && run.Verdict != Different {
			t.Errorf("%s over %s on a new client: %s", run.Script, run.Transport, run.Verdict)
		}
		if !modern && run.Verdict != Equal {
			t.Errorf("%s over %s on an old client: %s: %v", run.Script, run.Transport, run.Verdict, run.Differences)
		}
	}
	if !strings.Contains(out.String(), "NOT all agree") || !strings.Contains(out.String(), "DIFFERS") {
		t.Errorf("the show does not say it:\n%s", out.String())
	}
	if strings.Contains(out.String(), "\x1b") {
		t.Error("colour where none was asked for")
	}
	if l := left(); len(l) > 0 {
		t.Errorf("left behind: %v", l)
	}
}

// Flushing the cache is the handler that does its work although nobody could
// be asked.
func TestRunShowsWhatTheOriginalDoesUnasked(t *testing.T) {
	temporary(t)
	report, err := Run(t.Context(), idle(), Options{Out: io.Discard, Only: "flush_cache"})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(report.Contrast, func(c Contrast) bool { return c.Transport == equiv.Stdio.String() })
	if i < 0 || !report.Contrast[i].Unasked || report.Contrast[i].Works {
		t.Errorf("contrast %+v", report.Contrast)
	}
}

// Granting access queues the request when nobody can be asked, which is neither
// its work done unasked nor a failure.
func TestRunShowsAnotherWay(t *testing.T) {
	temporary(t)
	report, err := Run(t.Context(), idle(), Options{Out: io.Discard, Only: "grant_access"})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(report.Contrast, func(c Contrast) bool { return c.Transport == equiv.Stdio.String() })
	if i < 0 {
		t.Fatalf("contrast %+v", report.Contrast)
	}
	if c := report.Contrast[i]; c.Unasked || c.Failed || c.Works || len(c.Effects) == 0 {
		t.Errorf("contrast %+v", c)
	}
}

func TestRunFails(t *testing.T) {
	boom := errors.New("boom")
	changing := idle()
	changing.Rewrite = func(context.Context, string, string) (Edit, error) { return Edit{Files: 1}, nil }
	lint := idle()
	lint.Lint = func(context.Context, string) ([]output.Finding, error) { return nil, boom }
	broken := idle()
	broken.Rewrite = func(_ context.Context, dir, _ string) (Edit, error) {
		return Edit{}, os.WriteFile(filepath.Join(dir, "broken.go"), []byte("package main\n\nfunc main() {}\n"), 0o644)
	}
	tests := []struct {
		name  string
		tools Tools
		only  string
		want  string
	}{
		{"unknown handler", idle(), "nothing", ErrUnknownHandler.Error()},
		{"linting fails", lint, "payroll", boom.Error()},
		{"a second rewrite changes something", changing, "payroll", "a second run changes 1 files"},
		{"the result does not build", broken, "payroll", "main redeclared"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			left := temporary(t)
			_, err := Run(t.Context(), test.tools, Options{Out: io.Discard, Only: test.only})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
			if l := left(); len(l) > 0 {
				t.Errorf("left behind: %v", l)
			}
		})
	}
}

// Ctrl-C ends the demonstration in the middle of the playing, and nothing
// stays behind: no folder, and so no process that writes into it.
func TestRunInterrupted(t *testing.T) {
	left := temporary(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stop := &trigger{when: "is asked", do: cancel}
	_, err := Run(ctx, idle(), Options{Out: stop, Only: "prune_backups"})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if !stop.done {
		t.Error("was not playing when it was interrupted")
	}
	if l := left(); len(l) > 0 {
		t.Errorf("left behind: %v", l)
	}
}

// trigger is a writer that does something when a text is written.
type trigger struct {
	when string
	do   func()
	done bool
}

func (w *trigger) Write(p []byte) (int, error) {
	if !w.done && strings.Contains(string(p), w.when) {
		w.done = true
		w.do()
	}
	return len(p), nil
}

func TestRunKeeps(t *testing.T) {
	left := temporary(t)
	report, err := Run(t.Context(), idle(), Options{Out: io.Discard, Only: "list_machines", Keep: true})
	if err != nil {
		t.Fatal(err)
	}
	if l := left(); len(l) != 1 || l[0] != report.Folder {
		t.Errorf("left %v, report says %q", l, report.Folder)
	}
	for _, name := range []string{"original/go.mod", "rewritten/main.go", "bin/original", "bin/rewritten"} {
		if _, err := os.Stat(filepath.Join(report.Folder, filepath.FromSlash(name))); err != nil {
			t.Error(err)
		}
	}
	// The copy is a module of its own that knows nothing of ours.
	main, err := os.ReadFile(filepath.Join(report.Folder, "original", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(main), modulePath) || !strings.Contains(string(main), serverModule+"/internal/tools") {
		t.Errorf("imports of the copy:\n%s", main)
	}
}
