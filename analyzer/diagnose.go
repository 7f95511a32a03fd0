package analyzer

import (
	"go/token"

	"golang.org/x/tools/go/analysis"
)

// Analyzer turns the findings of Asks into diagnostics. Their text starts with
// the code, because `go vet` prints no category.
var Analyzer = &analysis.Analyzer{
	Name:     "mrtr",
	Doc:      "report what keeps a Model Context Protocol server from serving 2026-07-28 peers",
	URL:      "https://github.com/mrtr-migrate/mrtr-migrate",
	Run:      runDiagnose,
	Requires: []*analysis.Analyzer{Asks},

	RunDespiteErrors: true,
}

// Analyzers returns everything that a driver runs to get all diagnostics.
func Analyzers() []*analysis.Analyzer {
	return []*analysis.Analyzer{Analyzer}
}

func runDiagnose(pass *analysis.Pass) (any, error) {
	for _, f := range pass.ResultOf[Asks].(*Report).Findings {
		d := analysis.Diagnostic{
			Pos:      f.Pos,
			End:      f.End,
			Category: string(f.Code),
			Message:  f.Text(),
		}
		for _, r := range f.Related {
			if pos := posOf(pass, r.Pos); pos.IsValid() {
				d.Related = append(d.Related, analysis.RelatedInformation{Pos: pos, Message: r.Message})
			}
		}
		pass.Report(d)
	}
	return nil, nil
}

// posOf returns a position that the pass's file set resolves to at: a
// diagnostic can hold no other, and related places may be in other packages.
func posOf(pass *analysis.Pass, at token.Position) token.Pos {
	for _, file := range pass.Files {
		tf := pass.Fset.File(file.FileStart)
		if tf.Name() == at.Filename && at.Offset <= tf.Size() {
			if pos := tf.Pos(at.Offset); pass.Fset.Position(pos) == at {
				return pos
			}
		}
	}
	return elsewhere(pass.Fset, at)
}

// elsewhere adds a file to the set that is just long enough to have at in it:
// those of other packages were parsed in another process, if at all. The
// offset is not at's where a //line directive has made it another file's.
func elsewhere(fset *token.FileSet, at token.Position) token.Pos {
	if at.Line < 1 || at.Column < 1 {
		return token.NoPos
	}
	lines := make([]int, at.Line)
	for i := range lines {
		lines[i] = i
	}
	start := max(at.Offset-(at.Column-1), at.Line-1)
	lines[at.Line-1] = start
	tf := fset.AddFile(at.Filename, -1, start+at.Column)
	tf.SetLines(lines)
	return tf.Pos(start + at.Column - 1)
}
