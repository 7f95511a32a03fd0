package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/mrtr-migrate/mrtr-migrate/rewrite"
)

func newRewriteCommand() *cobra.Command {
	var (
		opts       rewrite.Options
		write      bool
		allowDirty bool
		format     string
		quiet      bool
	)
	cmd := &cobra.Command{
		Use:   "rewrite [packages]",
		Short: "Rewrite blocking calls so that a server serves both protocol eras",
		Long: `Rewrite turns every blocking call of the session (elicitation, sampling, roots)
that a tool, prompt or resource handler reaches into one that either has the
answer or ends the round, and installs what the server needs to serve clients
of revision 2026-07-28 and older ones.

Without --write it prints a unified diff and changes nothing. Either way the
result is checked first: every package that it touches type-checks with its
tests, the calls are gone, and a second run would change nothing. A handler
that does not pass stays as it was.

What must not be decided by a program is left with a comment,
// MRTR-TODO(CODE): what to decide; mrtr-migrate explain CODE tells more.
Packages are named as for the go command; without any, it is ./... .

go.mod and go.sum gain the requirement that rewritten code needs; run
'go mod tidy' afterwards, so that they also list what your tests need.

Exit status: 0 all done, 1 markers or untouched calls are left, 2 the job could
not be done.`,
		Example: `  mrtr-migrate rewrite ./... | less
  mrtr-migrate rewrite --write ./...
  mrtr-migrate rewrite --write --module-replace ../mrtr-migrate ./...`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if format != "text" && format != "json" {
				return fmt.Errorf("unknown format %q: --format takes text or json", format)
			}
			if err := checkFolder(opts.Dir); err != nil {
				return err
			}
			opts.Patterns = args
			if !quiet {
				opts.Progress = func(line string) { fmt.Fprintln(cmd.ErrOrStderr(), line) }
			}
			result, err := rewrite.Rewrite(cmd.Context(), opts)
			if err != nil {
				return err
			}
			if write {
				if err := result.Write(allowDirty); err != nil {
					return err
				}
			}
			if err := printRewrite(cmd.OutOrStdout(), cmd.ErrOrStderr(), result, format, write); err != nil {
				return err
			}
			if !result.Done() {
				return exitStatus(statusFindings)
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.BoolVarP(&write, "write", "w", false, "apply the changes instead of printing them")
	flags.BoolVar(&allowDirty, "allow-dirty", false, "write even if the git work tree has uncommitted changes")
	flags.StringVar(&format, "format", "text", "output format: text or json")
	flags.StringVarP(&opts.Dir, "dir", "C", "", "change to this directory first")
	flags.StringVar(&opts.ModuleReplace, "module-replace", "", "let go.mod take mrtr-migrate from the clone in this directory")
	flags.BoolVarP(&quiet, "quiet", "q", false, "no progress on standard error")
	return cmd
}

// printRewrite prints the diff, unless it is applied, and the summary. As text
// they go apart, so that the diff can be piped into a pager or git apply.
func printRewrite(out, errOut io.Writer, result *rewrite.Result, format string, written bool) error {
	if format == "json" {
		return result.WriteJSON(out, written)
	}
	if written {
		return result.WriteText(out, true)
	}
	if err := result.WriteDiff(out); err != nil {
		return err
	}
	return result.WriteText(errOut, false)
}
