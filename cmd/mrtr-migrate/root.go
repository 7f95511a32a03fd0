package main

import (
	"fmt"
	"strings"

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
		Version:       versionLine(),
		Args:          knownCommand,
		RunE: func(cmd *cobra.Command, args []string) error {
			return cmd.Help()
		},
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w (see %s --help)", err, cmd.CommandPath())
	})
	root.SetVersionTemplate("{{.Version}}\n")
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

// knownCommand refuses what is no subcommand, and names those that are like it.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return fmt.Errorf("unknown command %q: did you mean %s? (%s --help lists all)", args[0], strings.Join(near, " or "), cmd.CommandPath())
	}
	return fmt.Errorf("unknown command %q (%s --help lists all)", args[0], cmd.CommandPath())
}

// noArgs refuses arguments.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("%s takes no arguments, got %q", strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" "), args[0])
}
