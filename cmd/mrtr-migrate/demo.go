package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/mrtr-migrate/mrtr-migrate/cmd/mrtr-migrate/internal/demo"
	"github.com/mrtr-migrate/mrtr-migrate/cmd/mrtr-migrate/internal/output"
)

func newDemoCommand() *cobra.Command {
	var (
		opts   demo.Options
		format string
	)
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show the whole way of one server, and prove that nothing changed for its users",
		Long: `Demo takes a server of revision 2025-11-25 with blocking calls that comes with
this command, copies it to a temporary folder, lints it, rewrites it and builds
it. Then it plays the same scripted answers to the original and to the result,
as a client of 2025-11-25 and as one of 2026-07-28, over stdio and over
Streamable HTTP, there through two instances in turns. It shows each round as
it happens and compares questions, results and effects.

It needs the go command, and no network but for Go modules that are not in the
module cache.

Exit status: 0 all agree, 1 they do not, 2 the job could not be done.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			out := cmd.OutOrStdout()
			ctx, stop := context.WithCancel(cmd.Context())
			defer stop()
			show := &reader{Writer: out, gone: stop}
			// Unless somebody listens, writing to a closed standard output
			// ends the program on the spot, and its folder stays.
			broken := make(chan os.Signal, 1)
			signal.Notify(broken, syscall.SIGPIPE)
			defer signal.Stop(broken)
			switch format {
			case "text":
				opts.Out = show
				opts.Colour, opts.Width = terminal(out)
			case "json":
				opts.Out = io.Discard
			default:
				return fmt.Errorf("unknown format %q: --format takes text or json", format)
			}
			report, err := demo.Run(ctx, demo.CommandTools(), opts)
			if errors.Is(show.err, syscall.EPIPE) {
				return exitStatus(statusFailed) // there is nobody to tell
			}
			if show.err != nil {
				return show.err
			}
			if err != nil {
				return err
			}
			if format == "json" {
				enc := json.NewEncoder(out)
				enc.SetIndent("", "  ")
				enc.SetEscapeHTML(false)
				if err := enc.Encode(report); err != nil {
					return err
				}
			}
			if !report.Agree {
				return exitStatus(statusFindings)
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&format, "format", "text", "output format: text or json")
	flags.BoolVar(&opts.Keep, "keep", false, "keep the folder with the original, the rewritten server and the binaries")
	flags.StringVar(&opts.Only, "only", "", "play the scripts of one handler: "+strings.Join(demo.Handlers(), ", "))
	return cmd
}

// A reader is whoever reads what is shown.
type reader struct {
	io.Writer
	gone context.CancelFunc // called when nobody reads any more
	err  error
}

func (r *reader) Write(p []byte) (int, error) {
	n, err := r.Writer.Write(p)
	if err != nil {
		r.err = fmt.Errorf("showing what happens: %w", err)
		r.gone()
	}
	return n, err
}

// terminal returns whether out shows colours, and how wide it is: a terminal
// does unless NO_COLOR or TERM=dumb asks not to.
func terminal(out io.Writer) (colour bool, width int) {
	const usual = 100
	if file, ok := out.(*os.File); ok && output.IsTerminal(out) {
		if n, _, err := term.GetSize(int(file.Fd())); err == nil && n > 0 {
			return output.StyleFor(out).Colour, n
		}
	}
	return output.StyleFor(out).Colour, usual
}
