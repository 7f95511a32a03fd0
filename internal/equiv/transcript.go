package equiv

import (
	"encoding/json"

	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// Question is something that the server asked its client.
type Question struct {
	// Kind is elicitation/create, sampling/createMessage or roots/list.
	Kind string
	// Params are the question's parameters as canonical JSON, without what
	// only one of the two revisions has.
	Params string
	// Round is the number of the request, counted from 1, that the question
	// came with. Always 1 where the question was put while the call was open.
	Round int
	// batched says that all questions of the round came at once.
	batched bool
	// Effects is how many effects had happened when it was asked.
	Effects int
	// Answer is the index of the script's answer to it, or -1 if the script
	// had none.
	Answer int
}

// newQuestion normalises a question: the default mode is left out, and so is
// _meta, where the older revision keeps its progress tokens.
func newQuestion(method string, params json.RawMessage) Question {
	q := Question{Kind: method, Params: "{}", Answer: -1}
	if !present(params) {
		return q // none and empty are the same
	}
	_, fields, err := object(params)
	if err != nil {
		q.Params = canonical(params)
		return q
	}
	delete(fields, "_meta")
	delete(fields, "task")
	var mode string
	if json.Unmarshal(fields["mode"], &mode) == nil && mode == protocol.ModeForm {
		delete(fields, "mode")
	}
	q.Params = canonical(mustJSON(fields))
	return q
}

// Text returns what the person or the model reads.
func (q Question) Text() string {
	var p struct {
		Message  string `json:"message"`
		Messages []struct {
			Content struct {
				Text string `json:"text"`
			} `json:"content"`
		} `json:"messages"`
	}
	if json.Unmarshal([]byte(q.Params), &p) != nil {
		return ""
	}
	if p.Message == "" && len(p.Messages) > 0 {
		return p.Messages[len(p.Messages)-1].Content.Text
	}
	return p.Message
}

// form returns the question without its text: the schema and whatever else
// decides what an answer looks like.
func (q Question) form() string {
	_, fields, err := object(json.RawMessage(q.Params))
	if err != nil {
		return q.Params
	}
	delete(fields, "message")
	delete(fields, "messages")
	return q.Kind + " " + canonical(mustJSON(fields))
}

func (q Question) String() string { return q.Kind + " " + q.Params }

// Outcome says how an operation ended.
type Outcome string

const (
	// Returned: with a result.
	Returned Outcome = "result"
	// Refused: with a JSON-RPC error.
	Refused Outcome = "error"
	// Unanswered: the client had no way to answer and did not call again.
	Unanswered Outcome = "unanswered"
)

// Result is how an operation ended, normalised: without resultType, _meta
// (which names the server) and cache hints, none of which an older revision
// has.
type Result struct {
	Outcome Outcome
	// Body is the result or the error as canonical JSON.
	Body string
}

// newResult normalises a response.
func newResult(m *Message) Result {
	if m.Error != nil {
		return Result{Outcome: Refused, Body: canonical(mustJSON(m.Error))}
	}
	_, fields, err := object(m.Result)
	if err != nil {
		return Result{Outcome: Returned, Body: canonical(m.Result)}
	}
	for _, field := range []string{"resultType", "_meta", "ttlMs", "cacheScope"} {
		delete(fields, field)
	}
	return Result{Outcome: Returned, Body: canonical(mustJSON(fields))}
}

// Failed reports whether the operation ended in anything but success: an
// error, a tool's own error, or no answer.
func (r Result) Failed() bool {
	if r.Outcome != Returned {
		return true
	}
	var body struct {
		IsError bool `json:"isError"`
	}
	return json.Unmarshal([]byte(r.Body), &body) != nil || body.IsError
}

func (r Result) String() string {
	if r.Outcome == Unanswered {
		return string(r.Outcome)
	}
	return string(r.Outcome) + " " + r.Body
}

// Send is one request of a client.
type Send struct {
	// Round is the number of the round, counted from 1. A round that is sent
	// again keeps its number.
	Round int
	// Again says that the same round had been sent before.
	Again bool
	// Instance is the program instance that served it.
	Instance int
	// Effects are what it did.
	Effects []string
}

// Transcript is all that an outsider can see of one run of a script.
type Transcript struct {
	Questions []Question
	Result    Result
	// Effects are the lines of the program's log of effects, in order.
	Effects []string
	// Sends are the client's requests, in order. Without a fault there is one
	// per round.
	Sends []Send
	// Repeats are the results of a last round that was sent again.
	Repeats []Result
	// Breaches are the messages that broke a rule of their revision.
	Breaches []Breach
	// Stuck is a question that the script has no answer for.
	Stuck *Question
}

// Rounds returns how many rounds the operation took.
func (t *Transcript) Rounds() int {
	if len(t.Sends) == 0 {
		return 0
	}
	return t.Sends[len(t.Sends)-1].Round
}
