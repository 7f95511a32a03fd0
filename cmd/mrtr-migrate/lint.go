package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

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

Each finding has a code: mrtr-migrate explain CODE tells more. The comments
//lint:ignore CODE reason and //nolint:mrtr, on the line before or the same
line, suppress it; the first form is reported if it suppresses nothing.

Findings go to the standard output. What was not analysed is listed with its
reason on the standard error: packages that do not load, which make the exit
status 2, and files that the build leaves out (see --tags), which do not.

Exit status: 0 nothing found, 1 findings, 2 the job could not be done, or not
completely.`,
		Example: `  mrtr-migrate lint ./...
  mrtr-migrate lint -C ../server --tags integration ./...
  mrtr-migrate lint --format json ./... | jq '.findings[].code'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if format != "text" && format != "json" {
				return fmt.Errorf("unknown format %q: --format takes text or json", format)
			}
			opts.Patterns = args
			return runLint(cmd, opts, format)
		},
	}
	cmd.Flags().StringVarP(&opts.Dir, "dir", "C", "", "change to this directory first")
	cmd.Flags().StringVar(&opts.Tags, "tags", "", "build tags, separated by commas")
	cmd.Flags().BoolVar(&opts.Tests, "tests", true, "include tests")
	cmd.Flags().StringVar(&format, "format", "text", "output format: text or json")
	return cmd
}

// runLint lints and prints: findings to the standard output, what was not
// analysed and a summary to the standard error.
func runLint(cmd *cobra.Command, opts lint.Options, format string) error {
	dir, err := filepath.Abs(opts.Dir)
	if err != nil {
		return err
	}
	if err := checkFolder(opts.Dir); err != nil {
		return err
	}
	var done func()
	opts.Progress, done = progress(cmd.ErrOrStderr())
	res, lintErr := lint.Run(cmd.Context(), opts)
	done()
	if res == nil {
		return lintErr
	}
	report := output.Report{Findings: res.Findings, Skipped: res.Skipped, Ignored: res.Ignored, Counts: res.Counts}
	report.Relative(dir)
	out := cmd.OutOrStdout()
	if format == "json" {
		err = report.JSON(out)
	} else {
		err = output.Text(out, report.Findings, output.StyleFor(out))
	}
	if err != nil {
		return fmt.Errorf("printing findings: %w", err)
	}
	if err := report.Notes(cmd.ErrOrStderr()); err != nil {
		return fmt.Errorf("printing the summary: %w", err)
	}
	switch {
	case lintErr != nil:
		return lintErr
	case len(res.Findings) > 0:
		return exitStatus(statusFindings)
	}
	return nil
}

// progress returns a function that shows what is being done, on a terminal
// only, in one line that the next one replaces, and a function that removes it.
func progress(w io.Writer) (show func(format string, args ...any), done func()) {
	if !output.IsTerminal(w) || os.Getenv("TERM") == "dumb" {
		return nil, func() {}
	}
	const clear = "\r\x1b[K"
	return func(format string, args ...any) { fmt.Fprintf(w, clear+format+"…", args...) },
		func() { fmt.Fprint(w, clear) }
}
