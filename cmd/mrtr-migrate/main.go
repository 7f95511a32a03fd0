// Command mrtr-migrate moves Go servers of the Model Context Protocol from
// blocking calls to multi round-trip requests: it finds what a server asks its
// client, says what is unsafe about it, and rewrites it.
//
// It is also a tool for go vet:
//
//	go vet -vettool=$(command -v mrtr-migrate) ./...
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/mrtr-migrate/mrtr-migrate/analyzer"
	"github.com/mrtr-migrate/mrtr-migrate/cmd/mrtr-migrate/internal/vetunit"
)

func main() {
	os.Exit(run(os.Args[1:]))
}

// run runs the command and returns its exit status: 0 if all is well, 1 if
// there is something to report, 2 if the job could not be done.
func run(args []string) int {
	// The go command speaks first: what it passes to a vet tool is no command line
	// of ours.
	if status, ok := vetunit.Main(args, os.Stdout, os.Stderr, analyzer.Analyzers()); ok {
		return status
	}
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as below nohup
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	defer stop()
	root := newRootCommand()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	var status exitStatus
	switch {
	case err == nil:
		return 0
	case errors.As(err, &status):
		return int(status)
	case ctx.Err() != nil:
		// What broke off, and how, is of no interest.
		err = errors.New("interrupted")
	}
	fmt.Fprintln(os.Stderr, "mrtr-migrate:", err)
	return statusFailed
}

// Exit statuses.
const (
	statusFindings = 1
	statusFailed   = 2
)

// An exitStatus ends the command with that status; everything there is to say
// has been said. A subcommand returns it from its RunE; any other error is
// printed and ends in statusFailed.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }
