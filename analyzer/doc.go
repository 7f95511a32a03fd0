// Package analyzer finds what a Model Context Protocol server asks its client
// and what makes that unsafe or impossible on a peer of revision 2026-07-28.
//
// It consists of ordinary [analysis.Analyzer] values. [Asks] finds: its result
// is a [Report] that the rules, the rewriter and the command consume.
// [Analyzer] turns the report's findings into diagnostics.
package analyzer
