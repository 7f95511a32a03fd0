package main

import (
	"os/exec"
	"regexp"
	"runtime"
	"testing"
)

func TestVersion(t *testing.T) {
	out, err := exec.Command(build(t), "version").Output()
	if err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`^mrtr-migrate \S+( [0-9a-f]{12})? ` + regexp.QuoteMeta(runtime.Version()) + `, MCP 2026-07-28\n$`)
	if !want.Match(out) {
		t.Errorf("got %q, want the module's version, Go's and the protocol's", out)
	}
}
