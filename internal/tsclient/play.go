package tsclient

import (
	"bytes"
	"context"
	"encoding/json"
	"os/exec"
	"slices"
	"testing"
	"time"
)

// Play runs the clients of both eras from a [Folder], each against the endpoint
// at url and against the program over standard input and output. Each must be
// asked the same by the words server of the test, and get the same.
func Play(t *testing.T, folder, url, program string) {
	t.Helper()
	tests := []struct {
		name string
		args []string
		era  string
	}{
		{"2026-07-28 http", []string{"modern.mjs", "http", url}, "modern"},
		{"2026-07-28 http, after a probe", []string{"modern.mjs", "http", url, "auto"}, "modern"},
		{"2026-07-28 stdio", []string{"modern.mjs", "stdio", program}, "modern"},
		{"2026-07-28 stdio, after a probe", []string{"modern.mjs", "stdio", program, "auto"}, "modern"},
		{"2025-11-25 http", []string{"legacy.mjs", "http", url}, "legacy"},
		{"2025-11-25 stdio", []string{"legacy.mjs", "stdio", program}, "legacy"},
	}
	asked := []string{
		"Step 0 after []?", "Step 1 after [w1]?", "Step 2 after [w1 w2]?", "Step 3 after [w1 w2 w3]?",
		"Do x?", "First?", "After w6?", "Sign in", "sampling", "roots", "Hand over to night?", "Show the payroll?",
	}
	results := []string{
		"w1 w2 w3 w4", "did x: w5", "w6 w7", "signed in: accept", "short", "1 roots", "plain",
		"handover w11", "payroll w12", "error -32602",
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			script := exec.CommandContext(ctx, "node", tt.args...)
			script.Dir = folder
			var stderr bytes.Buffer
			script.Stderr = &stderr
			out, err := script.Output()
			if err != nil {
				t.Fatalf("%v\n%s%s", err, out, stderr.Bytes())
			}
			var got struct {
				Era            string
				Asked, Results []string
			}
			if err := json.Unmarshal(out, &got); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if got.Era != tt.era {
				t.Errorf("era %s", got.Era)
			}
			if !slices.Equal(got.Asked, asked) {
				t.Errorf("asked %q", got.Asked)
			}
			if !slices.Equal(got.Results, results) {
				t.Errorf("results %q", got.Results)
			}
		})
	}
}
