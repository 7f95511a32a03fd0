package analyzer

import (
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
}

// Analyzers returns everything that a driver runs to get all diagnostics.
func Analyzers() []*analysis.Analyzer {
	return []*analysis.Analyzer{Analyzer}
}

func runDiagnose(pass *analysis.Pass) (any, error) {
	for _, f := range pass.ResultOf[Asks].(*Report).Findings {
		pass.Report(analysis.Diagnostic{
			Pos:      f.Pos,
			End:      f.End,
			Category: string(f.Code),
			Message:  string(f.Code) + " " + f.Message,
		})
	}
	return nil, nil
}
