package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

func explained(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	cmd := newExplainCommand()
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SetErr(&out)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err := cmd.Execute()
	return out.String(), err
}

// TestExplainEveryCode asks for the page of each code that can be printed.
func TestExplainEveryCode(t *testing.T) {
	list, err := explained(t)
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range codes() {
		if !strings.Contains(list, code+" ") {
			t.Errorf("%s is not in the list", code)
		}
		page, err := explained(t, code)
		if err != nil {
			t.Errorf("%s: %v", code, err)
		}
		for line := range strings.Lines(page) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 100 {
				t.Errorf("the page of %s has a line of %d characters: %s", code, n, line)
			}
		}
		for _, want := range []string{code + " (", "\nWhat to do:\n"} {
			if !strings.Contains(page, want) {
				t.Errorf("the page of %s has no %q:\n%s", code, want, page)
			}
		}
	}
}

func TestExplainUnknownCode(t *testing.T) {
	_, err := explained(t, "MRTR9010")
	if err == nil || !strings.Contains(err.Error(), "MRTR010") {
		t.Errorf("got %v, want an error that names the nearest code", err)
	}
	if page, err := explained(t, "mrtr1010"); err != nil || !strings.HasPrefix(page, "MRTR1010 ") {
		t.Errorf("lower case: got %q and %v, want the page", page, err)
	}
}
