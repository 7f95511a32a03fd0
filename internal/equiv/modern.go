package equiv

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// retry is what a client of 2026-07-28 adds to its call when it calls again:
// the server's state exactly as it came, and an answer for each question.
type retry struct {
	state     json.RawMessage // nil when the server gave none
	responses map[string]json.RawMessage
}

// playModern plays the script as a client of 2026-07-28.
func (r *run) playModern(ctx context.Context, era Era) error {
	var next retry
	if r.fault == Forged {
		forged, err := r.forge(ctx, era)
		if err != nil {
			return err
		}
		next.responses = forged
	}
	var asked *inputs
	for round := 1; round <= maxRounds; round++ {
		resp, err := r.round(ctx, era, round, asked, next)
		if err != nil {
			return err
		}
		asked = inputRequired(resp)
		if asked == nil {
			r.transcript.Result = newResult(resp)
			return nil
		}
		responses, err := r.answerAll(asked, round)
		if err != nil {
			return err
		}
		if responses == nil {
			// No way to say so: the client just does not call again.
			r.transcript.Result = Result{Outcome: Unanswered}
			return nil
		}
		next = retry{state: asked.state, responses: responses}
	}
	return fmt.Errorf("still asking after %d rounds", maxRounds)
}

// answerAll answers the questions of one round, in the order in which they
// came. It returns nil when one of them cannot be answered.
func (r *run) answerAll(asked *inputs, round int) (map[string]json.RawMessage, error) {
	responses := make(map[string]json.RawMessage)
	for _, key := range asked.keys {
		var req struct {
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
		}
		if err := json.Unmarshal(asked.requests[key], &req); err != nil {
			return nil, fmt.Errorf("input request %q: %w", key, err)
		}
		a, err := r.ask(req.Method, req.Params, round, true)
		if err != nil {
			return nil, err
		}
		if a == nil || a.Failure != nil {
			return nil, nil
		}
		responses[key] = a.Result
	}
	if r.fault == Unexpected {
		responses["nobody.asked"] = json.RawMessage(`{"action":"accept","content":{"confirm":true,"agree":true}}`)
		responses["nobody.knows"] = json.RawMessage(`{"surprise":[1,2,3]}`)
	}
	return responses, nil
}

// lastWithheld is the last round that is sent without its answers first. Each
// time costs a round of the few that a server allows.
const lastWithheld = 3

// round sends one round, as the fault has it, and returns the response that
// the client goes on with. asked is what the round before asked for.
func (r *run) round(ctx context.Context, era Era, round int, asked *inputs, next retry) (*Message, error) {
	withheld := r.fault == Withheld && round > 1 && round <= lastWithheld
	if withheld {
		resp, err := r.send(ctx, era, round, retry{state: next.state}, false)
		if err != nil {
			return nil, err
		}
		again := inputRequired(resp)
		if again == nil {
			r.breach("rule 17: an answer that is missing is asked for again", "%s%s", resp.Result, errorText(resp))
			return resp, nil
		}
		if !again.like(asked) {
			// Another question by now, so the answers are of no use for it.
			return resp, nil
		}
		next.state = again.state
	}
	first, err := r.send(ctx, era, round, next, withheld)
	if err != nil {
		return nil, err
	}
	again := r.fault == Doubled ||
		r.fault == FirstLost && round == 1 ||
		r.fault == LastLost && inputRequired(first) == nil
	if !again {
		return first, nil
	}
	second, err := r.send(ctx, era, round, next, true)
	if err != nil {
		return nil, err
	}
	a, b := inputRequired(first), inputRequired(second)
	switch {
	case a == nil:
		r.transcript.Repeats = append(r.transcript.Repeats, newResult(second))
		return first, nil
	case a != nil && b != nil && !r.script.EffectFirst && !a.same(b):
		r.breach("a round that is sent again asks the same", "%v, then %v", a.requests, b.requests)
	}
	if r.fault == FirstLost || round%2 == 1 {
		return second, nil
	}
	return first, nil
}

// send sends one request and holds what comes back against the rules.
func (r *run) send(ctx context.Context, era Era, round int, next retry, again bool) (*Message, error) {
	instance := 0
	if r.fault != None && era == Modern {
		instance = r.sends % 2
	}
	r.sends++
	c, err := r.modernConn(ctx, era, instance)
	if err != nil {
		return nil, err
	}
	params := r.script.Call.params()
	params["_meta"] = mustJSON(map[string]any{
		protocol.MetaProtocolVersion:    protocol.Revision20260728,
		protocol.MetaClientInfo:         clientInfo,
		protocol.MetaClientCapabilities: r.capabilities,
	})
	if next.state != nil {
		params["requestState"] = next.state
	}
	if next.responses != nil {
		params["inputResponses"] = mustJSON(next.responses)
	}
	req := &Message{Version: "2.0", ID: r.fleet.id(), Method: r.script.Call.Method, Params: mustJSON(params)}
	check := func(m *Message) *Message {
		r.transcript.Breaches = append(r.transcript.Breaches, checkModern(m, req.Method, r.capabilities)...)
		if !m.isRequest() {
			return nil
		}
		return &Message{Version: "2.0", ID: m.ID, Error: &Error{Code: protocol.CodeMethodNotFound, Message: "Method not found"}}
	}
	resp, err := r.exchange(ctx, c, req, round, instance, again, check)
	if err != nil {
		return nil, err
	}
	check(resp)
	return resp, nil
}

func (r *run) modernConn(ctx context.Context, era Era, instance int) (conn, error) {
	if era == Modern {
		return r.fleet.modernConn(ctx, instance)
	}
	if r.fleet.Transport != Stdio {
		return nil, errors.New("only a stdio connection mixes revisions")
	}
	return r.fleet.legacyConn(ctx, r.capabilities, protocol.Revision20251125)
}

// inputs is what an input_required result asks for.
type inputs struct {
	keys     []string // as they stand
	requests map[string]json.RawMessage
	state    json.RawMessage // nil when there is none
}

// inputRequired returns what the response asks for, or nil if the operation
// has ended.
func inputRequired(m *Message) *inputs {
	if m.Result == nil {
		return nil
	}
	_, fields, err := object(m.Result)
	if err != nil {
		return nil
	}
	var kind string
	if json.Unmarshal(fields["resultType"], &kind) != nil || kind != protocol.ResultInputRequired {
		return nil
	}
	in := &inputs{state: fields["requestState"]}
	if raw, ok := fields["inputRequests"]; ok {
		if in.keys, in.requests, err = object(raw); err != nil {
			return nil
		}
	}
	return in
}

// same reports whether both ask the same questions under the same keys.
func (in *inputs) same(other *inputs) bool {
	return maps.EqualFunc(in.requests, other.requests, func(a, b json.RawMessage) bool {
		return canonical(a) == canonical(b)
	})
}

// like reports whether both ask the same under the same keys, but for a remark
// about the last answer.
func (in *inputs) like(other *inputs) bool {
	return maps.EqualFunc(in.requests, other.requests, func(a, b json.RawMessage) bool {
		p, q := requestQuestion(a), requestQuestion(b)
		return p.form() == q.form() && withoutRemark(p.Text()) == withoutRemark(q.Text())
	})
}

// withoutRemark returns a question's text without a last paragraph in
// parentheses, which is where servers say why they ask again.
func withoutRemark(text string) string {
	if i := strings.LastIndex(text, "\n\n("); i >= 0 && strings.HasSuffix(text, ")") {
		return text[:i]
	}
	return text
}

// requestQuestion returns the question of an input request.
func requestQuestion(raw json.RawMessage) Question {
	var req struct {
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	// What does not parse is a question without text.
	_ = json.Unmarshal(raw, &req)
	return newQuestion(req.Method, req.Params)
}

// errorText returns the error of a response, if it is one.
func errorText(m *Message) string {
	if m.Error == nil {
		return ""
	}
	return m.Error.Error()
}
