package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/mrtr-migrate/mrtr-migrate/internal/equiv"
	"github.com/mrtr-migrate/mrtr-migrate/internal/equiv/desk"
)

// stage is where the scripts are played: each program over each transport, on
// a world of its own.
type stage struct {
	demo                *demo
	original, rewritten [2]*equiv.Fleet // by transport
	fleets              []*equiv.Fleet
}

// fleet prepares a program over a transport.
func (p *stage) fleet(program equiv.Program, transport equiv.Transport) (*equiv.Fleet, error) {
	world, err := desk.NewWorld(p.demo.workspace.data(program.Name + "-" + transport.String()))
	if err != nil {
		return nil, err
	}
	f := &equiv.Fleet{Program: program, Transport: transport, World: world}
	p.fleets = append(p.fleets, f)
	return f, nil
}

// close stops all processes.
func (p *stage) close() error {
	var errs []error
	for _, f := range p.fleets {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// run plays the scripts handler by handler. The first script of each handler
// is shown round by round, the others in a word.
func (p *stage) run(ctx context.Context, scripts []*equiv.Script) error {
	s := p.demo.screen
	for i := 0; i < len(scripts); {
		n := i + 1
		for n < len(scripts) && scripts[n].Handler == scripts[i].Handler {
			n++
		}
		s.printf("\n  %s\n", s.paint(bold, scripts[i].Handler))
		var items []item
		for k, script := range scripts[i:n] {
			verdict, err := p.script(ctx, script, k == 0)
			if err != nil {
				return err
			}
			items = append(items, mark(verdict, script.Name))
		}
		s.wrap(4, items)
		i = n
	}
	return nil
}

// mark is a script's name with what came of it.
func mark(v Verdict, name string) item {
	switch v {
	case Equal:
		return item{green, "✓ " + name}
	case Allowed:
		return item{green, "✓ " + name + "*"}
	case Manual:
		return item{amber, "✋ " + name}
	default:
		return item{red, "✗ " + name}
	}
}

// script plays one script everywhere and returns the worst verdict.
func (p *stage) script(ctx context.Context, script *equiv.Script, show bool) (Verdict, error) {
	base, err := equiv.Record(ctx, p.original[equiv.Stdio], script)
	if err != nil {
		return "", err
	}
	worst := Equal
	judge := func(fleet *equiv.Fleet, subject equiv.Subject, watch func(equiv.Event)) error {
		got, err := equiv.Play(ctx, fleet, subject.Era, script, subject.Fault, watch)
		if err != nil {
			return err
		}
		diffs, err := equiv.Judge(script, base, subject, got)
		if err != nil {
			return err
		}
		run := newPlayed(fleet.Program.Name, script, subject.Era, fleet.Transport, got, diffs)
		p.demo.report.Runs = append(p.demo.report.Runs, run)
		worst = worse(worst, run.Verdict)
		return nil
	}

	if err := judge(p.original[equiv.HTTP], equiv.Subject{Era: equiv.Legacy}, nil); err != nil {
		return "", err
	}
	var live, rounds func(equiv.Event)
	if show {
		live, rounds = p.demo.watchLegacy(), p.demo.watchModern()
	}
	for _, c := range []struct {
		transport equiv.Transport
		era       equiv.Era
		fault     equiv.Fault
		watch     func(equiv.Event)
	}{
		{equiv.Stdio, equiv.Legacy, equiv.None, live},
		{equiv.HTTP, equiv.Legacy, equiv.None, nil},
		{equiv.Stdio, equiv.Modern, equiv.None, nil},
		{equiv.HTTP, equiv.Modern, equiv.Switched, rounds},
	} {
		subject := equiv.Subject{Era: c.era, Fault: c.fault, Rewritten: true}
		if err := judge(p.rewritten[c.transport], subject, c.watch); err != nil {
			return "", err
		}
	}
	if show {
		p.demo.showEffects(base.Full.Effects)
		if err := p.contrast(ctx, script, base); err != nil {
			return "", err
		}
	}
	return worst, nil
}

// contrast plays the script to the original as a new client.
func (p *stage) contrast(ctx context.Context, script *equiv.Script, base *equiv.Baseline) error {
	if len(base.Full.Questions) == 0 {
		return nil // it asks nothing, so it has nothing to get wrong
	}
	for _, fleet := range p.original {
		got, err := equiv.Play(ctx, fleet, equiv.Modern, script, equiv.None, nil)
		if err != nil {
			return err
		}
		diffs, err := equiv.Judge(script, base, equiv.Subject{Era: equiv.Modern}, got)
		if err != nil {
			return err
		}
		p.demo.report.Contrast = append(p.demo.report.Contrast, Contrast{
			Handler:   script.Handler,
			Script:    script.Name,
			Transport: fleet.Transport.String(),
			Result:    brief(got.Result),
			Effects:   append([]string{}, got.Effects...),
			Works:     equiv.Proven(diffs),
			Unasked:   len(got.Questions) == 0 && didAll(got.Effects, base.Full.Effects),
			Failed:    got.Result.Failed(),
		})
	}
	return nil
}

// didAll reports whether everything that was done after asking was done, if
// there was anything.
func didAll(done, asked []string) bool {
	for _, effect := range asked {
		if !slices.Contains(done, effect) {
			return false
		}
	}
	return len(asked) > 0
}

// worse returns the verdict that says less.
func worse(a, b Verdict) Verdict {
	order := map[Verdict]int{Equal: 0, Allowed: 1, Manual: 2, Different: 3}
	if order[b] > order[a] {
		return b
	}
	return a
}

// watchWidths are the columns of a run that is shown.
var watchWidths = []int{4, 14, 11, 4}

// watchLegacy shows the questions that are put while the call is open.
func (d *demo) watchLegacy() func(equiv.Event) {
	s := d.screen
	era := "2025-11-25"
	row := func(what, colour, text string) {
		s.columns(watchWidths, []string{"", blue, faint, "", colour}, "", era, what, "", text)
		era = ""
	}
	return func(e equiv.Event) {
		switch e.Kind {
		case equiv.Sent:
			row("calls", faint, "and keeps the call open")
		case equiv.Asked:
			row("is asked", "", question(e.Question))
		case equiv.Answered:
			row("answers", green, e.Answer)
		case equiv.Ended:
			row("gets", bold, brief(e.Result))
		}
	}
}

// watchModern shows the rounds, and which instance serves them.
func (d *demo) watchModern() func(equiv.Event) {
	s := d.screen
	era, what := "2026-07-28", ""
	row := func(label, colour, text string) {
		s.columns(watchWidths, []string{"", blue, faint, "", colour}, "", era, label, "", text)
		era = ""
	}
	return func(e equiv.Event) {
		switch e.Kind {
		case equiv.Sent:
			what = fmt.Sprintf("round %d", e.Round)
			row(what, faint, fmt.Sprintf("to instance %c", 'A'+e.Instance))
		case equiv.Asked:
			row("is handed", "", question(e.Question))
		case equiv.Answered:
			row("answers", green, e.Answer)
		case equiv.Ended:
			row("gets", bold, brief(e.Result))
		}
	}
}

// showEffects writes what both programs did.
func (d *demo) showEffects(effects []string) {
	for i, e := range effects {
		label := ""
		if i == 0 {
			label = "both did"
		}
		d.screen.columns(watchWidths, []string{"", blue, faint, "", ""}, "", label, "", "", e)
	}
}

// question returns what is asked, for people.
func question(q equiv.Question) string {
	if text := q.Text(); text != "" {
		return text
	}
	return q.Kind
}

// brief returns the text of a result, for people.
func brief(r equiv.Result) string {
	var body struct {
		Message string `json:"message"`
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
		Contents []struct {
			Text string `json:"text"`
		} `json:"contents"`
		Messages []struct {
			Content struct {
				Text string `json:"text"`
			} `json:"content"`
		} `json:"messages"`
	}
	if r.Outcome == equiv.Unanswered || json.Unmarshal([]byte(r.Body), &body) != nil {
		return r.String()
	}
	switch {
	case len(body.Content) > 0:
		return body.Content[0].Text
	case len(body.Contents) > 0:
		return body.Contents[0].Text
	case len(body.Messages) > 0:
		return body.Messages[0].Content.Text
	case body.Message != "":
		return "error: " + body.Message
	}
	return r.Body
}
