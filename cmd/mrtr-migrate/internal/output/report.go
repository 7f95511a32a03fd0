package output

import (
	"encoding/json"
	"fmt"
	"go/token"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// A Report is what lint --format json prints. Fields may be added to it and to
// what it holds; what is there keeps its name and meaning while Version is 1.
type Report struct {
	// Version is that of this format.
	Version int `json:"version"`
	// Findings are in the order of files and lines, never null.
	Findings []Finding `json:"findings"`
	// Skipped are the packages that could not be analysed, or not completely;
	// never null. If there are any, the command's status is 2.
	Skipped []Skipped `json:"skipped"`
	// Ignored are the files that the build leaves out, and folders of other
	// modules; never null. They do not change the status.
	Ignored []Ignored `json:"ignored"`
	Counts  Counts    `json:"counts"`
}

// A Finding is what a rule says about one place.
type Finding struct {
	// Package is the import path of the package that it is in.
	Package string `json:"package"`
	// Code is the rule's, such as MRTR001: mrtr-migrate explain has its page.
	Code string `json:"code"`
	// Severity is error, warning or note.
	Severity string `json:"severity"`
	// Position and End delimit the code that it is about, End exclusive.
	Position Position `json:"position"`
	End      Position `json:"end"`
	// Message is one line of plain text, without the code.
	Message string `json:"message"`
	// Related are other places that belong to it, such as the handlers that
	// reach a question.
	Related []Related `json:"related,omitempty"`
	// Asks are the questions that it is about.
	Asks []Ask `json:"asks,omitempty"`
}

// A Position is a place in a file. The file's name is relative to the working
// directory if that is shorter. Line and Column count from 1, columns in bytes;
// a column of 0 is not known.
type Position struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// String returns the position as every vet tool prints it: a column that is not
// known, as after a //line directive without one, is left out.
func (p Position) String() string {
	return token.Position{Filename: p.File, Line: p.Line, Column: p.Column}.String()
}

// A Related is another place that belongs to a finding.
type Related struct {
	Position Position `json:"position"`
	Message  string   `json:"message"`
}

// An Ask is a question to the client that a finding's place asks, or reaches.
type Ask struct {
	// Kind is elicitation, sampling or roots.
	Kind string `json:"kind"`
	// Method is the name of the session's method.
	Method   string   `json:"method"`
	Position Position `json:"position"`
	// Chains lead from handlers of the same package to the question.
	Chains [][]Frame `json:"chains,omitempty"`
}

// A Frame is one function of a chain, the handler first, the one that asks
// last. Position is where the one before calls it; of a handler, where it
// stands.
type Frame struct {
	Name     string   `json:"name"`
	Position Position `json:"position"`
}

// A Skipped is a package that was not analysed, or not completely.
type Skipped struct {
	// Package is the package's import path, with what distinguishes its
	// variant for tests; or the pattern that matches none.
	Package string `json:"package"`
	Reason  string `json:"reason"`
	// Partial reports that the package was analysed as far as it type-checks:
	// findings may be missing.
	Partial bool `json:"partial"`
}

// An Ignored is a file that the build leaves out, or the folder of a module
// that is not part of it.
type Ignored struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

// Counts sum a report up.
type Counts struct {
	// Findings are their number by code.
	Findings map[string]int `json:"findings"`
	// Asks are the places that ask, Handlers the registrations of handlers,
	// whether something was found there or not.
	Asks     int `json:"asks"`
	Handlers int `json:"handlers"`
	// Packages are those that the patterns match, Analysed those among them
	// that an SDK can be reached from: there is nothing to find in the others.
	Packages int `json:"packages"`
	Analysed int `json:"analysed"`
}

// Relative does the same for all names in the report, those in reasons too.
func (r *Report) Relative(dir string) {
	Relative(r.Findings, dir)
	prefix := filepath.Clean(dir) + string(filepath.Separator)
	for i := range r.Skipped {
		r.Skipped[i].Reason = strings.ReplaceAll(r.Skipped[i].Reason, prefix, "")
	}
	for i := range r.Ignored {
		r.Ignored[i].File = relative(r.Ignored[i].File, dir)
	}
}

// JSON prints a report as one JSON value.
func (r *Report) JSON(w io.Writer) error {
	out := *r
	out.Version = 1
	out.Findings = append([]Finding{}, r.Findings...)
	out.Skipped = append([]Skipped{}, r.Skipped...)
	out.Ignored = append([]Ignored{}, r.Ignored...)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}

// Notes prints what was not analysed, a line each, and a line that sums up the
// report.
func (r *Report) Notes(w io.Writer) error {
	for _, s := range r.Skipped {
		how := "not analysed"
		if s.Partial {
			how = "partly analysed"
		}
		if _, err := fmt.Fprintf(w, "%s: %s: %s\n", how, s.Package, s.Reason); err != nil {
			return err
		}
	}
	for _, i := range r.Ignored {
		if _, err := fmt.Fprintf(w, "not analysed: %s: %s\n", i.File, i.Reason); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w, r.Counts)
	return err
}

// String returns the counts in one line.
func (c Counts) String() string {
	var b strings.Builder
	total := 0
	for _, n := range c.Findings {
		total += n
	}
	b.WriteString(Plural(total, "finding"))
	for i, code := range slices.Sorted(maps.Keys(c.Findings)) {
		b.WriteString([]string{" (", ", "}[min(i, 1)])
		fmt.Fprintf(&b, "%s: %d", code, c.Findings[code])
	}
	if total > 0 {
		b.WriteByte(')')
	}
	switch {
	case c.Packages == 0:
		return b.String()
	case c.Analysed == 0:
		fmt.Fprintf(&b, "; no SDK can be reached from %s", Plural(c.Packages, "package"))
		return b.String()
	}
	fmt.Fprintf(&b, "; %s and %s in %d of %s",
		Plural(c.Asks, "ask"), Plural(c.Handlers, "handler"), c.Analysed, Plural(c.Packages, "package"))
	return b.String()
}

// CountCodes counts findings by code.
func CountCodes(list []Finding) map[string]int {
	counts := make(map[string]int)
	for i := range list {
		counts[list[i].Code]++
	}
	return counts
}

// Plural returns a number with what it counts.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
