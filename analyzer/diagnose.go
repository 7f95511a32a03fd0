package analyzer

import (
	"go/ast"
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
			// Positions of other packages cannot be given here: the message
			// names what is there.
			if pos := posIn(pass.Fset, pass.Files, r.Pos); pos.IsValid() {
				d.Related = append(d.Related, analysis.RelatedInformation{Pos: pos, Message: r.Message})
			}
		}
		pass.Report(d)
	}
	return nil, nil
}

// posIn turns a position back into a token.Pos if it is in one of the files.
func posIn(fset *token.FileSet, files []*ast.File, at token.Position) token.Pos {
	for _, file := range files {
		tf := fset.File(file.FileStart)
		if tf.Name() == at.Filename && at.Offset <= tf.Size() {
			return tf.Pos(at.Offset)
		}
	}
	return token.NoPos
}
