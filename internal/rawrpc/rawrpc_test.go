package rawrpc

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	tests := []struct {
		name, text string
		err        error
		call       bool
		request    bool
		batch      bool
	}{
		{name: "call", text: `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}`, request: true, call: true},
		{name: "notification", text: `{"jsonrpc":"2.0","method":"x"}`, request: true},
		{name: "null id is no id", text: `{"jsonrpc":"2.0","id":null,"method":"x"}`, request: true},
		{name: "response", text: `{"jsonrpc":"2.0","id":"a","result":{}}`},
		{name: "batch", text: ` [{"jsonrpc":"2.0","id":7,"method":"x"}]`, batch: true, request: true, call: true},
		{name: "empty", text: ``, err: ErrSyntax},
		{name: "text after the message", text: `{"jsonrpc":"2.0"} {}`, err: ErrSyntax},
		{name: "cut off", text: `{"jsonrpc":"2.0"`, err: ErrSyntax},
		{name: "trailing comma", text: `{"jsonrpc":"2.0",}`, err: ErrSyntax},
		{name: "a number", text: `5`, err: ErrShape},
		{name: "empty batch", text: `[]`, err: ErrShape},
		{name: "batch in a batch", text: `[[{"jsonrpc":"2.0"}]]`, err: ErrShape},
		{name: "two methods", text: `{"method":"ping","method":"tools/call"}`, err: ErrRepeated},
		{name: "two params, one escaped", text: `{"method":"x","params":{},"p\u0061rams":{}}`, err: ErrRepeated},
		{name: "two of another key", text: `{"method":"x","extra":1,"extra":2}`, request: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			messages, batch, err := Parse([]byte(tt.text))
			if !errors.Is(err, tt.err) {
				t.Fatalf("error %v, want %v", err, tt.err)
			}
			if tt.err != nil {
				return
			}
			if batch != tt.batch || messages[0].IsCall() != tt.call || messages[0].IsRequest() != tt.request {
				t.Errorf("batch %v call %v request %v", batch, messages[0].IsCall(), messages[0].IsRequest())
			}
		})
	}
}

// A message that is taken apart and put together again has the values that it
// had, to the byte, and the keys in the order in which they came.
func TestEncodeKeepsValues(t *testing.T) {
	const text = `{"jsonrpc":"2.0","id":9007199254740993,"method":"x","params":{"b":1.10,"a":"\u003c é","b":1e400}}`
	messages, batch, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(Encode(messages, batch)); got != text {
		t.Errorf("got  %s\nwant %s", got, text)
	}
	messages[0].SetParams(json.RawMessage(`[]`))
	want := `{"jsonrpc":"2.0","id":9007199254740993,"method":"x","params":[]}`
	if got := string(Encode(messages, false)); got != want {
		t.Errorf("after SetParams %s", got)
	}
	both, _, err := Parse([]byte("[" + text + "," + text + "]"))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(Encode(both, true)); got != "["+text+","+text+"]" {
		t.Errorf("batch %s", got)
	}
}

func TestDepth(t *testing.T) {
	for text, want := range map[string]int{
		`1`: 0, `"[{"`: 0, `{}`: 1, `[[],[[]]]`: 3, `{"a\"[":{"b":[]}}`: 3, `"\\"`: 0, `["\\",[]]`: 2,
	} {
		if got := Depth([]byte(text)); got != want {
			t.Errorf("Depth(%s) = %d, want %d", text, got, want)
		}
	}
}

func TestReadBody(t *testing.T) {
	for _, tt := range []struct {
		name   string
		limit  int64
		status int
	}{
		{"longer", 4, http.StatusRequestEntityTooLarge},
		{"as long", 5, http.StatusOK},
		{"shorter", 6, http.StatusOK},
		{"no limit", -1, http.StatusOK},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			body, ok := ReadBody(w, httptest.NewRequest("POST", "/", strings.NewReader("12345")), tt.limit)
			if w.Code != tt.status || ok != (tt.status == http.StatusOK) || ok && string(body) != "12345" {
				t.Errorf("status %d, ok %v, body %q", w.Code, ok, body)
			}
		})
	}
}

func TestRefuseNamesTheCall(t *testing.T) {
	for id, want := range map[string]string{`"a"`: `"a"`, `-1`: `-1`, ``: `null`, `{"x":1}`: `null`} {
		w := httptest.NewRecorder()
		Refuse(w, 400, json.RawMessage(id), &Error{Code: -32600, Message: "no"})
		if got, want := w.Body.String(), `{"jsonrpc":"2.0","id":`+want+`,"error":{"code":-32600,"message":"no"}}`; got != want {
			t.Errorf("id %q: %s", id, got)
		}
	}
}
