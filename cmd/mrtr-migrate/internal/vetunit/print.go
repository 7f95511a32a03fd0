package vetunit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/token"
	"io"
	"os"
)

// printText prints findings as every vet tool does, with lines of context if
// lines is not negative, and returns the exit status.
func printText(w io.Writer, fset *token.FileSet, lines int, list []found) (status int) {
	for _, f := range list {
		for _, d := range f.diagnostics {
			status = 1
			printPlain(w, fset, lines, d.Pos, d.End, d.Message)
			for _, r := range d.Related {
				printPlain(w, fset, lines, r.Pos, r.End, "\t"+r.Message)
			}
		}
	}
	return status
}

func printPlain(w io.Writer, fset *token.FileSet, lines int, pos, end token.Pos, message string) {
	from := fset.Position(pos)
	fmt.Fprintf(w, "%s: %s\n", from, message)
	if lines < 0 {
		return
	}
	to := from
	if end.IsValid() {
		to = fset.Position(end)
	}
	data, err := os.ReadFile(from.Filename)
	if err != nil {
		return // the finding is printed, the context is a courtesy
	}
	n := 0
	for line := range bytes.Lines(data) {
		if n++; n >= from.Line-lines && n <= to.Line+lines {
			fmt.Fprintf(w, "%d\t%s\n", n, bytes.TrimRight(line, "\r\n"))
		}
	}
}

// printJSON prints findings in the form of `go vet -json`: by unit, by
// analyzer.
func printJSON(w io.Writer, fset *token.FileSet, id string, list []found) error {
	type related struct {
		Posn    string `json:"posn"`
		End     string `json:"end"`
		Message string `json:"message"`
	}
	type edit struct {
		Filename string `json:"filename"`
		Start    int    `json:"start"`
		End      int    `json:"end"`
		New      string `json:"new"`
	}
	type fix struct {
		Message string `json:"message"`
		Edits   []edit `json:"edits"`
	}
	type diagnostic struct {
		Category string    `json:"category,omitempty"`
		Posn     string    `json:"posn"`
		End      string    `json:"end"`
		Message  string    `json:"message"`
		Fixes    []fix     `json:"suggested_fixes,omitempty"`
		Related  []related `json:"related,omitempty"`
	}
	posn := func(pos token.Pos) string {
		if !pos.IsValid() {
			return ""
		}
		return fset.Position(pos).String()
	}
	unit := make(map[string][]diagnostic)
	for _, f := range list {
		for _, d := range f.diagnostics {
			one := diagnostic{Category: d.Category, Posn: posn(d.Pos), End: posn(endOr(d.End, d.Pos)), Message: d.Message}
			for _, r := range d.Related {
				one.Related = append(one.Related, related{Posn: posn(r.Pos), End: posn(endOr(r.End, r.Pos)), Message: r.Message})
			}
			for _, suggested := range d.SuggestedFixes {
				one.Fixes = append(one.Fixes, fix{Message: suggested.Message})
				last := &one.Fixes[len(one.Fixes)-1]
				for _, e := range suggested.TextEdits {
					file := fset.File(e.Pos)
					last.Edits = append(last.Edits, edit{file.Name(), file.Offset(e.Pos), file.Offset(endOr(e.End, e.Pos)), string(e.NewText)})
				}
			}
			unit[f.analyzer.Name] = append(unit[f.analyzer.Name], one)
		}
	}
	tree := map[string]map[string][]diagnostic{id: unit}
	if len(unit) == 0 {
		tree = map[string]map[string][]diagnostic{}
	}
	data, err := json.MarshalIndent(tree, "", "\t")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", data)
	return err
}

func endOr(end, pos token.Pos) token.Pos {
	if end.IsValid() {
		return end
	}
	return pos
}
