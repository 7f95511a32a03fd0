package equiv

import (
	"encoding/json"
	"strings"

	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// Script is one call and everything that its client answers on the way. The
// same script drives clients of both eras.
type Script struct {
	// Handler is the tool, prompt or resource that the script is about, and
	// Name says what happens in it: "decline", "list shrinks".
	Handler, Name string

	Call Call

	// Capabilities is what the client declares, as JSON. Nil declares
	// everything: both modes of elicitation, sampling with tools, and roots.
	Capabilities json.RawMessage

	// Answers are given in this order: a question takes the first answer that
	// is not used yet and that is meant for it.
	Answers []Answer

	// Changes are what happens to the world while the client is being asked.
	Changes []Change

	// EffectFirst says that the handler has an effect before its first
	// question, so that [FirstEffectAgain] may occur.
	EffectFirst bool

	// FailOpen says that in this script the original goes on although its
	// question failed, so that [FailOpenClosed] must occur.
	FailOpen bool

	// Masks are regular expressions. What they match in questions, results
	// and effects is not compared: names that the server draws anew, say.
	Masks []string

	// Manual says that the handler cannot be rewritten automatically. Its
	// scripts must agree on the old revision; on the new one the handler must
	// fail without an effect.
	Manual bool
}

// Title returns the script's full name, as in "release_app/decline".
func (s *Script) Title() string { return s.Handler + "/" + s.Name }

// Call is the request that a script is about.
type Call struct {
	// Method is one of tools/call, prompts/get and resources/read.
	Method string
	// Target is the tool's or prompt's name, or the resource's URI.
	Target string
	// Arguments are the arguments of a tool or prompt, as JSON; nil for none.
	Arguments json.RawMessage
}

// params returns the request's params without any of the metadata of a
// revision.
func (c Call) params() map[string]json.RawMessage {
	key := "name"
	if c.Method == protocol.MethodReadResource {
		key = "uri"
	}
	params := map[string]json.RawMessage{key: mustJSON(c.Target)}
	if c.Arguments != nil {
		params["arguments"] = c.Arguments
	}
	return params
}

// Answer is what the client says to one question. Build it with [Accept],
// [AcceptEmpty], [Decline], [Cancel], [Sampled], [Roots] or [Fail].
type Answer struct {
	// Kind is the method of the questions that it is meant for; empty for any.
	Kind string
	// To is part of the text of those questions; empty for any.
	To string
	// Result is the answer. Nil means that the client fails with Failure.
	Result  json.RawMessage
	Failure *Error
	// Void says why the new revision does not count this answer and asks the
	// same thing again: [RefusedAskedAgain], [EmptyAskedAgain] or
	// [RewordedAskedAgain]. Zero for an answer that counts.
	Void Rule
}

// About returns the answer for questions that contain text only.
func (a Answer) About(text string) Answer {
	a.To = text
	return a
}

// Voided returns the answer as one that the new revision asks for again.
func (a Answer) Voided(rule Rule) Answer {
	a.Void = rule
	return a
}

// Accept accepts an elicitation with the given content.
func Accept(content map[string]any) Answer {
	return Answer{Kind: protocol.MethodElicit, Result: mustJSON(map[string]any{
		"action":  protocol.ActionAccept,
		"content": content,
	})}
}

// AcceptEmpty accepts an elicitation without any content.
func AcceptEmpty() Answer {
	return Answer{Kind: protocol.MethodElicit, Result: mustJSON(map[string]any{"action": protocol.ActionAccept})}
}

// Decline says no to an elicitation.
func Decline() Answer {
	return Answer{Kind: protocol.MethodElicit, Result: mustJSON(map[string]any{"action": protocol.ActionDecline})}
}

// Cancel closes an elicitation without a decision.
func Cancel() Answer {
	return Answer{Kind: protocol.MethodElicit, Result: mustJSON(map[string]any{"action": protocol.ActionCancel})}
}

// Sampled answers a sampling request with text.
func Sampled(text string) Answer {
	return Answer{Kind: protocol.MethodCreateMessage, Result: mustJSON(map[string]any{
		"role":       "assistant",
		"model":      "script",
		"stopReason": "endTurn",
		"content":    map[string]any{"type": "text", "text": text},
	})}
}

// Roots answers a request for the client's roots.
func Roots(uris ...string) Answer {
	roots := make([]map[string]string, len(uris))
	for i, uri := range uris {
		roots[i] = map[string]string{"uri": uri}
	}
	return Answer{Kind: protocol.MethodListRoots, Result: mustJSON(map[string]any{"roots": roots})}
}

// Fail answers with a JSON-RPC error.
func Fail(code int, message string) Answer {
	return Answer{Failure: &Error{Code: code, Message: message}}
}

// answers reports whether the answer is meant for the question.
func (a Answer) answers(q Question) bool {
	return (a.Kind == "" || a.Kind == q.Kind) && strings.Contains(q.Text(), a.To)
}

// label returns the answer in a word or two, for people.
func (a Answer) label() string {
	if a.Failure != nil {
		return "error " + a.Failure.Message
	}
	var r struct {
		Action  string          `json:"action"`
		Content json.RawMessage `json:"content"`
		Roots   []struct {
			URI string `json:"uri"`
		} `json:"roots"`
	}
	if err := json.Unmarshal(a.Result, &r); err != nil {
		return string(a.Result)
	}
	switch {
	case r.Roots != nil:
		uris := make([]string, len(r.Roots))
		for i, root := range r.Roots {
			uris[i] = root.URI
		}
		return "roots " + strings.Join(uris, " ")
	case a.Kind == protocol.MethodCreateMessage:
		var c struct {
			Text string `json:"text"`
		}
		if json.Unmarshal(r.Content, &c) == nil {
			return "model " + c.Text
		}
	case len(r.Content) > 0:
		return r.Action + " " + string(r.Content)
	}
	return r.Action
}

// Change is something that happens to the world between a question and its
// answer.
type Change struct {
	// Before is the number of the question, counted from 1, before whose
	// answer the change happens.
	Before int
	// Do changes the records in the program's data directory.
	Do func(dir string) error
}

// settled returns the script without the answers that the new revision asks
// for again, if one follows that counts. What the original does with those
// answers is what a rewritten handler must end with.
func (s *Script) settled() *Script {
	kept := *s
	kept.Answers = nil
	for i, a := range s.Answers {
		if a.Void == 0 || !s.followed(i) {
			kept.Answers = append(kept.Answers, a)
		}
	}
	return &kept
}

// followed reports whether an answer that counts follows the void one at i,
// meant for the same question.
func (s *Script) followed(i int) bool {
	for _, a := range s.Answers[i+1:] {
		if a.Void == 0 && a.Kind == s.Answers[i].Kind && a.To == s.Answers[i].To {
			return true
		}
	}
	return false
}

// player hands out a script's answers and makes its changes, for one run.
type player struct {
	script *Script
	dir    string
	used   []bool
	asked  int
}

func newPlayer(s *Script, dir string) *player {
	return &player{script: s, dir: dir, used: make([]bool, len(s.Answers))}
}

// change makes the changes that are due before the next question is answered.
func (p *player) change() error {
	p.asked++
	for _, c := range p.script.Changes {
		if c.Before == p.asked {
			if err := c.Do(p.dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// answer returns the index of the answer to the question, or -1.
func (p *player) answer(q Question) int {
	for i, a := range p.script.Answers {
		if !p.used[i] && a.answers(q) {
			p.used[i] = true
			return i
		}
	}
	return -1
}

// mustJSON encodes a value that this package built itself.
func mustJSON(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // a string, or a map of what a script's author wrote
	}
	return data
}
