// Package equiv proves that a rewritten server behaves as the original did.
//
// One [Script] says what a client calls and how its person, its model or its
// file system answers. [Play] plays it against a running program, once as a
// client of 2025-11-25 that is asked while its call is open, once as a client
// of 2026-07-28 that is handed the questions and calls again. Both clients
// speak raw JSON-RPC, written here by hand: no library's automatic loop hides
// what is on the wire, and every message is held against the rules of its
// revision. What happened is a [Transcript]: the questions in order, the
// result, the effects in order and how often, and the rules that were broken.
//
// [Judge] compares a transcript with the original's. The program under test
// must end with the same result, the same effects in the same order and the
// same number of times, and the same questions in the same order, where
// questions of one round count in any order. It must do so under every
// [Fault] too: another instance at each round, each round sent twice, the
// first or the last response lost, an answer forged into the first call, an
// unrelated change of the world between the rounds.
//
// # Allowed differences
//
// The table is closed. Each difference is allowed only where the script, or
// the fault, says that it may occur; anything else fails.
//
//  1. [RefusedAskedAgain]: content that the old call refused with an error is
//     asked again with the reason, at most twice, then that error.
//  2. [EmptyAskedAgain]: an accept without content, where the schema requires
//     a field, is asked again.
//  3. [ErrorUnanswered]: a client's JSON-RPC error has no channel in the new
//     revision; the operation ends unanswered.
//  4. [RewordedAskedAgain]: a question that the world has reworded is asked
//     again.
//  5. [FirstEffectAgain]: an effect before the first question is at least
//     once when the first request itself is issued again.
//
// Three more are not of the rewrite but of what it is told to do, or told not
// to promise: [FailOpenClosed], a guard that went on when the question failed
// and no longer does (MRTR010); [LastRoundAgain], the last round of a server
// without a store, which runs again when the client sends it again; and
// [CapabilityCode], the error code that the new revision demands for a missing
// capability (rule 21).
package equiv
