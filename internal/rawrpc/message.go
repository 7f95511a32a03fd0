package rawrpc

import (
	"bytes"
	"encoding/json"
)

// A Message is one JSON-RPC message: a call, a notification or a response.
type Message struct {
	// ID is the text of the message's id, nil when it has none or null.
	ID json.RawMessage
	// Method is the message's method, empty for a response.
	Method string
	// Params is the text of the message's params, nil when it has none.
	Params json.RawMessage

	members []Member
	request bool
}

// IsRequest reports whether m is a call or a notification.
func (m *Message) IsRequest() bool { return m.request }

// IsCall reports whether m is a request that expects a response.
func (m *Message) IsCall() bool { return m.request && m.ID != nil }

// SetParams replaces the message's params, which it must have.
func (m *Message) SetParams(params json.RawMessage) {
	m.Params = params
	for i := range m.members {
		if m.members[i].Name == "params" {
			m.members[i].Value = params
		}
	}
}

// Parse reads a message, or a batch of messages, from the text of a frame or a
// request's body.
func Parse(text []byte) (messages []*Message, batch bool, err error) {
	if !json.Valid(text) {
		return nil, false, ErrSyntax
	}
	if !startsWith(text, '[') {
		m, err := parse(text)
		if err != nil {
			return nil, false, err
		}
		return []*Message{m}, false, nil
	}
	var parts []json.RawMessage
	if err := json.Unmarshal(text, &parts); err != nil {
		return nil, true, ErrSyntax
	}
	if len(parts) == 0 {
		return nil, true, ErrShape
	}
	for _, part := range parts {
		m, err := parse(part)
		if err != nil {
			return nil, true, err
		}
		messages = append(messages, m)
	}
	return messages, true, nil
}

func parse(text []byte) (*Message, error) {
	members, err := Members(text)
	if err != nil {
		return nil, err
	}
	m := &Message{members: members}
	fields := map[string]json.RawMessage{}
	for _, name := range []string{"jsonrpc", "id", "method", "params", "result", "error"} {
		if fields[name], err = Find(members, name); err != nil {
			return nil, err
		}
	}
	if id := fields["id"]; !IsNull(id) {
		m.ID = bytes.TrimSpace(id)
	}
	if method := fields["method"]; method != nil {
		m.request = true
		// A method that is not a string names nothing; who serves the
		// message says so.
		_ = json.Unmarshal(method, &m.Method)
	}
	if params := fields["params"]; params != nil {
		m.Params = params
	}
	return m, nil
}

// Encode writes messages as they stand, as a batch where they came as one.
func Encode(messages []*Message, batch bool) []byte {
	if !batch && len(messages) == 1 {
		return Object(messages[0].members)
	}
	var b bytes.Buffer
	b.WriteByte('[')
	for i, m := range messages {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(Object(m.members))
	}
	b.WriteByte(']')
	return b.Bytes()
}
