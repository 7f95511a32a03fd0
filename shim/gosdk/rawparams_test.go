package gosdk

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

const modernMeta = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}`

func TestFilterParams(t *testing.T) {
	const secret = "hunter2"
	tests := []struct {
		name   string
		method string // tools/call unless set
		params string
		want   string // "" means returned as it is
		code   int64  // of the refusal; 0 means none
		state  bool   // the refusal is that of a bad state
	}{
		{name: "no field", params: `{ "name":"t", "arguments":{"n":9007199254740993}, "_meta":{` + modernMeta + `} }`},
		{name: "not one of the three methods", method: "completion/complete",
			params: `{"requestState":5,"inputResponses":[],"_meta":{` + modernMeta + `}}`},
		{name: "both move, byte for byte",
			params: `{"_meta":{` + modernMeta + `,"progressToken":12345678901234567890},"name":"t","arguments":{"z":1.10,"a":[ 1 ]},"inputResponses":{"k": {"action":"accept","content":{"n":9007199254740993}}},"requestState":"mm1.a\u002Bb"}`,
			want:   `{"_meta":{` + modernMeta + `,"progressToken":12345678901234567890,"io.github.mrtr-migrate/requestState":"\"mm1.a\\u002Bb\"","io.github.mrtr-migrate/inputResponses":"{\"k\": {\"action\":\"accept\",\"content\":{\"n\":9007199254740993}}}"},"name":"t","arguments":{"z":1.10,"a":[ 1 ]}}`},
		{name: "an empty state is a state",
			params: `{"name":"t","requestState":"","_meta":{` + modernMeta + `}}`,
			want:   `{"name":"t","_meta":{` + modernMeta + `,"io.github.mrtr-migrate/requestState":"\"\""}}`},
		{name: "null is absent",
			params: `{"name":"t","requestState":null,"inputResponses": null ,"_meta":{` + modernMeta + `}}`,
			want:   `{"name":"t","_meta":{` + modernMeta + `}}`},
		{name: "an entry of no known shape is not looked at",
			params: `{"name":"t","inputResponses":{"x":[1,"` + secret + `"]},"_meta":{` + modernMeta + `}}`,
			want:   `{"name":"t","_meta":{` + modernMeta + `,"io.github.mrtr-migrate/inputResponses":"{\"x\":[1,\"` + secret + `\"]}"}}`},
		{name: "an escaped name is the same name",
			params: `{"name":"t","request\u0053tate":"s","_meta":{` + modernMeta + `}}`,
			want:   `{"name":"t","_meta":{` + modernMeta + `,"io.github.mrtr-migrate/requestState":"\"s\""}}`},
		{name: "a peer's own keys go",
			params: `{"name":"t","_meta":{"io.github.mrtr-migrate/requestState":"\"x\"",` + modernMeta + `,"io.github.mrtr-migrate/inputResponses":"{}"}}`,
			want:   `{"name":"t","_meta":{` + modernMeta + `}}`},
		{name: "a peer's own keys do not stand beside the fields",
			params: `{"name":"t","requestState":"real","_meta":{"io.github.mrtr-migrate/requestState":"\"forged\"",` + modernMeta + `}}`,
			want:   `{"name":"t","_meta":{` + modernMeta + `,"io.github.mrtr-migrate/requestState":"\"real\""}}`},

		{name: "an older peer's fields are dropped, whatever they are",
			params: `{"name":"t","requestState":5,"inputResponses":[],"arguments":{"a":1.0}}`,
			want:   `{"name":"t","arguments":{"a":1.0}}`},
		{name: "an older peer's keys are dropped",
			params: `{"name":"t","_meta":{"io.github.mrtr-migrate/inputResponses":"{}","progressToken":1}}`,
			want:   `{"name":"t","_meta":{"progressToken":1}}`},
		{name: "another revision in _meta is not ours",
			params: `{"name":"t","requestState":"s","_meta":{"io.modelcontextprotocol/protocolVersion":"2027-01-01"}}`,
			want:   `{"name":"t","_meta":{"io.modelcontextprotocol/protocolVersion":"2027-01-01"}}`},
		{name: "older, nothing to do", params: `{"name":"t","_meta":{"progressToken":1}}`},
		{name: "no params", params: ``},
		{name: "null params", params: `null`},

		{name: "a prompt", method: protocol.MethodGetPrompt,
			params: `{"name":"p","arguments":{"a":"b"},"requestState":"s","_meta":{` + modernMeta + `}}`,
			want:   `{"name":"p","arguments":{"a":"b"},"_meta":{` + modernMeta + `,"io.github.mrtr-migrate/requestState":"\"s\""}}`},
		{name: "a resource", method: protocol.MethodReadResource,
			params: `{"uri":"desk://x","requestState":"s","_meta":{` + modernMeta + `}}`,
			want:   `{"uri":"desk://x","_meta":{` + modernMeta + `,"io.github.mrtr-migrate/requestState":"\"s\""}}`},

		{name: "params are an array", params: `["` + secret + `"]`, code: -32602},
		{name: "state is a number", params: `{"name":"t","requestState":12,"_meta":{` + modernMeta + `}}`, code: -32602, state: true},
		{name: "state is an object", params: `{"name":"t","requestState":{"a":"` + secret + `"},"_meta":{` + modernMeta + `}}`, code: -32602, state: true},
		{name: "state is false", params: `{"name":"t","requestState":false,"_meta":{` + modernMeta + `}}`, code: -32602, state: true},
		{name: "state is not UTF-8", params: "{\"name\":\"t\",\"requestState\":\"a\xff\",\"_meta\":{" + modernMeta + "}}", code: -32602, state: true},
		{name: "state twice", params: `{"name":"t","requestState":"a","requestState":"` + secret + `","_meta":{` + modernMeta + `}}`, code: -32602, state: true},
		{name: "state twice, one null", params: `{"name":"t","requestState":"` + secret + `","requestState":null,"_meta":{` + modernMeta + `}}`, code: -32602, state: true},
		{name: "responses are an array", params: `{"name":"t","inputResponses":["` + secret + `"],"_meta":{` + modernMeta + `}}`, code: -32602},
		{name: "responses are a string", params: `{"name":"t","inputResponses":"` + secret + `","_meta":{` + modernMeta + `}}`, code: -32602},
		{name: "responses twice", params: `{"name":"t","inputResponses":{},"inputResponses":{"k":"` + secret + `"},"_meta":{` + modernMeta + `}}`, code: -32602},
		{name: "a key of responses twice", params: `{"name":"t","inputResponses":{"k":{"action":"decline"},"\u006b":{"action":"accept"}},"_meta":{` + modernMeta + `}}`, code: -32602},
		{name: "_meta twice", params: `{"name":"t","_meta":{},"_meta":{` + modernMeta + `}}`, code: -32602},
		{name: "version twice", params: `{"name":"t","_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25",` + modernMeta + `}}`, code: -32602},
		{name: "a name the decoder refuses", params: `{"name":5,"inputResponses":{"k":"` + secret + `"},"_meta":{` + modernMeta + `}}`, code: -32602},
		{name: "arguments deeper than the decoder goes", params: `{"name":"t","arguments":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `,"inputResponses":{"k":"` + secret + `"},"_meta":{` + modernMeta + `}}`, code: -32602},
		{name: "prompt arguments the decoder refuses", method: protocol.MethodGetPrompt,
			params: `{"name":"p","arguments":{"a":5},"inputResponses":{"k":"` + secret + `"},"_meta":{` + modernMeta + `}}`, code: -32602},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			method := tt.method
			if method == "" {
				method = protocol.MethodCallTool
			}
			got, refusal := FilterParams(method, json.RawMessage(tt.params))
			if tt.code != 0 {
				if refusal == nil {
					t.Fatalf("not refused: %s", got)
				}
				if refusal.Code != tt.code {
					t.Errorf("code %d, want %d", refusal.Code, tt.code)
				}
				wire, _ := json.Marshal(refusal)
				if bytes.Contains(wire, []byte(secret)) {
					t.Errorf("the refusal quotes the request: %s", wire)
				}
				if isState := refusal.Message == protocol.InvalidStateMessage; isState != tt.state {
					t.Errorf("refusal %s", wire)
				}
				return
			}
			if refusal != nil {
				t.Fatalf("refused: %v", refusal)
			}
			want := tt.want
			if want == "" {
				want = tt.params
			}
			if string(got) != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestDeclaredVersion(t *testing.T) {
	for params, want := range map[string]string{
		`{"_meta":{` + modernMeta + `}}`:                                   "2026-07-28 true",
		`{"_meta":{"io.modelcontextprotocol/protocolVersion":"nonsense"}}`: "nonsense true",
		`{"_meta":{"io.modelcontextprotocol/protocolVersion":5}}`:          " true",
		`{"_meta":{"io.modelcontextprotocol/protocolVersion":null}}`:       " false",
		`{"_meta":{}}`:           " false",
		`{"_meta":"2026-07-28"}`: " false",
		`{}`:                     " false",
		`[]`:                     " false",
		``:                       " false",
	} {
		version, ok := DeclaredVersion(json.RawMessage(params))
		if got := version + " " + map[bool]string{true: "true", false: "false"}[ok]; got != want {
			t.Errorf("DeclaredVersion(%s) = %s, want %s", params, got, want)
		}
	}
}

// FuzzFilterParams checks the promise to the SDK's decoder: whatever comes,
// what goes on has neither field, and of the values that are not the filter's
// to move, each is what it was.
func FuzzFilterParams(f *testing.F) {
	f.Add(`{"name":"t","inputResponses":{"k":{"action":"accept"}},"requestState":"s","_meta":{` + modernMeta + `}}`)
	f.Add(`{"name":"t","request\u0053tate":"s","_meta":{` + modernMeta + `}}`)
	f.Add(`{"name":"t","requestState":5}`)
	f.Add("{\"name\":\"t\",\"input\xffResponses\":{},\"arguments\":{\"a\":1.10}}")
	f.Add(`{"_meta":{"io.github.mrtr-migrate\/requestState":"\"x\""},"arguments":1e999}`)
	f.Fuzz(func(t *testing.T, params string) {
		got, refusal := FilterParams(protocol.MethodCallTool, json.RawMessage(params))
		if refusal != nil || !json.Valid([]byte(params)) {
			return
		}
		// A result has a requestState too, and unlike params it can be decoded
		// with the SDK's own decoder from outside: what that one takes for the
		// field's name, the filter must have taken for it.
		var decoded mcp.CallToolResult
		if err := decoded.UnmarshalJSON(got); err == nil && decoded.RequestState != "" {
			t.Fatalf("the SDK still finds a state in %s", got)
		}
		var before, after map[string]json.RawMessage
		if json.Unmarshal([]byte(params), &before) != nil || json.Unmarshal(got, &after) != nil {
			return
		}
		for _, name := range []string{"inputResponses", "requestState"} {
			if _, ok := after[name]; ok {
				t.Fatalf("%s is left in %s", name, got)
			}
		}
		for name, value := range before {
			if name == "inputResponses" || name == "requestState" || name == "_meta" {
				continue
			}
			if !bytes.Equal(after[name], value) {
				t.Fatalf("%q was %s and is %s", name, value, after[name])
			}
		}
		if _, refusal := FilterParams(protocol.MethodCallTool, got); refusal != nil {
			t.Fatalf("refused at second sight: %v", refusal)
		}
	})
}
