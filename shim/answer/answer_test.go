package answer

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

const form = `{
	"type": "object",
	"properties": {
		"name":  {"type": "string", "minLength": 2},
		"count": {"type": "integer", "default": 3},
		"size":  {"type": "string", "enum": ["s", "m"]},
		"tags":  {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}
	},
	"required": ["name"]
}`

const optional = `{"type":"object","properties":{"note":{"type":"string","default":"none"}}}`

const closed = `{"type":"object","properties":{"ok":{"type":"boolean"}},"additionalProperties":false}`

// same reports whether two texts hold the same JSON value, as far as these tests
// go: no numbers beyond doubles.
func same(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal([]byte(a), &x); err != nil {
		t.Fatalf("%s: %v", a, err)
	}
	if err := json.Unmarshal([]byte(b), &y); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	ja, _ := json.Marshal(x)
	jb, _ := json.Marshal(y)
	return string(ja) == string(jb)
}

func TestElicitation(t *testing.T) {
	tests := []struct {
		name, schema, raw string
		want              string // the kept answer; empty: the answer does not count
		reason            string // part of the reason, for those that do not count
	}{
		{"accept", form, `{"action":"accept","content":{"name":"xy"}}`, `{"action":"accept","content":{"name":"xy","count":3}}`, ""},
		{"default not over a value", form, `{"action":"accept","content":{"name":"xy","count":7}}`, `{"action":"accept","content":{"name":"xy","count":7}}`, ""},
		{"whole number as a double", form, `{"action":"accept","content":{"name":"xy","count":7.0}}`, `{"action":"accept","content":{"name":"xy","count":7}}`, ""},
		{"extra field, open schema", form, `{"action":"accept","content":{"name":"xy","more":1}}`, `{"action":"accept","content":{"name":"xy","count":3,"more":1}}`, ""},
		{"wrong type", form, `{"action":"accept","content":{"name":7}}`, "", `"name" is no string`},
		{"fraction for an integer", form, `{"action":"accept","content":{"name":"xy","count":1.5}}`, "", `"count" is no integer`},
		{"too short", form, `{"action":"accept","content":{"name":"x"}}`, "", `"name"`},
		{"not a choice", form, `{"action":"accept","content":{"name":"xy","size":"l"}}`, "", `"size" is none of the choices`},
		{"not among the choices", form, `{"action":"accept","content":{"name":"xy","tags":["a","c"]}}`, "", `"tags" is none of the choices`},
		{"missing field", form, `{"action":"accept","content":{}}`, "", `"name" is missing`},
		{"extra field, closed schema", closed, `{"action":"accept","content":{"ok":true,"secret":"x"}}`, "", "not asked for"},
		{"no content, field required", form, `{"action":"accept"}`, "", `"name" is missing`},
		{"null content, field required", form, `{"action":"accept","content":null}`, "", `"name" is missing`},
		{"no content, nothing required", optional, `{"action":"accept"}`, `{"action":"accept"}`, ""},
		{"null content, nothing required", optional, `{"action":"accept","content":null}`, `{"action":"accept"}`, ""},
		{"empty content, nothing required", optional, `{"action":"accept","content":{}}`, `{"action":"accept","content":{"note":"none"}}`, ""},
		{"content is an array", optional, `{"action":"accept","content":[]}`, "", "content"},
		{"content is text, no schema", "", `{"action":"accept","content":"yes"}`, "", "content"},
		{"no schema", "", `{"action":"accept","content":{"x":1}}`, `{"action":"accept","content":{"x":1}}`, ""},
		{"null schema", "null", `{"action":"accept","content":{"x":1}}`, `{"action":"accept","content":{"x":1}}`, ""},
		{"decline", form, `{"action":"decline"}`, `{"action":"decline"}`, ""},
		{"decline with content", form, `{"action":"decline","content":{"name":7}}`, `{"action":"decline","content":{"name":7}}`, ""},
		{"cancel with null content", form, `{"action":"cancel","content":null}`, `{"action":"cancel"}`, ""},
		{"cancel with wrong content", form, `{"action":"cancel","content":"x"}`, `{"action":"cancel"}`, ""},
		{"meta is kept", optional, `{"action":"decline","_meta":{"a":1},"resultType":"complete"}`, `{"action":"decline","_meta":{"a":1}}`, ""},
		{"meta that is none", optional, `{"action":"decline","_meta":7}`, `{"action":"decline"}`, ""},
		{"html is not escaped", "", `{"action":"accept","content":{"x":"<&>"}}`, `{"action":"accept","content":{"x":"<&>"}}`, ""},

		{"unknown action", optional, `{"action":"maybe","content":{"note":"x"}}`, "", "action"},
		{"action in capitals", optional, `{"action":"ACCEPT"}`, "", "action"},
		{"action member in capitals", optional, `{"Action":"accept"}`, "", "action"},
		{"no action", optional, `{"content":{"note":"x"}}`, "", "action"},
		{"action is no text", optional, `{"action":true}`, "", "action"},
		{"two actions", optional, `{"action":"decline","action":"accept"}`, "", "duplicate"},
		{"two fields", form, `{"action":"accept","content":{"name":"xy","name":"zz"}}`, "", "duplicate"},
		{"roots in its place", optional, `{"roots":[]}`, "", "action"},
		{"a shape of two kinds", optional, `{"roots":[],"action":"decline"}`, `{"action":"decline"}`, ""},
		{"null", optional, `null`, "", "object"},
		{"array", optional, `[]`, "", "object"},
		{"no JSON", optional, `{`, "", "JSON"},
		{"invalid text", optional, "{\"action\":\"accept\",\"content\":{\"note\":\"\xff\"}}", "", "UTF-8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Elicitation(json.RawMessage(tt.raw), json.RawMessage(tt.schema))
			if tt.want != "" {
				if err != nil || !same(t, string(got), tt.want) {
					t.Fatalf("got %s, %v; want %s", got, err, tt.want)
				}
				return
			}
			var invalid *InvalidError
			if !errors.As(err, &invalid) {
				t.Fatalf("got %s, %v; want an InvalidError", got, err)
			}
			if !strings.Contains(invalid.Reason, tt.reason) {
				t.Errorf("reason %q does not say %q", invalid.Reason, tt.reason)
			}
			if strings.Contains(invalid.Reason, "secret") {
				t.Errorf("reason %q repeats what the client made up", invalid.Reason)
			}
		})
	}
}

// The texts are those of the blocking call, which handlers hand on.
func TestElicitationErrorText(t *testing.T) {
	_, err := Elicitation(json.RawMessage(`{"action":"accept","content":{}}`), json.RawMessage(form))
	want := `elicitation result content does not match requested schema: `
	if err == nil || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), "name") {
		t.Errorf("error %q", err)
	}
}

func TestElicitationSchema(t *testing.T) {
	tests := []struct{ schema, want string }{
		{`{"type":"array"}`, `elicit schema must be of type 'object', got "array"`},
		{`{"properties":{"a":{"type":"object"}}}`, `elicit schema property "a" has unsupported type "object", only string, number, integer, boolean, and array are allowed`},
		{`{"properties":{"a":{"type":"object","properties":{"b":{"type":"string"}}}}}`, `elicit schema property "a" contains nested properties, only primitive properties are allowed`},
		{`{"properties":{"a":{"type":"string","format":"ipv4"}}}`, `elicit schema property "a" has unsupported format "ipv4", only email, uri, date, and date-time are allowed`},
		{`{"properties":{"a":{"type":"string","minLength":-1}}}`, `elicit schema property "a" has invalid minLength -1, must be non-negative`},
		{`{"properties":{"a":{"type":"string","maxLength":-1}}}`, `elicit schema property "a" has invalid maxLength -1, must be non-negative`},
		{`{"properties":{"a":{"type":"string","minLength":3,"maxLength":2}}}`, `elicit schema property "a" has maxLength 2 less than minLength 3`},
		{`{"properties":{"a":{"type":"string","default":1}}}`, `elicit schema property "a" has invalid default value, must be a string: json: cannot unmarshal number into Go value of type string`},
		{`{"properties":{"a":{"type":"boolean","default":"x"}}}`, `elicit schema property "a" has invalid default value, must be a bool: json: cannot unmarshal string into Go value of type bool`},
		{`{"properties":{"a":{"type":"number","default":"x"}}}`, `elicit schema property "a" has default value that cannot be interpreted as an int or float`},
		{`{"properties":{"a":{"type":"number","minimum":3,"maximum":2}}}`, `elicit schema property "a" has maximum 2 less than minimum 3`},
		{`{"properties":{"a":{"type":"string","enum":["x"],"enumNames":["X","Y"]}}}`, `elicit schema property "a" has 1 enum values but 2 enumNames, they must match`},
		{`{"properties":{"a":{"type":"string","enum":["x"],"enumNames":"X"}}}`, `elicit schema property "a" has invalid enumNames type, must be an array`},
		{`{"properties":{"a":{"type":"string","oneOf":[{"title":"X"}]}}}`, `elicit schema property "a" oneOf has invalid entry: const is required for titled enum entries`},
		{`{"properties":{"a":{"type":"string","oneOf":[{"const":"x"}]}}}`, `elicit schema property "a" oneOf has invalid entry: title is required for titled enum entries`},
		{`{"properties":{"a":{"type":"string","oneOf":[{"const":1,"title":"X"}]}}}`, `elicit schema property "a" oneOf has invalid entry: const must be a string for titled enum entries`},
		{`{"properties":{"a":{"type":"string","oneOf":[{"const":"","title":"X"}]}}}`, `elicit schema property "a" oneOf has invalid entry: const cannot be empty for titled enum entries`},
		{`{"properties":{"a":{"type":"array"}}}`, `elicit schema property "a" is array but missing 'items' definition`},
		{`{"properties":{"a":{"type":"array","items":{"type":"string"}}}}`, `elicit schema property "a" items must specify enum for untitled enums`},
		{`{"properties":{"a":{"type":"array","items":{"type":"integer"}}}}`, `elicit schema property "a" items have unsupported type "integer"`},
		{`{"properties":{"a":{"type":"array","items":{"anyOf":[]}}}}`, `elicit schema property "a" items must specify anyOf for titled enums`},
		{`{"properties":{"a":{"type":"array","items":{"anyOf":[{"const":"x"}]}}}}`, `elicit schema property "a" items has invalid entry: title is required for titled enum entries`},
	}
	for _, tt := range tests {
		_, err := Elicitation(json.RawMessage(`{"action":"accept","content":{"a":"x"}}`), json.RawMessage(tt.schema))
		var schema *SchemaError
		if !errors.As(err, &schema) || err.Error() != tt.want {
			t.Errorf("%s:\n got %v\nwant %s", tt.schema, err, tt.want)
		}
		// A decline needs no schema: it is final whatever the server got wrong.
		if got, err := Elicitation(json.RawMessage(`{"action":"decline"}`), json.RawMessage(tt.schema)); err != nil {
			t.Errorf("%s: decline: %s, %v", tt.schema, got, err)
		}
	}
	good := []string{
		`{"properties":{"a":{"type":"string","enum":["x","y"],"enumNames":["X","Y"]}}}`,
		`{"properties":{"a":{"type":"string","oneOf":[{"const":"x","title":"X"}]}}}`,
		`{"properties":{"a":{"type":"string","format":"email"}}}`,
	}
	for _, schema := range good {
		if got, err := Elicitation(json.RawMessage(`{"action":"accept","content":{"a":"x"}}`), json.RawMessage(schema)); err != nil {
			t.Errorf("%s: %s, %v", schema, got, err)
		}
	}
}

func TestSampling(t *testing.T) {
	tests := []struct {
		name, raw string
		ok        bool
	}{
		{"one block", `{"role":"assistant","model":"m","content":{"type":"text","text":"x"}}`, true},
		{"array", `{"role":"assistant","model":"m","content":[{"type":"text","text":"x"},{"type":"tool_use","id":"1","name":"t","input":{}}]}`, true},
		{"empty array", `{"role":"assistant","model":"m","content":[]}`, true},
		{"image", `{"role":"assistant","model":"m","content":{"type":"image","data":"aGk=","mimeType":"image/png"}}`, true},
		{"stop reason", `{"role":"assistant","model":"","stopReason":"endTurn","content":{"type":"text","text":"x"}}`, true},
		{"user", `{"role":"user","model":"m","content":{"type":"text","text":"x"}}`, true},

		{"no role", `{"model":"m","content":{"type":"text","text":"x"}}`, false},
		{"wrong role", `{"role":"system","model":"m","content":{"type":"text","text":"x"}}`, false},
		{"no model", `{"role":"assistant","content":{"type":"text","text":"x"}}`, false},
		{"model is no text", `{"role":"assistant","model":1,"content":{"type":"text","text":"x"}}`, false},
		{"no content", `{"role":"assistant","model":"m"}`, false},
		{"null content", `{"role":"assistant","model":"m","content":null}`, false},
		{"content is text", `{"role":"assistant","model":"m","content":"x"}`, false},
		{"block is null", `{"role":"assistant","model":"m","content":[null]}`, false},
		{"block of another type", `{"role":"assistant","model":"m","content":{"type":"resource"}}`, false},
		{"tool result", `{"role":"assistant","model":"m","content":{"type":"tool_result","toolUseId":"1"}}`, false},
		{"text is no text", `{"role":"assistant","model":"m","content":{"type":"text","text":1}}`, false},
		{"image without data", `{"role":"assistant","model":"m","content":{"type":"image","mimeType":"image/png"}}`, false},
		{"tool use without name", `{"role":"assistant","model":"m","content":{"type":"tool_use","id":"1"}}`, false},
		{"tool use with odd input", `{"role":"assistant","model":"m","content":{"type":"tool_use","id":"1","name":"t","input":[]}}`, false},
		{"stop reason is no text", `{"role":"assistant","model":"m","stopReason":1,"content":[]}`, false},
		{"an elicitation", `{"action":"accept","content":{}}`, false},
		{"two roles", `{"role":"user","role":"assistant","model":"m","content":[]}`, false},
	}
	for _, tt := range tests {
		got, err := Sampling(json.RawMessage(tt.raw))
		check(t, tt.name, got, err, tt.ok)
	}
}

func TestRoots(t *testing.T) {
	tests := []struct {
		name, raw string
		ok        bool
	}{
		{"none", `{"roots":[]}`, true},
		{"two", `{"roots":[{"uri":"file:///a","name":"A"},{"uri":"file:///b"}]}`, true},
		{"no roots", `{}`, false},
		{"null", `{"roots":null}`, false},
		{"object", `{"roots":{}}`, false},
		{"no uri", `{"roots":[{"name":"A"}]}`, false},
		{"empty uri", `{"roots":[{"uri":""}]}`, false},
		{"uri is no text", `{"roots":[{"uri":1}]}`, false},
		{"name is no text", `{"roots":[{"uri":"file:///a","name":1}]}`, false},
		{"root is null", `{"roots":[null]}`, false},
		{"an elicitation", `{"action":"accept"}`, false},
	}
	for _, tt := range tests {
		got, err := Roots(json.RawMessage(tt.raw))
		check(t, tt.name, got, err, tt.ok)
	}
}

func check(t *testing.T, name string, got json.RawMessage, err error, ok bool) {
	t.Helper()
	if ok && (err != nil || !json.Valid(got)) {
		t.Errorf("%s: got %s, %v", name, got, err)
	}
	var invalid *InvalidError
	if !ok && !errors.As(err, &invalid) {
		t.Errorf("%s: got %s, %v; want an InvalidError", name, got, err)
	}
}

// FuzzAnswer feeds every decoder every text. What is kept must be kept again
// unchanged, an accept must come from a text that says accept, and no text may
// panic.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"action":"accept","content":{"name":"xy"}}`, `{"action":"decline"}`, `{"action":"cancel","content":null}`,
		`{"roots":[{"uri":"file:///a"}]}`, `{"role":"assistant","model":"m","content":[{"type":"text","text":"x"}]}`,
		`{"action":"accept","content":{"count":1e400}}`, `{"Action":"accept"}`, `[`, `null`, `{"action":"decline","action":"accept"}`,
	} {
		f.Add([]byte(seed), form)
		f.Add([]byte(seed), "")
	}
	f.Fuzz(func(t *testing.T, raw []byte, schema string) {
		decoders := map[string]func(json.RawMessage) (json.RawMessage, error){
			"elicitation": func(r json.RawMessage) (json.RawMessage, error) { return Elicitation(r, json.RawMessage(schema)) },
			"sampling":    Sampling,
			"roots":       Roots,
		}
		for name, decode := range decoders {
			kept, err := decode(raw)
			if err != nil {
				continue
			}
			again, err := decode(kept)
			if err != nil || string(again) != string(kept) {
				t.Errorf("%s: %s is kept as %s, and that as %s, %v", name, raw, kept, again, err)
			}
			var m map[string]any
			if err := json.Unmarshal(kept, &m); err != nil {
				t.Fatal(err)
			}
			var in map[string]any
			json.Unmarshal(raw, &in)
			if name == "elicitation" && m["action"] != in["action"] {
				t.Errorf("action %v from %s", m["action"], raw)
			}
		}
	})
}
