package shim

import (
	"encoding/json"
	"slices"

	"github.com/mrtr-migrate/mrtr-migrate/shim/state"
)

// A journal is what is known of earlier rounds, oldest first, and which of it
// this run has come to. Entries of this run are appended, and reached.
type journal struct {
	entries []state.Entry
	reached []bool
}

// find returns the index of the entry of that kind and key, -1 if there is none.
func (j *journal) find(kind state.EntryKind, key string) int {
	return slices.IndexFunc(j.entries, func(e state.Entry) bool { return e.Kind == kind && e.Key == key })
}

func (j *journal) append(e state.Entry) {
	j.entries = append(j.entries, e)
	j.reached = append(j.reached, true)
}

// drop forgets the entry at i and every later one: an old approval must not
// survive the change of an earlier answer. It reports whether an effect was among
// them, which cannot be forgotten.
func (j *journal) drop(i int) (effect bool) {
	effect = slices.ContainsFunc(j.entries[i:], func(e state.Entry) bool { return e.Kind == state.EntryEffect })
	j.entries, j.reached = j.entries[:i:i], j.reached[:i:i]
	return effect
}

// unreachedEffect reports whether an effect before the entry at i has not been
// reached in this run.
func (j *journal) unreachedEffect(i int) bool {
	for k, e := range j.entries[:i] {
		if e.Kind == state.EntryEffect && !j.reached[k] {
			return true
		}
	}
	return false
}

// answers counts the entries that are answers.
func (j *journal) answers() (n int) {
	for _, e := range j.entries {
		if e.Kind == state.EntryAnswer {
			n++
		}
	}
	return n
}

// divergence describes how this run differs from the record. The key is that of
// the effect or question at which it was noticed.
func (j *journal) divergence(key string) *Fault {
	f := &Fault{Code: CodeDivergence, Key: key, Recorded: []string{}, Requested: []string{}}
	for k, e := range j.entries {
		if e.Kind != state.EntryEffect {
			continue
		}
		f.Recorded = append(f.Recorded, e.Key)
		if j.reached[k] {
			f.Requested = append(f.Requested, e.Key)
		}
	}
	if key != "" {
		f.Requested = append(f.Requested, key)
	}
	return f
}

// remove forgets the entry at i alone.
func (j *journal) remove(i int) {
	j.entries = slices.Delete(slices.Clone(j.entries), i, i+1)
	j.reached = slices.Delete(slices.Clone(j.reached), i, i+1)
}

// An answer is kept as the object that it is. In its place there may be the text
// of an error, as a JSON string, if it was refused for good, or an array of what
// the peer sent, if nobody has looked at that yet.

func unread(raw json.RawMessage) json.RawMessage {
	return slices.Concat(json.RawMessage{'['}, raw, json.RawMessage{']'})
}

func unreadAnswer(value json.RawMessage) (raw json.RawMessage, ok bool) {
	if len(value) < 2 || value[0] != '[' {
		return nil, false
	}
	return value[1 : len(value)-1], true
}

func refusal(text string) json.RawMessage {
	raw, err := json.Marshal(text)
	if err != nil {
		return json.RawMessage(`""`)
	}
	return raw
}

func unpackAnswer(value json.RawMessage) (json.RawMessage, error) {
	if len(value) > 0 && value[0] == '"' {
		var text string
		if err := json.Unmarshal(value, &text); err != nil {
			return nil, err
		}
		return nil, &AnswerError{Text: text}
	}
	return value, nil
}
