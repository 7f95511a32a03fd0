package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/mrtr-migrate/mrtr-migrate/cmd/mrtr-migrate/internal/lint"
	"github.com/mrtr-migrate/mrtr-migrate/cmd/mrtr-migrate/internal/output"
	"github.com/mrtr-migrate/mrtr-migrate/rewrite"
)

// Tools are the two halves of the command that a demonstration shows.
type Tools struct {
	// Lint returns the findings in the module in dir.
	Lint func(ctx context.Context, dir string) ([]output.Finding, error)
	// Rewrite rewrites the module in dir. Its go.mod then replaces our module
	// by the folder replace, unless that is empty.
	Rewrite func(ctx context.Context, dir, replace string) (Edit, error)
}

// Edit is what a rewrite did.
type Edit struct {
	Diff    string   // unified
	Files   int      // how many changed
	Markers []string // what is left to a person, a line each
}

// CommandTools are what the lint and rewrite subcommands do.
func CommandTools() Tools { return Tools{Lint: lintModule, Rewrite: rewriteModule} }

// lintModule is `lint ./...`.
func lintModule(ctx context.Context, dir string) ([]output.Finding, error) {
	result, err := lint.Run(ctx, lint.Options{Dir: dir, Patterns: []string{"./..."}, Tests: true})
	if errors.Is(err, lint.ErrIncomplete) {
		return nil, fmt.Errorf("%s was not analysed: %s", result.Skipped[0].Package, result.Skipped[0].Reason)
	}
	if err != nil {
		return nil, err
	}
	output.Relative(result.Findings, dir)
	return result.Findings, nil
}

// rewriteModule is `rewrite --write ./...`.
func rewriteModule(ctx context.Context, dir, replace string) (Edit, error) {
	result, err := rewrite.Rewrite(ctx, rewrite.Options{
		Dir:           dir,
		Env:           append(os.Environ(), "GOWORK=off"),
		ModuleReplace: replace,
	})
	if err != nil {
		return Edit{}, err
	}
	var diff strings.Builder
	if err := result.WriteDiff(&diff); err != nil {
		return Edit{}, err
	}
	// The folder is the demonstration's own: nobody has work in it to lose.
	if err := result.Write(true); err != nil {
		return Edit{}, err
	}
	edit := Edit{Diff: diff.String(), Files: len(result.Changes)}
	for _, m := range result.Markers {
		edit.Markers = append(edit.Markers, fmt.Sprintf("%s:%d: %s %s", relative(dir, m.Path), m.Line, m.Code, m.Message))
	}
	return edit, nil
}

// relative shortens a path below dir.
func relative(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}
