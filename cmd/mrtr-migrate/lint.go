package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mrtr-migrate/mrtr-migrate/cmd/mrtr-migrate/internal/lint"
	"github.com/mrtr-migrate/mrtr-migrate/cmd/mrtr-migrate/internal/output"
)

func newLintCommand() *cobra.Command {
	var opts lint.Options
	var format string
	cmd := &cobra.Command{
		Use:   "lint [packages]",
		Short: "Report what a server asks its client, and what is unsafe about it",
		Long: `Lint reports each call that makes a server ask its client (elicitation,
sampling, roots), with the handlers that reach it, and what will go wrong with
it on a 2026-07-28 peer. Packages are named as for the go command; without any,
it is the one in the working directory.

Each finding has a code: mrtr-migrate explain CODE tells more. The comment
//lint:ignore CODE reason, on the line before, suppresses it.

Exit status: 0 nothing found, 1 findings, 2 the job could not be done.`,
		Example: `  mrtr-migrate lint ./...
  mrtr-migrate lint -C ../server --tags integration ./...
  mrtr-migrate lint --format json ./... | jq '.findings[].code'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if format != "text" && format != "json" {
				return fmt.Errorf("unknown format %q: it is text or json", format)
			}
			opts.Patterns = args
			opts.Progress = progress(cmd)
			return runLint(cmd, opts, format)
		},
	}
	cmd.Flags().StringVarP(&opts.Dir, "dir", "C", "", "change to this directory first")
	cmd.Flags().StringVar(&opts.Tags, "tags", "", "build tags, separated by commas")
	cmd.Flags().BoolVar(&opts.Tests, "tests", true, "include tests")
	cmd.Flags().StringVar(&format, "format", "text", "output format: text or json")
	return cmd
}

// runLint lints and prints.
func runLint(cmd *cobra.Command, opts lint.Options, format string) error {
	res, err := lint.Run(cmd.Context(), opts)
	if err != nil && res == nil {
		return err
	}
	dir, dirErr := filepath.Abs(opts.Dir)
	if dirErr != nil {
		return dirErr
	}
	output.Relative(res.Findings, dir)
	out := cmd.OutOrStdout()
	if format == "json" {
		if err := output.JSON(out, res.Findings, res.Skipped); err != nil {
			return err
		}
	} else if err := output.Text(out, res.Findings, output.StyleFor(out)); err != nil {
		return err
	}
	for _, s := range res.Skipped {
		fmt.Fprintf(cmd.ErrOrStderr(), "not analysed in full: %s: %s\n", s.Package, strings.ReplaceAll(s.Reason, dir+string(filepath.Separator), ""))
	}
	if err != nil {
		return err
	}
	if len(res.Findings) > 0 {
		return exitStatus(statusFindings)
	}
	return nil
}

// progress returns a function that shows what is being done, on a terminal
// only: one line that the next one replaces.
func progress(cmd *cobra.Command) func(format string, args ...any) {
	w := cmd.ErrOrStderr()
	if !output.IsTerminal(w) || os.Getenv("TERM") == "dumb" {
		return nil
	}
	return func(format string, args ...any) {
		fmt.Fprintf(w, "\r\x1b[K%s…", fmt.Sprintf(format, args...))
	}
}
