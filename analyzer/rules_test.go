package analyzer_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mrtr-migrate/mrtr-migrate/analyzer"
)

// TestRulePages checks that every rule is documented in full, once, and in
// lines that fit a terminal.
func TestRulePages(t *testing.T) {
	rules := analyzer.Rules()
	if !slices.IsSortedFunc(rules, func(a, b analyzer.Rule) int { return strings.Compare(string(a.Code), string(b.Code)) }) {
		t.Error("the rules are not in the order of their codes")
	}
	seen := make(map[analyzer.Code]bool)
	for _, r := range rules {
		if seen[r.Code] {
			t.Errorf("%s is there twice", r.Code)
		}
		seen[r.Code] = true
		for name, text := range map[string]string{
			"Title": r.Title, "Severity": string(r.Severity), "What": r.What, "Why": r.Why,
			"Fires": r.Fires, "Silent": r.Silent, "Do": r.Do,
		} {
			if strings.TrimSpace(text) == "" {
				t.Errorf("%s has no %s", r.Code, name)
			}
			for line := range strings.Lines(text) {
				if len(line) > 100 {
					t.Errorf("%s: %s has a line of %d bytes: %s", r.Code, name, len(line), line)
				}
			}
		}
		if got, ok := analyzer.RuleOf(r.Code); !ok || got.Title != r.Title {
			t.Errorf("RuleOf(%s) = %q, %v", r.Code, got.Title, ok)
		}
	}
	if _, ok := analyzer.RuleOf("MRTR999"); ok {
		t.Error("RuleOf knows MRTR999")
	}
}
