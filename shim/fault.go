package shim

import (
	"errors"
	"fmt"
	"strings"
)

// A Code is the stable name of a fault or a warning. Codes never change their
// meaning and are never used again.
type Code string

// Faults end the operation: the result of the request is the fault, whatever the
// handler returned. See [Diagnostics] for what each means and what to do.
const (
	CodeDivergence      Code = "MRTR1001"
	CodeDuplicateKey    Code = "MRTR1002"
	CodeNested          Code = "MRTR1003"
	CodeWrongGoroutine  Code = "MRTR1004"
	CodeNothingPending  Code = "MRTR1005"
	CodeClosed          Code = "MRTR1006"
	CodeForeignGoexit   Code = "MRTR1007"
	CodeNotSerialisable Code = "MRTR1008"
	CodeUnwinding       Code = "MRTR1009"
	CodeRounds          Code = "MRTR1010"
	CodeStateSize       Code = "MRTR1011"
	CodeCapability      Code = "MRTR1012"
	CodeKey             Code = "MRTR1013"
	CodeQuestions       Code = "MRTR1014"
	CodeCaller          Code = "MRTR1015"
	CodeRequest         Code = "MRTR1016"
	CodeSeal            Code = "MRTR1017"
	CodeNative          Code = "MRTR1018"
	CodeQuestion        Code = "MRTR1019"
	CodeUnfinished      Code = "MRTR1020"
)

// Warnings are logged and change nothing.
const (
	CodeReturned        Code = "MRTR2001"
	CodeLate            Code = "MRTR2002"
	CodeQuestionChanged Code = "MRTR2003"
	CodePanicked        Code = "MRTR2005"
	CodeLargeState      Code = "MRTR2006"
)

// A Diagnostic describes a code for people: documentation is made from it.
type Diagnostic struct {
	Code    Code
	Title   string // a few words, also the text that a peer sees
	Meaning string // what happened
	Do      string // what the author of the handler does about it
	Peer    bool   // the peer's request caused it, not the server's program
}

// Diagnostics returns the table of all codes, in order.
func Diagnostics() []Diagnostic { return append([]Diagnostic(nil), diagnostics...) }

var diagnostics = []Diagnostic{
	{CodeDivergence, "the handler no longer does what its journal records",
		"A recorded effect was not reached again, was reached in another order, or depends on a question that has changed.",
		"Make what precedes the last question deterministic: memoise it with Once, or pass what varies as a fact. After a deployment, let running operations end first.", false},
	{CodeDuplicateKey, "two uses of one key in a run",
		"An effect used a key twice, or a question's key is one that an occurrence counter or an effect has taken.",
		"Give each its own key, in loops with Key(name, identity).", false},
	{CodeNested, "a question or an effect inside an effect",
		"The function given to Once asked a question or called Once.",
		"Ask before, and give Once only the effect.", false},
	{CodeWrongGoroutine, "an effect on a goroutine that is not the handler's",
		"Once was called on a goroutine that the handler started, where the order of effects is not the same in each run.",
		"Call Once on the handler's own goroutine.", false},
	{CodeNothingPending, "an input-required result without a question",
		"The handler returned InputRequired, but nothing is pending in its context.",
		"Return it only where Pending reports true, with the context of the same request.", false},
	{CodeClosed, "a continuation used after its request ended",
		"A context was kept beyond its request, or a goroutine outlived its handler.",
		"Use the context of the running request, and wait for goroutines before returning.", false},
	{CodeForeignGoexit, "the handler ended its goroutine",
		"The handler, or something it called, ran runtime.Goexit (or a testing FailNow) and nothing was pending.",
		"Return an error instead.", false},
	{CodeNotSerialisable, "a value that JSON cannot carry",
		"A question, a fact, an identity or the result of an effect cannot be written as JSON, or reads back as something else.",
		"Use plain data: exported fields, no functions, channels or interfaces.", false},
	{CodeUnwinding, "a question from a deferred function of a suspended handler",
		"The handler was unwinding because a question is unanswered, and a deferred function asked another one. It was refused.",
		"Do not ask in deferred functions.", false},
	{CodeRounds, "too many rounds",
		"The operation needs more rounds than Limits.Rounds.",
		"Ask several things in one question, or split the operation.", false},
	{CodeStateSize, "the state of the operation is too large",
		"The answers and results so far do not fit into requestState.",
		"Ask for less, and keep large values on the server.", false},
	{CodeCapability, "the client does not support this input",
		"The request's own capabilities do not cover the question. This is not a fault: the ask returns a CapabilityError.",
		"Do without the answer, or return the error: the client is then told what it lacks.", true},
	{CodeKey, "a key that cannot be used",
		"A key is empty or holds a character outside a-z, A-Z, 0-9, '_', '.' and '-', or its identity is no plain data.",
		"Use a constant name, and Key for what varies.", false},
	{CodeQuestions, "too many questions",
		"More questions than Limits.AsksPerRound or AsksPerOperation, or more records than Limits.Entries.",
		"Ask several things in one question, or split the operation.", false},
	{CodeCaller, "the caller is authenticated but has no name",
		"A token was verified, but it names no user, so an answer could not be tied to one.",
		"Set TokenInfo.UserID in the token verifier, or Options.Principal.", false},
	{CodeRequest, "the request has no canonical form",
		"The arguments repeat a member name, hold invalid text, or are too large or too deep to be tied to the answers.",
		"Nothing: the client sent an ambiguous request.", true},
	{CodeSeal, "the state of the operation cannot be sealed",
		"The operation has used up its time, or no key is active.",
		"Raise Limits.Operation, or mend the key ring.", false},
	{CodeNative, "an input-required result made by hand",
		"The handler returned InputRequests of its own. Their answers would come back unverified.",
		"Ask through this package, or name the handler in Options.Native.", false},
	{CodeQuestion, "a question that cannot be asked",
		"The parameters of a question are no object, or the mode of an elicitation is neither form nor url.",
		"Give the question the parameters that the protocol describes.", false},
	{CodeUnfinished, "an effect that did not return",
		"The function given to Once panicked, or ended its goroutine, and the handler went on. Whether the effect happened is unknown, so it is neither recorded nor run again.",
		"Return an error from the function; find out from the log of the effect whether it happened.", false},
	{CodeReturned, "the handler returned after a blocking question suspended it",
		"A blocking question was asked on another goroutine, so the handler could not be ended there. What it returned was discarded.",
		"Ask on the handler's own goroutine, or check Pending.", false},
	{CodeLate, "a question after the request ended", "See MRTR1006; this is its log line.",
		"Wait for goroutines before returning.", false},
	{CodeQuestionChanged, "a question changed between rounds",
		"The question under this key, or a fact that it depends on, is not what it was when it was answered. The answer and every later one were dropped, and the question is asked again.",
		"Nothing if the world did change; otherwise keep times and random values out of questions.", false},
	{CodePanicked, "the handler panicked after it was suspended",
		"A panic came after the first unanswered question, so the round ends with the question.",
		"Check Pending or the error right after the ask.", false},
	{CodeLargeState, "the state of the operation is large",
		"requestState is longer than Limits.SealedWarn; clients and proxies may refuse it.",
		"Ask for less, and keep large values on the server.", false},
}

func diagnosticOf(code Code) Diagnostic {
	for _, d := range diagnostics {
		if d.Code == code {
			return d
		}
	}
	return Diagnostic{Code: code, Title: "unknown fault"}
}

// ErrClosed is what every use of a continuation is, for [errors.Is], once its
// request has ended.
var ErrClosed = errors.New("mrtr: the request of this context has ended")

// ErrInputRequired is returned by an ask that has no answer yet. The round ends
// with the question, whatever the handler does with the error.
var ErrInputRequired = errors.New("mrtr: input required")

// A Fault ends an operation because its handler, or the request, cannot be
// replayed safely. Its text never holds an answer, an argument or a token.
type Fault struct {
	Code Code
	Key  string // the key concerned, empty if none
	Err  error  // the cause, nil if none
	// Recorded and Requested tell a divergence: the effects that the journal
	// holds and those that this run reached, by key.
	Recorded, Requested []string
}

func (f *Fault) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", f.Code, diagnosticOf(f.Code).Title)
	if f.Key != "" {
		fmt.Fprintf(&b, " (key %q)", f.Key)
	}
	if f.Recorded != nil || f.Requested != nil {
		fmt.Fprintf(&b, ": recorded %q, this run %q", f.Recorded, f.Requested)
	}
	if f.Err != nil {
		fmt.Fprintf(&b, ": %v", f.Err)
	}
	return b.String()
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// Is makes every fault of a closed continuation an [ErrClosed].
func (f *Fault) Is(target error) bool { return target == ErrClosed && f.Code == CodeClosed }

// Diagnostic returns the entry of the table for f.
func (f *Fault) Diagnostic() Diagnostic { return diagnosticOf(f.Code) }

// An AnswerError is the error that the blocking call of 2025-11-25 gave for an
// answer that is not what was asked for. An ask returns it once repeating the
// question has not helped, or cannot. It may quote the answer, as the old error
// did: it is for the handler, not for a log.
type AnswerError struct{ Text string }

func (e *AnswerError) Error() string { return e.Text }

// An EffectError is the recorded error of a memoised effect: its text is kept
// across rounds, its type is not.
type EffectError struct{ Text string }

func (e *EffectError) Error() string { return e.Text }
