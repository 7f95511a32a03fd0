package analyzer_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/mrtr-migrate/mrtr-migrate/analyzer"
)

// TestRules runs every case in one go, because most of the time is spent on
// loading the standard library. What a case is about stands in its package
// comment, what must be reported in its lines; anything else fails.
func TestRules(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), analyzer.Analyzer,
		// Ways to ask and to be a handler: MRTR001, 002, 003, 005, 014.
		"forms", "shapes", "renamed", "dotted", "gate", "gateuser", "handlers", "frameworkuser", "registrar", "registrarmain", "notify", "wrappinguser", "outside", "goroutine", "mcpgo",
		// Nothing at all.
		"lookalike", "migrated", "mcpgoclient",
		// MRTR000.
		"ignored",
		// MRTR010.
		"failopen", "consent", "failopenuser",
		// MRTR011 and 013.
		"storeuser", "order",
	)
}

// TestEffects checks the facts with which MRTR011 judges other packages.
func TestEffects(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), analyzer.Effects, "store")
}

// TestRegistrations checks the facts about packages that register handlers for
// others.
func TestRegistrations(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), analyzer.Asks, "framework")
}
