// Package analyzer finds what a Model Context Protocol server asks its client
// and what makes that unsafe or impossible on a peer of revision 2026-07-28.
//
// It consists of ordinary [analysis.Analyzer] values, so it runs wherever such
// analyzers run. [Asks] finds: its result is a [Report] that the rules, the
// rewriter and the command consume; nobody looks for asks a second time.
// [Analyzer] turns the report's findings into diagnostics. [Effects] judges
// what a call changes. [Rules] is the catalogue of rules.
//
// # How a package is analysed
//
//  1. funcs.go lists the functions and literals; flow.go and flowbuild.go
//     follow function values through variables, fields, containers, parameters
//     and results.
//  2. graph.go builds the call graph from that. A call is an ask if it is one
//     of an SDK's (sdktable.go), by type, however the method gets there.
//     Interfaces lead to the implementations known here; other packages'
//     functions to what their facts promise.
//  3. entries.go, names.go and wrappers.go find the handlers, chains.go ties
//     asks to those that reach them, and says why one has no equivalent.
//  4. The rules: findings.go (the asks themselves), failopen.go and gate.go
//     (MRTR010), order.go (MRTR011, MRTR013).
//  5. directives.go takes out what a comment suppresses; facts.go tells other
//     packages what they need to know.
//
// A package that has no SDK among its dependencies and gets no facts is left
// alone: on code that has nothing to do with the protocol nothing is reported.
//
// # What it cannot see
//
//   - An ask behind an interface of a package that is given its implementation
//     by a third one, unless that interface's method is a session's own. The
//     implementation is reported where it stands, without a chain.
//   - What third-party code does with functions that it is handed. It is taken
//     to call them before it returns, or to return something that does.
//   - Which of several values a field holds: a field is one place for all
//     values of its type. Chains may name too many handlers, never too few of
//     those that can be seen.
//   - Reflection, and functions in values of type any.
//
// # Hazards that the rules are careful about
//
//   - An effect after a failed ask is no fail-open if only failure leads there
//     (audit, fallback), if no answer would have prevented it (a default for a
//     value), or if a setting decides. See failopen.go.
//   - An effect before an ask does not count if repeating it changes nothing:
//     reading, logging, filling a cache, counting up and down again. See
//     effects.go and mutation.go.
//   - A handler behind a decorator is bound to what the decorator was given, or
//     each of a hundred tools would be said to ask what one of them asks. See
//     wrappers.go.
package analyzer
