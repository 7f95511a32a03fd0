package answer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mrtr-migrate/mrtr-migrate/internal/canon"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// An InvalidError reports an answer that does not count.
type InvalidError struct {
	// Text is the error that the blocking call of 2025-11-25 gave, or would
	// have given had it looked. It may quote the answer: it is for the handler
	// that asked, never for a log.
	Text string
	// Reason says what was wrong to the one who answered, in one sentence part
	// and without quoting the answer. It is sent with the repeated question.
	Reason string
}

func (e *InvalidError) Error() string { return e.Text }

// A SchemaError reports a requested schema that no answer can be checked
// against. The question itself is wrong, so asking it again would not help.
type SchemaError struct{ Err error }

func (e *SchemaError) Error() string { return e.Err.Error() }
func (e *SchemaError) Unwrap() error { return e.Err }

func invalid(text string) error { return &InvalidError{Text: text, Reason: text} }

// object reads raw as an object with distinct member names.
func object(raw json.RawMessage) (map[string]json.RawMessage, error) {
	if _, err := canon.Canonical(raw); err != nil {
		// The error of canon names a kind of refusal and an offset, no content.
		return nil, invalid(fmt.Sprintf("the answer is not usable JSON: %v", errors.Unwrap(err)))
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil || m == nil {
		return nil, invalid("the answer is not a JSON object")
	}
	return m, nil
}

// absent reports whether a member is missing or null, which are the same here.
func absent(raw json.RawMessage) bool {
	return len(raw) == 0 || bytes.Equal(bytes.TrimSpace(raw), []byte("null"))
}

// text reads raw as a string. JSON null is none.
func text(raw json.RawMessage) (string, bool) {
	if absent(raw) {
		return "", false
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err == nil
}

// keep builds the kept form: the named members of m that are present, and _meta
// if it is an object.
func keep(m map[string]json.RawMessage, names ...string) (json.RawMessage, error) {
	kept := make(map[string]json.RawMessage, len(names)+1)
	for _, name := range append(names, "_meta") {
		if v := m[name]; !absent(v) && (name != "_meta" || isObject(v)) {
			kept[name] = v
		}
	}
	return encode(kept)
}

// encode writes v as compact JSON. It does not escape for HTML, which would let
// an answer grow to six times its size.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), nil
}

func isObject(raw json.RawMessage) bool {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	return len(raw) > 0 && raw[0] == '{'
}

// Roots checks the answer to roots/list: an object whose member roots is an
// array of objects, each with a uri that is not empty.
func Roots(raw json.RawMessage) (json.RawMessage, error) {
	m, err := object(raw)
	if err != nil {
		return nil, err
	}
	var roots []map[string]json.RawMessage
	if absent(m["roots"]) || json.Unmarshal(m["roots"], &roots) != nil {
		return nil, invalid("the answer has no array of roots")
	}
	for _, root := range roots {
		if uri, ok := text(root["uri"]); !ok || uri == "" {
			return nil, invalid("a root of the answer has no uri")
		}
		if name := root["name"]; !absent(name) {
			if _, ok := text(name); !ok {
				return nil, invalid("the name of a root of the answer is no text")
			}
		}
	}
	return keep(m, "roots")
}

// Sampling checks the answer to sampling/createMessage: an object with a role of
// user or assistant, the name of the model, and content that is one block or an
// array of blocks, each of a type that an answer may have.
func Sampling(raw json.RawMessage) (json.RawMessage, error) {
	m, err := object(raw)
	if err != nil {
		return nil, err
	}
	if role, ok := text(m["role"]); !ok || role != "assistant" && role != "user" {
		return nil, invalid("the answer has no role of user or assistant")
	}
	if _, ok := text(m["model"]); !ok {
		return nil, invalid("the answer does not name its model")
	}
	if stop := m["stopReason"]; !absent(stop) {
		if _, ok := text(stop); !ok {
			return nil, invalid("the stop reason of the answer is no text")
		}
	}
	if err := content(m["content"]); err != nil {
		return nil, err
	}
	return keep(m, "role", "model", "stopReason", "content")
}

// content checks the content of a sampling answer.
func content(raw json.RawMessage) error {
	if absent(raw) {
		return invalid("the answer has no content")
	}
	var blocks []map[string]json.RawMessage
	if isObject(raw) {
		blocks = make([]map[string]json.RawMessage, 1)
		if err := json.Unmarshal(raw, &blocks[0]); err != nil {
			return invalid("the content of the answer is no content block")
		}
	} else if err := json.Unmarshal(raw, &blocks); err != nil {
		return invalid("the content of the answer is no array of content blocks")
	}
	for _, b := range blocks {
		if err := block(b); err != nil {
			return err
		}
	}
	return nil
}

// block checks what is fixed for each type of block. A tool_result is the user's
// side of a conversation and cannot answer.
func block(b map[string]json.RawMessage) error {
	typ, _ := text(b["type"])
	need, optional := []string(nil), ""
	switch typ {
	case "text":
		optional = "text" // the old decoder took an absent text for an empty one
	case "image", "audio":
		need = []string{"data", "mimeType"}
	case "tool_use":
		need = []string{"id", "name"}
		if in := b["input"]; !absent(in) && !isObject(in) {
			return invalid("a tool use in the answer has input that is no object")
		}
	default:
		return invalid("a content block of the answer has a type that an answer cannot have")
	}
	for _, name := range need {
		if _, ok := text(b[name]); !ok {
			return invalid(fmt.Sprintf("a content block of type %s in the answer has no %s", typ, name))
		}
	}
	if v := b[optional]; optional != "" && !absent(v) {
		if _, ok := text(v); !ok {
			return invalid(fmt.Sprintf("a content block of type %s in the answer has a %s that is no text", typ, optional))
		}
	}
	return nil
}

// isAction reports whether s is one of the three ways in which a person answers.
func isAction(s string) bool {
	return s == protocol.ActionAccept || s == protocol.ActionDecline || s == protocol.ActionCancel
}
