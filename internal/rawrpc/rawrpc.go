// Package rawrpc reads JSON-RPC messages without decoding their values.
//
// What stands in front of an SDK has to look at a message's method and
// metadata, and sometimes to take one field out, while every other byte goes
// on as it came: a number that a decoder would round, or the order of a
// client's keys, is the client's. So an object is split into its members, and
// a member's value stays the text that was sent.
//
// A peer's message is hostile. Two readers of one message must not see two
// messages: text after the message, and a repeated key among those that decide
// how a message is treated, are errors here, though decoders accept both and
// differ in which of the two keys wins.
package rawrpc

import (
	"bytes"
	"encoding/json"
	"errors"
)

// The errors of this package say what is wrong and never quote the message.
var (
	// ErrSyntax is returned for text that is not one JSON value.
	ErrSyntax = errors.New("rawrpc: the message is not one JSON value")
	// ErrShape is returned for JSON that is not a JSON-RPC message or a
	// non-empty batch of them.
	ErrShape = errors.New("rawrpc: the JSON is not a JSON-RPC message")
	// ErrRepeated is returned for an object that has a key twice where that
	// leaves open what is meant.
	ErrRepeated = errors.New("rawrpc: a key is repeated")
)

// A Member is one key of a JSON object and its value as it was sent.
type Member struct {
	// Name is the key, decoded: two spellings of one key have one name.
	Name string
	// Value is the value's text.
	Value json.RawMessage
}

// Members splits a JSON object into its members, in their order. A repeated
// key appears as often as it stands there. Anything but one JSON object is an
// error: ErrSyntax or ErrShape.
func Members(object []byte) ([]Member, error) {
	if !json.Valid(object) {
		return nil, ErrSyntax
	}
	dec := json.NewDecoder(bytes.NewReader(object))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, ErrShape
	}
	var members []Member
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, ErrSyntax
		}
		name, ok := key.(string)
		if !ok {
			return nil, ErrSyntax
		}
		m := Member{Name: name}
		if err := dec.Decode(&m.Value); err != nil {
			return nil, ErrSyntax
		}
		members = append(members, m)
	}
	return members, nil
}

// Object writes members as a JSON object, the opposite of Members.
func Object(members []Member) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(String(m.Name))
		b.WriteByte(':')
		b.Write(m.Value)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// String writes s as a JSON string. Bytes that are not UTF-8 become U+FFFD.
func String(s string) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return json.RawMessage(`""`) // a string can always be encoded
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// Find returns the value of the member called name, nil when there is none,
// and ErrRepeated when there are several.
func Find(members []Member, name string) (json.RawMessage, error) {
	var value json.RawMessage
	for _, m := range members {
		if m.Name != name {
			continue
		}
		if value != nil {
			return nil, ErrRepeated
		}
		value = m.Value
	}
	return value, nil
}

// IsNull reports whether value is absent or the JSON null.
func IsNull(value json.RawMessage) bool {
	return len(value) == 0 || string(bytes.TrimSpace(value)) == "null"
}

// IsObject reports whether value starts as a JSON object does.
func IsObject(value json.RawMessage) bool {
	return startsWith(value, '{')
}

// IsString reports whether value starts as a JSON string does.
func IsString(value json.RawMessage) bool {
	return startsWith(value, '"')
}

func startsWith(value json.RawMessage, b byte) bool {
	trimmed := bytes.TrimLeft(value, " \t\r\n")
	return len(trimmed) > 0 && trimmed[0] == b
}

// Depth returns how deeply the arrays and objects of value nest. It does not
// check value otherwise.
func Depth(value []byte) int {
	var depth, deepest int
	var inString, escaped bool
	for _, b := range value {
		switch {
		case escaped:
			escaped = false
		case inString:
			escaped = b == '\\'
			inString = b != '"'
		case b == '"':
			inString = true
		case b == '{' || b == '[':
			depth++
			deepest = max(deepest, depth)
		case b == '}' || b == ']':
			depth--
		}
	}
	return deepest
}
