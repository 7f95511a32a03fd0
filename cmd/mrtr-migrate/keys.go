package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mrtr-migrate/mrtr-migrate/shim/state"
)

func newKeysCommand() *cobra.Command {
	keys := &cobra.Command{
		Use:   "keys",
		Short: "Make the keys that protect requestState",
		Long: `A rewritten server hands its state to the client, encrypted and authenticated.
Its keys are in the environment variable ` + state.EnvKeys + `: one or more secrets,
separated by commas. All instances of a server need the same ones. The first
secret seals, all of them open.

To rotate without losing an operation in progress:

  1. add the new secret at the end, and restart every instance;
  2. move it to the front, and restart every instance;
  3. when the last token under the old secret has expired (10 minutes by
     default), leave the old one out, and restart every instance.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return cmd.Help()
		},
	}
	keys.AddCommand(&cobra.Command{
		Use:   "new",
		Short: "Print a new secret for " + state.EnvKeys,
		Long: `Print a new random secret of 32 bytes, in the form that ` + state.EnvKeys + `
takes, and nothing else. Nothing is stored: keep it where you keep secrets.`,
		Example: "  export " + state.EnvKeys + `="$(mrtr-migrate keys new)"`,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), state.NewSecret())
			return err
		},
	})
	return keys
}
