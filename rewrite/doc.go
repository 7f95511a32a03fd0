// Package rewrite turns the findings of package analyzer into edits: blocking
// calls of an MCP session become calls of the run-time in shim/gosdk that
// either have the answer or end the round.
//
// # What correct means
//
// For every answer that a client can give, the rewritten handler on a
// 2026-07-28 peer and the original on a 2025-11-25 peer end with the same
// result, the same effects and the same questions, and on a 2025-11-25 peer
// the rewritten handler behaves like the original. To that end:
//
//  1. The pending check follows the ask at once, before the old error
//     handling: a swallowed or wrapped error cannot turn "not answered yet"
//     into "failed".
//  2. A handler is edited together with every function that it needs, or not
//     at all (choose).
//  3. A call moves in front of its statement only with everything that Go
//     evaluates before it, and && and || stay short-circuit (lift).
//  4. A header keeps its scope: the check becomes its first branch (header).
//  5. A key names the question; what tells one iteration from another is part
//     of it, and what the answer decides although the question does not show
//     it is passed as a fact (keys, facts).
//  6. An effect before an ask is recorded where its value survives that, and
//     is left to people otherwise (effects).
//  7. A path that went on after a failed question refuses until somebody
//     decides (guard).
//  8. A function that cannot be edited may call one that is only if it stops
//     at an error: a modern peer must not get past an unanswered question
//     there (choose, failsClosed).
//
// # Hazards of the text
//
//  1. dave/dst runs without its import manager, which merges two names of one
//     path, fails on dot imports and guesses the names of packages.
//  2. The printer may change more than the edit: only declarations that the
//     edit touches are spliced into the original bytes, and within them only
//     what differs from an unedited print (document.close).
//  3. Comments behind the last statement of a block belong to that statement
//     in dst; what is added behind it takes them over (chain).
//  4. A file with //line directives, a generated one, one that uses cgo and
//     one outside of the module are never touched.
//
// # Order of a safe write
//
// Load, plan in memory, type-check the edited packages and what imports them
// with their tests in an overlay, analyse and rewrite the overlay again (it
// must not change), and only then write: temporary files first, renames last.
package rewrite
