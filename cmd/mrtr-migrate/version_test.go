package main

import (
	"os/exec"
	"regexp"
	"runtime"
	"testing"
)

func TestVersion(t *testing.T) {
	want := regexp.MustCompile(`^mrtr-migrate \S+( [0-9a-f]{12})? ` + regexp.QuoteMeta(runtime.Version()) + `, MCP 2026-07-28\n$`)
	for _, arg := range []string{"version", "--version"} {
		out, err := exec.Command(build(t), arg).Output()
		if err != nil {
			t.Fatal(err)
		}
		if !want.Match(out) {
			t.Errorf("%s: got %q, want the module's version, Go's and the protocol's", arg, out)
		}
	}
}
