package demo

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mrtr-migrate/mrtr-migrate/cmd/mrtr-migrate/internal/output"
	"github.com/mrtr-migrate/mrtr-migrate/internal/equiv"
)

// conclude shows the contrast, the table and the verdict.
func (d *demo) conclude() {
	d.showContrast()
	d.screen.step(8, "Compare: questions, rounds, effects of the rewritten server")
	d.showTable()
	d.showAllowed()
	d.showDifferent()
	s := d.screen
	scripts, handlers := d.counts()
	s.printf("\n")
	if d.report.Folder != "" {
		s.line(faint, "kept: %s", d.report.Folder)
	}
	if d.report.Agree {
		s.line(green, "%s × 2 eras × 2 transports, %s, %d runs: all agree (%.0fs)", output.Plural(handlers, "handler"), output.Plural(scripts, "script"), len(d.report.Runs), d.report.Seconds)
		return
	}
	s.line(red, "%s × 2 eras × 2 transports, %s, %d runs: NOT all agree (%.0fs)", output.Plural(handlers, "handler"), output.Plural(scripts, "script"), len(d.report.Runs), d.report.Seconds)
}

// showContrast writes what the original does for a new client. Over HTTP it
// refuses every request in the same words: those are written once.
func (d *demo) showContrast() {
	s := d.screen
	s.step(7, "Contrast: the original on a client of 2026-07-28")
	widths := []int{2, 22, 8, 23}
	once := d.alike(equiv.HTTP)
	for _, c := range d.report.Contrast {
		name := c.Handler
		if once && c.Transport == equiv.HTTP.String() {
			continue
		}
		d.contrastRow(widths, name, c)
	}
	for _, c := range d.report.Contrast {
		if once && c.Transport == equiv.HTTP.String() {
			d.contrastRow(widths, "all of them", c)
			break
		}
	}
}

// alike reports whether the original answered every script over a transport in
// the same way.
func (d *demo) alike(transport equiv.Transport) bool {
	var first *Contrast
	for i, c := range d.report.Contrast {
		if c.Transport != transport.String() {
			continue
		}
		if first == nil {
			first = &d.report.Contrast[i]
		}
		if c.Works || c.Unasked || len(c.Effects) > 0 || c.Result != first.Result {
			return false
		}
	}
	return first != nil
}

// contrastRow writes one row of the contrast.
func (d *demo) contrastRow(widths []int, name string, c Contrast) {
	verdict, colour := "fails", green
	switch {
	case c.Works:
		verdict, colour = "works", red
	case c.Unasked:
		verdict, colour = "DID IT WITHOUT ASKING", red
	case len(c.Effects) > 0 && c.Failed:
		verdict, colour = "fails half way", amber
	case len(c.Effects) > 0:
		verdict, colour = "takes another way", amber
	}
	d.screen.columns(widths, []string{"", "", faint, colour, faint}, "", name, c.Transport, verdict, c.Result)
}

// cell sums up the runs of one handler from one client over one transport.
type cell struct {
	questions, rounds, effects int
	verdict                    Verdict
}

func (c cell) String() string {
	sign := map[Verdict]string{Equal: "✓", Allowed: "✓*", Manual: "✋", Different: "✗"}[c.verdict]
	return fmt.Sprintf("%2d %2d %2d %s", c.questions, c.rounds, c.effects, sign)
}

// tableWidths are the columns of the table, which fits into 80 characters.
var tableWidths = []int{2, 21, 12, 12, 12, 12}

// showTable writes one row per handler.
func (d *demo) showTable() {
	s := d.screen
	dim := []string{"", faint, faint, faint, faint, faint, faint}
	s.columns(tableWidths, dim, "", "", "2025-11-25", "", "2026-07-28", "", "")
	s.columns(tableWidths, dim, "", "handler", "stdio", "http", "stdio", "http, A/B", "verdict")
	s.columns(tableWidths, dim, "", "", " q  r  e", " q  r  e", " q  r  e", " q  r  e", "")
	for _, handler := range Handlers() {
		cells := [4]cell{{verdict: Equal}, {verdict: Equal}, {verdict: Equal}, {verdict: Equal}}
		played, worst := false, Equal
		for _, run := range d.report.Runs {
			if run.Handler != handler {
				continue
			}
			played = true
			worst = worse(worst, run.Verdict)
			if run.Program != "rewritten" {
				continue
			}
			i := 0
			if run.Era == equiv.Modern.String() {
				i = 2
			}
			if run.Transport == equiv.HTTP.String() {
				i++
			}
			cells[i].questions += run.Questions
			cells[i].rounds += run.Rounds
			cells[i].effects += len(run.Effects)
			cells[i].verdict = worse(cells[i].verdict, run.Verdict)
		}
		if !played {
			continue
		}
		row, colours := []string{"", handler}, []string{"", ""}
		for _, c := range cells {
			row = append(row, c.String())
			colours = append(colours, verdictColour(c.verdict))
		}
		s.columns(tableWidths, append(colours, verdictColour(worst)), append(row, words(worst))...)
	}
	s.line(faint, "q questions, r rounds, e effects of all scripts; * with allowed differences:")
}

func verdictColour(v Verdict) string {
	switch v {
	case Equal, Allowed:
		return green
	case Manual:
		return amber
	default:
		return red
	}
}

func words(v Verdict) string {
	switch v {
	case Equal:
		return "equal"
	case Allowed:
		return "equal *"
	case Manual:
		return "by hand"
	default:
		return "DIFFERS"
	}
}

// showAllowed lists the rules by which runs were allowed to differ.
func (d *demo) showAllowed() {
	counts := map[equiv.Rule]int{}
	handlers := map[equiv.Rule][]string{}
	for _, run := range d.report.Runs {
		for _, rule := range run.rules {
			if rule == 0 {
				continue
			}
			counts[rule]++
			if !slices.Contains(handlers[rule], run.Handler) {
				handlers[rule] = append(handlers[rule], run.Handler)
			}
		}
	}
	for rule := equiv.Rule(1); rule <= equiv.NotRewritten; rule++ {
		if counts[rule] > 0 {
			where := fmt.Sprintf("in %d handlers", len(handlers[rule]))
			if len(handlers[rule]) == 1 {
				where = "in " + handlers[rule][0]
			}
			d.screen.line(faint, "* %s: %d runs, %s", rule, counts[rule], where)
		}
	}
}

// showDifferent writes out what is not allowed.
func (d *demo) showDifferent() {
	s := d.screen
	for _, run := range d.report.Runs {
		if run.Verdict != Different {
			continue
		}
		s.printf("\n  %s\n", s.paint(red, fmt.Sprintf("%s/%s: %s, client %s over %s", run.Handler, run.Script, run.Program, run.Era, run.Transport)))
		for _, diff := range run.Differences {
			s.printf("    %s\n", strings.ReplaceAll(diff, "\n", "\n    "))
		}
	}
}

// counts returns how many scripts and handlers were played.
func (d *demo) counts() (scripts, handlers int) {
	seen, names := map[string]bool{}, map[string]bool{}
	for _, run := range d.report.Runs {
		seen[run.Handler+"/"+run.Script] = true
		names[run.Handler] = true
	}
	return len(seen), len(names)
}
