package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/mrtr-migrate/mrtr-migrate/cmd/mrtr-migrate/internal/demo"
)

// demoCommand runs the subcommand and returns what it prints.
func demoCommand(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	root := newRootCommand()
	root.SetArgs(append([]string{"demo"}, args...))
	root.SetOut(&out)
	err := root.ExecuteContext(t.Context())
	return out.String(), err
}

// One handler, all the way: the real linter and rewriter, both servers, both
// clients.
func TestDemo(t *testing.T) {
	out, err := demoCommand(t, "--only", "transfer_customer", "--format", "json")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var report demo.Report
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatal(err)
	}
	if !report.Agree || len(report.Runs) == 0 || len(report.Findings) == 0 || !strings.Contains(report.Diff, "mrtr.Pending(ctx)") {
		t.Errorf("agree %v, %d runs, %d findings, diff of %d bytes", report.Agree, len(report.Runs), len(report.Findings), len(report.Diff))
	}
	modern := 0
	for _, run := range report.Runs {
		if run.Program == "rewritten" && run.Era == "2026-07-28" && run.Rounds > 1 {
			modern++
		}
	}
	if modern == 0 {
		t.Error("no run took more than one round")
	}
}

func TestDemoRefuses(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--format", "xml"}, "--format takes text or json"},
		{[]string{"--only", "nothing"}, "no such handler"},
		{[]string{"./..."}, "takes no arguments"},
	} {
		if _, err := demoCommand(t, test.args...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("demo %v: %v, want %q", test.args, err, test.want)
		}
	}
}

// A reader that goes away ends the demonstration, and leaves no folder.
func TestDemoReaderGone(t *testing.T) {
	tmp := t.TempDir()
	cmd := exec.Command(build(t), "demo", "--only", "pay_invoice")
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "One server") {
		t.Fatalf("first line %q, %v", line, err)
	}
	out.Close()
	if code := status(t, cmd.Wait()); code != statusFailed {
		t.Errorf("status %d, want %d\n%s", code, statusFailed, &stderr)
	}
	if stderr.Len() > 0 {
		t.Errorf("said %q to nobody", &stderr)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
