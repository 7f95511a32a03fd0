package demo

import (
	"slices"

	"github.com/mrtr-migrate/mrtr-migrate/cmd/mrtr-migrate/internal/output"
	"github.com/mrtr-migrate/mrtr-migrate/internal/equiv"
)

// Report is what a demonstration found. Its JSON form is what
// `demo --format json` prints.
type Report struct {
	// Folder is where the sources and binaries are, if they were kept.
	Folder string `json:"folder,omitempty"`
	// Findings are what the linter says about the original.
	Findings []output.Finding `json:"findings"`
	// Diff is what the rewriter changed; Markers is what it left to a person.
	Diff    string   `json:"diff"`
	Markers []string `json:"markers"`
	// Runs are all runs of the rewritten server, and those of the original
	// over HTTP, each compared with the original over stdio.
	Runs []Played `json:"runs"`
	// Contrast is what the original does on a client of 2026-07-28.
	Contrast []Contrast `json:"contrast"`
	// Agree says that every run agreed but for allowed differences, and that
	// the original did not serve the new client.
	Agree bool `json:"agree"`
	// Seconds is how long it took.
	Seconds float64 `json:"seconds"`
}

// Verdict is what a comparison came to.
type Verdict string

const (
	// Equal: no difference at all.
	Equal Verdict = "equal"
	// Allowed: only differences of the closed table.
	Allowed Verdict = "allowed"
	// Manual: the handler was left to a person, and fails without an effect.
	Manual Verdict = "manual"
	// Different: anything else.
	Different Verdict = "different"
)

// Played is one script played to one program by one client.
type Played struct {
	Program   string `json:"program"`
	Handler   string `json:"handler"`
	Script    string `json:"script"`
	Era       string `json:"era"`
	Transport string `json:"transport"`

	Questions int      `json:"questions"`
	Rounds    int      `json:"rounds"`
	Effects   []string `json:"effects"`
	Result    string   `json:"result"`

	Verdict     Verdict  `json:"verdict"`
	Differences []string `json:"differences,omitempty"`

	rules []equiv.Rule // of the allowed differences
}

// Contrast is one script played to the original by a new client.
type Contrast struct {
	Handler   string   `json:"handler"`
	Script    string   `json:"script"`
	Transport string   `json:"transport"`
	Result    string   `json:"result"`
	Effects   []string `json:"effects"`
	// Works says that it did what it does for an old client, which would make
	// the rewrite needless.
	Works bool `json:"works"`
	// Unasked says that it did its work without asking.
	Unasked bool `json:"unasked"`
	// Failed says that the result is an error. A handler that neither failed nor
	// did its work took another way.
	Failed bool `json:"failed"`
}

// newPlayed describes a judged run.
func newPlayed(program string, script *equiv.Script, era equiv.Era, transport equiv.Transport, got *equiv.Transcript, diffs []equiv.Difference) Played {
	run := Played{
		Program:   program,
		Handler:   script.Handler,
		Script:    script.Name,
		Era:       era.String(),
		Transport: transport.String(),
		Questions: len(got.Questions),
		Rounds:    got.Rounds(),
		Effects:   append([]string{}, got.Effects...),
		Result:    got.Result.String(),
		Verdict:   Equal,
	}
	for _, d := range diffs {
		run.Differences = append(run.Differences, d.String())
		run.rules = append(run.rules, d.Rule)
	}
	switch {
	case !equiv.Proven(diffs):
		run.Verdict = Different
	case slices.Contains(run.rules, equiv.NotRewritten):
		run.Verdict = Manual
	case len(diffs) > 0:
		run.Verdict = Allowed
	}
	return run
}

// agree reports whether everything that was compared agreed.
func (r *Report) agree() bool {
	different := slices.ContainsFunc(r.Runs, func(run Played) bool { return run.Verdict == Different })
	works := slices.ContainsFunc(r.Contrast, func(c Contrast) bool { return c.Works })
	return !different && !works && len(r.Runs) > 0
}
