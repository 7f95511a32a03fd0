package equiv

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Message is one JSON-RPC message, with its parts left as they came.
type Message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`

	// Status is the HTTP status that a response came with, 0 over stdio.
	Status int `json:"-"`
}

// Error is a JSON-RPC error.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (e *Error) Error() string { return fmt.Sprintf("%s (code %d)", e.Message, e.Code) }

// isRequest reports whether the message asks for a response.
func (m *Message) isRequest() bool { return m.Method != "" && len(m.ID) > 0 }

// isResponse reports whether the message answers a request.
func (m *Message) isResponse() bool { return m.Method == "" && (m.Result != nil || m.Error != nil) }

// decodeMessage parses one message. Whatever else than one JSON object is an
// error.
func decodeMessage(data []byte) (*Message, error) {
	var m Message
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("not a JSON-RPC message: %w", err)
	}
	if m.Version != "2.0" {
		return nil, fmt.Errorf("not a JSON-RPC 2.0 message: jsonrpc is %q", m.Version)
	}
	return &m, nil
}

// object decodes a JSON object into its fields, in the order in which they
// stand: the keys, and each one's raw value.
func object(raw json.RawMessage) (keys []string, fields map[string]json.RawMessage, err error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	tok, err := dec.Token()
	if err != nil {
		return nil, nil, err
	}
	if tok != json.Delim('{') {
		return nil, nil, fmt.Errorf("want a JSON object, have %v", tok)
	}
	fields = make(map[string]json.RawMessage)
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return nil, nil, err
		}
		key, _ := tok.(string)
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, nil, err
		}
		if _, twice := fields[key]; twice {
			return nil, nil, fmt.Errorf("field %q stands twice", key)
		}
		keys = append(keys, key)
		fields[key] = value
	}
	_, err = dec.Token()
	return keys, fields, err
}

// present reports whether a field is there and not null.
func present(raw json.RawMessage) bool {
	return len(raw) > 0 && !bytes.Equal(bytes.TrimSpace(raw), []byte("null"))
}

// canonical returns the JSON with sorted keys and without insignificant
// space. Numbers keep the digits that they came with.
func canonical(raw json.RawMessage) string {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return string(raw)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return string(raw)
	}
	return string(bytes.TrimSpace(out.Bytes()))
}
