// Package shim makes a handler that asks its client and waits re-entrant, so that
// it can serve a protocol on which it cannot wait. It knows JSON and no SDK; a
// binding such as shim/gosdk gives it typed questions and puts results on the wire.
//
// # Replay
//
// A request that needs an answer ends with the question. The client answers by
// sending the request again, to any instance of the server. The handler then runs
// again from the top:
//
//  1. What was answered in earlier rounds comes from a journal, which travels
//     sealed inside requestState. No server keeps anything between rounds.
//  2. The first question without an answer ends the round. From then on the round
//     is committed: it ends with the question, whatever the handler does, returns
//     or panics with, and the handler's context is cancelled with the cause
//     [ErrInputRequired].
//  3. An answer counts only if the verified state says that its very question was
//     asked: the same key, and the same digest of the rendered question and of the
//     facts it depends on. Answers that come with a first request count for
//     nothing, nor do answers to what was not asked.
//  4. A question that changed since it was answered is asked again, and its answer
//     and every later one are forgotten. If an effect is among what would be
//     forgotten, the operation ends with [CodeDivergence].
//  5. An answer that is not what was asked for is asked for again, with the reason,
//     [Limits].Reasks times; then the ask returns the error of the old blocking call.
//     Decline and cancel are answers.
//  6. A question that the request's own capabilities do not cover does not leave
//     the server: the ask returns a [*CapabilityError], and the handler may do
//     without.
//
// # Two styles
//
// In the explicit style an ask returns at once ([Continuation.Ask]), and the
// handler returns where [Continuation.Pending] is true. In the blocking style
// ([Continuation.AskBlocking]) an ask without an answer does not return: it ends
// the handler's goroutine, which the continuation owns for this purpose, see
// [Continuation.Run]. Deferred functions run. On a goroutine that the handler
// started the ask returns [ErrInputRequired] instead, because ending it would leave
// its waiters waiting. In both styles code that passes over the error cannot go on
// to an effect: the pending check or the end of the goroutine comes before it.
//
// # Hazards
//
// Replay runs code again. What a handler does before its last question must
// bear that; the linter looks for what does not, and these are the ways to get it
// wrong:
//
//  1. An effect before a question runs in each round, unless it is given to
//     [Once]. Before the very first question even that is at least once if the
//     first request is sent twice, unless a first round is reserved.
//  2. A question in a loop needs the element in its key ([Key]), or as a fact.
//     Without it, the n-th approval is the n-th element's, whichever that is by then.
//  3. A value that differs in each run, such as the time, a random number or a new
//     identifier, makes a question that is never answered, until the rounds run out.
//     Memoise it with [Once].
//  4. A deferred function that commits unless an error is returned runs in a
//     suspended round too. In the explicit style return [ErrInputRequired] there; in
//     the blocking style there is no return to see.
//  5. A lock that is held across a question without defer stays locked in the
//     blocking style.
//  6. sync.Once and its like around a question are poisoned by the first round.
//  7. A question on another goroutine: one question of one round wins, the others
//     take a round each, and in the blocking style their goroutines see the error.
//  8. A question in a deferred function of a suspended handler is refused
//     ([CodeUnwinding]). In the blocking style it ends that function as well.
//  9. A context must not outlive its request: any use of it afterwards is a fault
//     ([CodeClosed]), and in the blocking style, on a goroutine that is not the
//     handler's, a fault is an error that such code can pass over.
//
// # Faults
//
// What cannot be replayed safely is a [*Fault] with a stable code; [Diagnostics]
// is the table. After a fault Pending is true, the context is cancelled, and the
// fault is the result of the request, so that code that passes over errors cannot
// go on. Use of a continuation after its request has ended is always a fault, never
// another request's journal.
package shim
