package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/mrtr-migrate/mrtr-migrate/analyzer"
	"github.com/mrtr-migrate/mrtr-migrate/cmd/mrtr-migrate/internal/output"
	"github.com/mrtr-migrate/mrtr-migrate/internal/equiv"
	"github.com/mrtr-migrate/mrtr-migrate/internal/equiv/desk"
	"github.com/mrtr-migrate/mrtr-migrate/shim/state"
)

// Options say how to demonstrate.
type Options struct {
	// Out is where the show goes.
	Out io.Writer
	// Colour and Width are those of the terminal.
	Colour bool
	Width  int
	// Keep leaves the folder with sources and binaries.
	Keep bool
	// Only names the handler whose scripts are played; empty for all.
	Only string
}

// ErrUnknownHandler is returned for a handler that the server does not have.
var ErrUnknownHandler = errors.New("no such handler")

// Run demonstrates. The error says why it could not be done; whether what was
// done agrees is in the report. ctx ends it early; processes and folders are
// cleaned up in any case.
func Run(ctx context.Context, tools Tools, opts Options) (report *Report, err error) {
	scripts := desk.Scripts()
	if opts.Only != "" {
		scripts = slices.DeleteFunc(scripts, func(s *equiv.Script) bool { return s.Handler != opts.Only })
		if len(scripts) == 0 {
			return nil, fmt.Errorf("%w: %q; there are %s", ErrUnknownHandler, opts.Only, strings.Join(Handlers(), ", "))
		}
	}
	src, err := findSource(ctx)
	if err != nil {
		return nil, err
	}
	w, err := newWorkspace(src)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil && ctx.Err() != nil {
			// Whatever it was that broke off, this is why.
			err = fmt.Errorf("interrupted: %w", ctx.Err())
		}
		if !opts.Keep {
			err = errors.Join(err, w.remove())
		}
	}()
	d := &demo{
		workspace: w,
		tools:     tools,
		screen:    newScreen(opts.Out, opts.Colour, opts.Width),
		report:    &Report{Findings: []output.Finding{}, Markers: []string{}},
		begun:     time.Now(),
	}
	if opts.Keep {
		d.report.Folder = w.dir
	}
	if err := d.prepare(ctx); err != nil {
		return nil, err
	}
	if err := d.play(ctx, scripts); err != nil {
		return nil, err
	}
	d.report.Agree = d.report.agree()
	d.report.Seconds = time.Since(d.begun).Seconds()
	d.conclude()
	return d.report, d.screen.err
}

// Handlers returns the names of the server's handlers.
func Handlers() []string {
	var names []string
	for _, s := range desk.Scripts() {
		if !slices.Contains(names, s.Handler) {
			names = append(names, s.Handler)
		}
	}
	return names
}

// demo is a demonstration on its way.
type demo struct {
	workspace *workspace
	tools     Tools
	screen    *screen
	report    *Report
	begun     time.Time
}

// timed runs one part and says how long it took.
func (d *demo) timed(what string, f func() (string, error)) error {
	begin := time.Now()
	said, err := f()
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	d.screen.columns([]int{2, d.screen.width - 12}, []string{"", "", faint}, "", said, fmt.Sprintf("%6.1fs", time.Since(begin).Seconds()))
	return nil
}

// prepare copies, builds, lints, rewrites and builds again.
func (d *demo) prepare(ctx context.Context) error {
	w, s := d.workspace, d.screen
	s.printf("%s\n", s.paint(bold, "One server, from blocking calls to both eras of the protocol"))

	s.step(1, "Copy: an operations desk, written for 2025-11-25 with the go-sdk")
	err := d.timed("copying", func() (string, error) {
		files, err := w.copyServer()
		return fmt.Sprintf("%d files to %s", files, w.original()), err
	})
	if err != nil {
		return err
	}
	s.step(2, "Build the original")
	if err := d.timed("building the original", func() (string, error) {
		return "go build ./... of module " + serverModule, w.build(ctx, w.original(), "original")
	}); err != nil {
		return err
	}
	s.step(3, "Lint: what cannot work on a client of 2026-07-28")
	if err := d.timed("linting", func() (string, error) {
		findings, err := d.tools.Lint(ctx, w.original())
		d.report.Findings = append(d.report.Findings, findings...)
		for _, f := range findings {
			d.showFinding(f)
		}
		return fmt.Sprintf("mrtr-migrate lint ./...: %d findings", len(findings)), err
	}); err != nil {
		return err
	}
	s.step(4, "Rewrite")
	if err := w.copyOriginal(); err != nil {
		return err
	}
	if err := d.timed("rewriting", func() (string, error) { return d.rewrite(ctx) }); err != nil {
		return err
	}
	s.step(5, "Build the rewritten server and run its own tests")
	return d.timed("building the rewritten server", func() (string, error) {
		if err := w.build(ctx, w.rewritten(), "rewritten"); err != nil {
			return "", err
		}
		return "go build, go test ./...", w.test(ctx, w.rewritten())
	})
}

// showFinding writes one finding of the linter: for an ask the way from its
// handler, which is what one looks for first, for anything else the message.
func (d *demo) showFinding(f output.Finding) {
	colour := amber
	if f.Severity == string(analyzer.Error) {
		colour = red
	}
	d.screen.columns([]int{2, 36, 9}, []string{"", faint, colour, ""}, "", f.Position.String(), f.Code, says(f))
}

// says returns what a finding says, as short as one line has to be.
func says(f output.Finding) string {
	switch analyzer.Code(f.Code) {
	case "MRTR001", "MRTR002", "MRTR003":
	default:
		return f.Message
	}
	if len(f.Asks) != 1 || len(f.Asks[0].Chains) == 0 {
		return f.Message
	}
	ask := f.Asks[0]
	var way []string
	for _, frame := range ask.Chains[0] {
		way = append(way, frame.Name)
	}
	text := strings.Join(append(way, ask.Method), " → ")
	if more := len(ask.Chains) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return text
}

// shownDiff is how many lines of the diff are shown.
const shownDiff = 40

// rewrite rewrites the copy and shows the beginning of what changed.
func (d *demo) rewrite(ctx context.Context) (string, error) {
	replace := ""
	if d.workspace.source.version == "" {
		replace = d.workspace.source.dir
	}
	edit, err := d.tools.Rewrite(ctx, d.workspace.rewritten(), replace)
	if err != nil {
		return "", err
	}
	again, err := d.tools.Rewrite(ctx, d.workspace.rewritten(), replace)
	if err != nil {
		return "", fmt.Errorf("a second time: %w", err)
	}
	if again.Files > 0 {
		return "", fmt.Errorf("a second run changes %d files again:\n%s", again.Files, again.Diff)
	}
	d.report.Diff = edit.Diff
	d.report.Markers = append(d.report.Markers, edit.Markers...)
	added, removed := d.showDiff(edit.Diff)
	for _, m := range edit.Markers {
		d.screen.line(amber, "left to you: %s", m)
	}
	d.screen.line(faint, "a second run changes nothing")
	return fmt.Sprintf("mrtr-migrate rewrite --write ./...: %d files, +%d -%d lines, %d left to you", edit.Files, added, removed, len(edit.Markers)), nil
}

// showDiff writes the diff of one file, and counts the lines of all.
func (d *demo) showDiff(diff string) (added, removed int) {
	s := d.screen
	shown, inside := 0, false
	for line := range strings.Lines(diff) {
		line = strings.TrimRight(line, "\n")
		colour := ""
		switch {
		case strings.HasPrefix(line, "--- "):
			inside = strings.Contains(line, "tools/customers.go")
			continue
		case strings.HasPrefix(line, "+++ "):
			colour = bold
		case strings.HasPrefix(line, "@@"):
			colour = blue
		case strings.HasPrefix(line, "+"):
			added++
			colour = green
		case strings.HasPrefix(line, "-"):
			removed++
			colour = red
		}
		if !inside || shown > shownDiff {
			continue
		}
		if shown++; shown > shownDiff {
			s.printf("  %s\n", s.paint(faint, "… and so on: --keep leaves the folder, with original/ and rewritten/ to compare"))
			continue
		}
		line = strings.ReplaceAll(line, "\t", "    ")
		if runes := []rune(line); len(runes) > s.width-2 {
			line = string(runes[:s.width-3]) + "…"
		}
		s.printf("  %s\n", s.paint(colour, line))
	}
	return added, removed
}

// play plays all scripts to both programs and compares.
func (d *demo) play(ctx context.Context, scripts []*equiv.Script) (err error) {
	d.screen.step(6, "Play the same answers to the original and to the rewritten server")
	env := []string{state.EnvKeys + "=" + state.NewSecret()}
	original := equiv.Program{Name: "original", Bin: d.workspace.bin("original"), Env: env}
	rewritten := equiv.Program{Name: "rewritten", Bin: d.workspace.bin("rewritten"), Env: env}
	p := &stage{demo: d}
	defer func() { err = errors.Join(err, p.close()) }()
	for _, transport := range []equiv.Transport{equiv.Stdio, equiv.HTTP} {
		if p.original[transport], err = p.fleet(original, transport); err != nil {
			return err
		}
		if p.rewritten[transport], err = p.fleet(rewritten, transport); err != nil {
			return err
		}
	}
	return p.run(ctx, scripts)
}
