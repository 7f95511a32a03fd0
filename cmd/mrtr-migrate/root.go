package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// newRootCommand returns the command with all its subcommands. A subcommand
// lives in a file of its own and is made by a function like those below.
func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "mrtr-migrate",
		Short: "Move Go MCP servers from blocking calls to multi round-trip requests",
		Long: `mrtr-migrate moves Go servers of the Model Context Protocol from blocking calls
(elicitation, sampling, roots) to the multi round-trip requests of revision
2026-07-28.

Exit status: 0 all is well, 1 there are findings, 2 the job could not be done.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return cmd.Help()
		},
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w (see %s --help)", err, cmd.CommandPath())
	})
	root.AddCommand(
		newExplainCommand(),
		newKeysCommand(),
		newRewriteCommand(),
		newLintCommand(),
		newDemoCommand(),
		newVersionCommand(),
	)
	return root
}
