package rewrite

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mrtr-migrate/mrtr-migrate/analyzer"
)

// A Result is what a rewrite would do, and what it leaves to people.
type Result struct {
	Root   string // folder of the module
	Module string // its path

	// Changes are the files to write, sorted by path; go.mod and go.sum last.
	Changes []FileChange

	Handlers  []HandlerReport // rewritten
	Markers   []MarkerReport  // standing in the code after the rewrite
	Untouched []Untouched     // asks left as they were
	Skipped   []Skipped       // files and packages that were not looked at
	Setup     SetupReport
}

// A HandlerReport is one rewritten handler.
type HandlerReport struct {
	Name   string `json:"name"`
	Method string `json:"method"`
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Asks   int    `json:"asks"` // reached by it; one of a shared helper counts for each handler
}

// A MarkerReport is a MRTR-TODO in the code, where it stands after the rewrite.
type MarkerReport struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Untouched is an ask that was left as it was.
type Untouched struct {
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Code   string `json:"code"`
	Ask    string `json:"ask"`
	Reason string `json:"reason"`
}

// Skipped is a file or package that was not looked at, or may not be edited.
type Skipped struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
	// Failed says that it should have been looked at, but does not build.
	Failed bool `json:"failed"`
}

// SetupReport counts what was installed around the handlers.
type SetupReport struct {
	Servers    int  `json:"servers"`
	Endpoints  int  `json:"endpoints"`
	Transports int  `json:"transports"`
	Keys       bool `json:"keysFromEnvironment"` // the program needs MRTR_STATE_KEYS
	Module     bool `json:"module"`              // go.mod changed
	Missing    bool `json:"missing"`             // no server is built in this module
}

// Done reports whether nothing is left to people: no marker, no ask untouched,
// no package that could not be read.
func (r *Result) Done() bool {
	failed := slices.ContainsFunc(r.Skipped, func(s Skipped) bool { return s.Failed })
	return len(r.Markers) == 0 && len(r.Untouched) == 0 && !failed
}

// report fills in the result of a plan.
func (pl *plan) report(r *Result, edits map[string][]byte) {
	for _, h := range pl.handlers {
		asks := 0
		for _, fn := range pl.tree(h) {
			for _, s := range fn.sites {
				if s.ask != nil {
					asks++
				}
			}
		}
		at := pl.position(h.node.Pos())
		name := h.handler.Name
		if name == "" {
			name = h.name()
		}
		r.Handlers = append(r.Handlers, HandlerReport{Name: name, Method: h.handler.Method, Path: at.Filename, Line: at.Line, Asks: asks})
	}
	r.Markers = pl.standing(edits)
	slices.SortFunc(r.Markers, func(a, b MarkerReport) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), strings.Compare(a.Code, b.Code))
	})
	for _, fn := range pl.functions {
		if pl.edited[fn] || !pl.asked[fn.pkg.PkgPath] || fn.pkg.Module == nil || !fn.pkg.Module.Main {
			continue
		}
		for _, s := range fn.sites {
			if s.ask != nil {
				at := pl.position(s.call.Pos())
				r.Untouched = append(r.Untouched, Untouched{Path: at.Filename, Line: at.Line, Code: s.code(), Ask: s.ask.Method, Reason: oldLines(pl.why(fn))})
			}
		}
	}
	r.Skipped = append(slices.Clone(pl.skipped), pl.foreign()...)
	r.Setup = SetupReport{
		Servers: len(pl.setup.servers), Endpoints: len(pl.setup.endpoints), Transports: len(pl.setup.transports),
		Keys:    pl.setup.http && len(pl.setup.servers) > 0,
		Missing: len(pl.handlers) > 0 && !pl.setup.found,
		Module:  slices.ContainsFunc(r.Changes, func(c FileChange) bool { return filepath.Base(c.Path) == "go.mod" }),
	}
}

// foreign lists packages of other modules, vendored ones among them, that ask.
func (p *program) foreign() []Skipped {
	var out []Skipped
	for _, pkg := range p.pkgs {
		report := p.reports[pkg.Types]
		if report == nil || pkg.Module == nil || pkg.Module.Main {
			continue
		}
		if slices.ContainsFunc(report.Funcs, func(f *analyzer.Func) bool { return len(f.Asks) > 0 }) {
			out = append(out, Skipped{Path: pkg.PkgPath, Reason: "it asks, but belongs to the module " + pkg.Module.Path})
		}
	}
	return out
}

// why says why a function was left as it was.
func (pl *plan) why(fn *function) string {
	if len(fn.blocked) > 0 {
		return fn.blocked[0].Message
	}
	for _, h := range pl.entries() {
		if reason := pl.refused[h]; reason != nil && slices.Contains(pl.tree(h), fn) {
			return fmt.Sprintf("%s stays as it is: %s", h.name(), reason.Message)
		}
	}
	for _, s := range fn.sites {
		if s.ask != nil && s.ask.NoEquivalent != "" {
			return s.ask.NoEquivalent
		}
		if s.ask != nil && len(s.ask.Chains) > 0 {
			return "the call that leads to it could not be rewritten"
		}
	}
	return "no handler of this module reaches it"
}

// rel shortens a path for people.
func (r *Result) rel(path string) string {
	if rel, err := filepath.Rel(r.Root, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// WriteDiff writes the changes as a unified diff.
func (r *Result) WriteDiff(w io.Writer) error {
	for _, c := range r.Changes {
		if _, err := io.WriteString(w, c.Diff(r.Root)); err != nil {
			return err
		}
	}
	return nil
}

// WriteText writes the summary for people. written says whether the changes
// are on disk.
func (r *Result) WriteText(w io.Writer, written bool) error {
	var b strings.Builder
	verb := "would be"
	if written && len(r.Changes) == 1 {
		verb = "was"
	} else if written {
		verb = "were"
	}
	if len(r.Changes) == 0 {
		fmt.Fprintf(&b, "Nothing to change.\n")
	} else {
		fmt.Fprintf(&b, "%s %s changed.\n", count(len(r.Changes), "file"), verb)
	}
	if len(r.Handlers) > 0 {
		fmt.Fprintf(&b, "\nRewritten: %s\n", count(len(r.Handlers), "handler"))
		place := 0
		at := func(h HandlerReport) string { return fmt.Sprintf("%s:%d", r.rel(h.Path), h.Line) }
		for _, h := range r.Handlers {
			place = max(place, len(at(h)))
		}
		for _, h := range r.Handlers {
			fmt.Fprintf(&b, "  %-28s %-15s %-*s  %s\n", h.Name, h.Method, place, at(h), count(h.Asks, "ask"))
		}
	}
	if len(r.Markers) > 0 {
		fmt.Fprintf(&b, "\nLeft to you: %s (MRTR-TODO)\n", count(len(r.Markers), "marker"))
		for _, m := range r.Markers {
			fmt.Fprintf(&b, "  %s:%d: %s %s\n", r.rel(m.Path), m.Line, m.Code, m.Message)
		}
	}
	if len(r.Untouched) > 0 {
		fmt.Fprintf(&b, "\nUntouched: %s\n", count(len(r.Untouched), "ask"))
		for _, u := range r.Untouched {
			fmt.Fprintf(&b, "  %s:%d: %s %s: %s\n", r.rel(u.Path), u.Line, u.Code, u.Ask, u.Reason)
		}
	}
	if len(r.Skipped) > 0 {
		fmt.Fprintf(&b, "\nNot looked at:\n")
		for _, s := range r.Skipped {
			fmt.Fprintf(&b, "  %s: %s\n", r.rel(s.Path), s.Reason)
		}
	}
	if r.Setup.Module || r.Setup.Keys || r.Setup.Missing {
		fmt.Fprintf(&b, "\nNext:\n")
		if r.Setup.Module {
			fmt.Fprintf(&b, "  go mod tidy\n")
		}
		if r.Setup.Missing {
			fmt.Fprintf(&b, "  call legacyadapter.Install where the server is built: this module builds none\n")
		}
		if r.Setup.Keys {
			fmt.Fprintf(&b, "  export MRTR_STATE_KEYS=$(mrtr-migrate keys new)   # the same on every instance\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// WriteJSON writes the summary, and the diff, for programs.
func (r *Result) WriteJSON(w io.Writer, written bool) error {
	type file struct {
		Path string `json:"path"`
		Diff string `json:"diff"`
	}
	out := struct {
		Module    string          `json:"module"`
		Written   bool            `json:"written"`
		Done      bool            `json:"done"`
		Files     []file          `json:"files"`
		Handlers  []HandlerReport `json:"handlers"`
		Markers   []MarkerReport  `json:"markers"`
		Untouched []Untouched     `json:"untouched"`
		Skipped   []Skipped       `json:"skipped"`
		Setup     SetupReport     `json:"setup"`
	}{
		Module: r.Module, Written: written, Done: r.Done(), Files: []file{},
		Handlers: []HandlerReport{}, Markers: []MarkerReport{}, Untouched: []Untouched{}, Skipped: []Skipped{}, Setup: r.Setup,
	}
	for _, c := range r.Changes {
		out.Files = append(out.Files, file{Path: r.rel(c.Path), Diff: c.Diff(r.Root)})
	}
	for _, h := range r.Handlers {
		h.Path = r.rel(h.Path)
		out.Handlers = append(out.Handlers, h)
	}
	for _, m := range r.Markers {
		m.Path = r.rel(m.Path)
		out.Markers = append(out.Markers, m)
	}
	for _, u := range r.Untouched {
		u.Path = r.rel(u.Path)
		out.Untouched = append(out.Untouched, u)
	}
	for _, s := range r.Skipped {
		s.Path = r.rel(s.Path)
		out.Skipped = append(out.Skipped, s)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}
