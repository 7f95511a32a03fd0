package rewrite

// A Diagnostic describes, for people, a code that only markers of the rewriter
// bear. The other codes in markers are the analyzer's.
type Diagnostic struct {
	Code    string
	Title   string // a few words
	Meaning string // why the handler stays as it is
	Do      string // what its author does about it
}

// Diagnostics returns these codes, in order.
func Diagnostics() []Diagnostic {
	return []Diagnostic{
		{
			Code:  codeDefer,
			Title: "what belongs to the end of a call happens in each round",
			Meaning: `A handler that asks runs once for each round, and each of its runs ends where
a question is not answered yet. A deferred effect would happen at the end of
every round. What releases a lock or closes a file only behind the question
would not happen at all in a round that ends there. A question in a deferred
call comes after the result is decided.`,
			Do: `Defer what releases, call effects where the work is done, and ask before the
function returns. Then run the rewrite again.`,
		},
		{
			Code:  codeContext,
			Title: "a question that cannot be tied to its request",
			Meaning: `The answer to a question is found through the context of the request, but no
variable that comes from the handler's context is at hand where it is asked,
or right behind it.`,
			Do: `Pass the handler's context down to where the question is asked, in a variable
that keeps its name and its value. Then run the rewrite again.`,
		},
	}
}
