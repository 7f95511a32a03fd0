package shim

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/mrtr-migrate/mrtr-migrate/internal/canon"
	"github.com/mrtr-migrate/mrtr-migrate/shim/answer"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// A Kind is one of the three things that a server may ask of its client.
type Kind uint8

// The kinds of questions.
const (
	Elicitation Kind = iota + 1
	Sampling
	Roots
)

// Method returns the method of a question of this kind, empty for an unknown kind.
func (k Kind) Method() string {
	switch k {
	case Elicitation:
		return protocol.MethodElicit
	case Sampling:
		return protocol.MethodCreateMessage
	case Roots:
		return protocol.MethodListRoots
	}
	return ""
}

// An Ask is one question of a handler.
type Ask struct {
	// Key names the place in the handler: a constant, with [Key] in loops. The
	// path of the context, see [At], is put before it. The second ask of a key
	// in one run is told apart by an occurrence counter.
	Key  string
	Kind Kind
	// Params are the parameters as the blocking call would have sent them.
	Params json.RawMessage
	// Facts decide what the answer is for, even where the question does not
	// show them. An answer counts only for the facts that it was given under.
	Facts []json.RawMessage
	// Check is the binding's own view of an answer that is otherwise good, such
	// as its decoder; nil means none. It is called at most once for an answer,
	// under a lock: it must not use the continuation.
	Check func(json.RawMessage) error
}

// An ask is a question ready to be looked up and sent.
type ask struct {
	key      string
	kind     Kind
	need     need
	params   map[string]json.RawMessage // as sent
	schema   json.RawMessage            // as the handler gave it, nil if it did not
	check    func(json.RawMessage) error
	digest   [16]byte
	attempts uint8  // how often it has been asked again
	reason   string // why it is, empty if it is not or nobody knows any more
}

// prepare gives a question the form in which the revision wants it, and its
// digest.
func (a Ask) prepare(key string, at place) (*ask, *Fault) {
	q, err := a.form(key)
	if err != nil {
		return nil, &Fault{Code: CodeQuestion, Key: key, Err: err}
	}
	if err := q.sum(at, a.Facts); err != nil {
		return nil, &Fault{Code: CodeNotSerialisable, Key: key, Err: err}
	}
	return q, nil
}

func (a Ask) form(key string) (*ask, error) {
	q := &ask{key: key, kind: a.Kind, check: a.Check}
	if len(a.Params) > 0 {
		m, ok := objectAt(a.Params)
		if !ok {
			return nil, errors.New("the parameters are not a JSON object")
		}
		q.params = m
	} else {
		q.params = map[string]json.RawMessage{}
	}
	// Parameters of the old request that are gone (what differs from
	// 2025-11-25); the id of an elicitation also differs in each run.
	for _, gone := range []string{"task", "elicitationId"} {
		if gone == "elicitationId" && a.Kind == Elicitation && q.params["mode"] == nil && !null(q.params[gone]) {
			q.params["mode"] = json.RawMessage(`"url"`)
		}
		delete(q.params, gone)
	}
	switch a.Kind {
	case Elicitation:
		if err := q.elicitation(); err != nil {
			return nil, err
		}
	case Sampling:
		q.sampling()
	case Roots:
		q.roots()
	default:
		return nil, fmt.Errorf("unknown kind of question %d", a.Kind)
	}
	return q, nil
}

func (q *ask) elicitation() error {
	delete(q.params, "_meta")
	mode := protocol.ModeForm
	if raw := q.params["mode"]; !null(raw) {
		if err := json.Unmarshal(raw, &mode); err != nil {
			return errors.New("the mode of an elicitation is no text")
		}
	}
	if mode == "" || null(q.params["mode"]) {
		mode = protocol.ModeForm
		if url := q.params["url"]; !null(url) && string(url) != `""` {
			mode = protocol.ModeURL
		}
	}
	q.params["mode"], _ = json.Marshal(mode)
	q.schema = q.params["requestedSchema"]
	switch mode {
	case protocol.ModeForm:
		if null(q.schema) {
			q.params["requestedSchema"] = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		q.need = needForm
	case protocol.ModeURL:
		if null(q.schema) {
			delete(q.params, "requestedSchema")
		}
		q.need = needURL
	default:
		return fmt.Errorf("unsupported elicitation mode: %q", mode)
	}
	return nil
}

func (q *ask) sampling() {
	delete(q.params, "_meta")
	if null(q.params["messages"]) {
		q.params["messages"] = json.RawMessage(`[]`)
	}
	q.need = needSampling
	if tools := q.params["tools"]; !null(tools) && string(bytes.TrimSpace(tools)) != "[]" || !null(q.params["toolChoice"]) {
		q.need = needTools
	}
}

func (q *ask) roots() {
	q.need = needRoots
	if meta, ok := objectAt(q.params["_meta"]); ok {
		delete(meta, "progressToken")
		if len(meta) > 0 {
			q.params["_meta"], _ = json.Marshal(meta)
			return
		}
	}
	delete(q.params, "_meta")
}

func null(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) == 0 || string(raw) == "null"
}

// sum computes the digest of the rendered question, its facts and its place. It
// covers the kind, so that two kinds never share an answer.
func (q *ask) sum(at place, facts []json.RawMessage) error {
	params, err := json.Marshal(q.params)
	if err != nil {
		return err
	}
	h := sha256.New()
	h.Write([]byte("mrtr-migrate/v1/question\x00"))
	field := func(b []byte) {
		h.Write(binary.BigEndian.AppendUint32(nil, uint32(len(b))))
		h.Write(b)
	}
	field([]byte(q.kind.Method()))
	field(at.id[:])
	for _, raw := range append([]json.RawMessage{params}, facts...) {
		form, err := canon.Canonical(raw)
		if err != nil {
			return err
		}
		field(form)
	}
	copy(q.digest[:], h.Sum(nil))
	return nil
}

// accept checks an answer and returns it as it is kept. The kind is that of the
// question, whatever the answer looks like.
func (q *ask) accept(raw json.RawMessage, limit int) (json.RawMessage, error) {
	tooLarge := &answer.InvalidError{Text: "the answer is too large", Reason: "it is too large"}
	if len(raw) > limit {
		return nil, tooLarge
	}
	var value json.RawMessage
	var err error
	switch q.kind {
	case Elicitation:
		value, err = answer.Elicitation(raw, q.schema)
	case Sampling:
		value, err = answer.Sampling(raw)
	case Roots:
		value, err = answer.Roots(raw)
	}
	if err != nil {
		return nil, err
	}
	if len(value) > limit {
		return nil, tooLarge
	}
	if q.check != nil {
		if err := q.check(value); err != nil {
			return nil, &answer.InvalidError{Text: err.Error(), Reason: "it cannot be read"}
		}
	}
	return value, nil
}

// wire returns the parameters to send: those of the question, and in the message
// of an elicitation why it is asked again.
func (q *ask) wire() json.RawMessage {
	params := q.params
	var message string
	if q.attempts > 0 && q.kind == Elicitation && json.Unmarshal(params["message"], &message) == nil {
		why := "."
		if q.reason != "" { // else the reason was given in an earlier round
			why = ": " + q.reason + "."
		}
		params = maps.Clone(params)
		params["message"], _ = json.Marshal(message + "\n\n(The previous answer was not accepted" + why + ")")
	}
	raw, err := json.Marshal(params)
	if err != nil {
		return json.RawMessage(`{}`) // not reached: sum has marshalled the same values
	}
	return raw
}
