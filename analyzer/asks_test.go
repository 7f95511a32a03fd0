package analyzer_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/mrtr-migrate/mrtr-migrate/analyzer"
)

func TestAsks(t *testing.T) {
	for _, pkg := range []string{
		"forms", "renamed", "dotted", "gate", "gateuser", "handlers", "notify", "outside", "goroutine", "mcpgo",
		"lookalike", "migrated", "ignored",
	} {
		t.Run(pkg, func(t *testing.T) {
			analysistest.Run(t, analysistest.TestData(), analyzer.Analyzer, pkg)
		})
	}
}
