package equiv

import (
	"encoding/json"
	"testing"
)

func TestCheckModern(t *testing.T) {
	const ask = `"inputRequests":{"k":{"method":"elicitation/create","params":{"mode":"form","message":"a?","requestedSchema":{"type":"object","properties":{}}}}}`
	tests := []struct {
		name    string
		message string
		method  string
		caps    string
		breach  bool
	}{
		{"complete", `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[]}}`, "tools/call", "", false},
		{"asks", `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required",` + ask + `,"requestState":"s"}}`, "tools/call", "", false},
		{"state only", `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{},"requestState":"s"}}`, "tools/call", "", false},
		{"notification", `{"jsonrpc":"2.0","method":"notifications/progress","params":{}}`, "tools/call", "", false},
		{"live request", `{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{}}`, "tools/call", "", true},
		{"no resultType", `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`, "tools/call", "", true},
		{"unknown resultType", `{"jsonrpc":"2.0","id":1,"result":{"resultType":"task"}}`, "tools/call", "", true},
		{"neither requests nor state", `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required"}}`, "tools/call", "", true},
		{"content beside requests", `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","content":null,` + ask + `}}`, "tools/call", "", true},
		{"cache hint beside requests", `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","ttlMs":0,` + ask + `}}`, "resources/read", "", true},
		{"requests of a complete result", `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete",` + ask + `}}`, "tools/call", "", true},
		{"another method", `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required",` + ask + `}}`, "tools/list", "", true},
		{"undeclared elicitation", `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required",` + ask + `}}`, "tools/call", `{"roots":{}}`, true},
		{"undeclared mode", `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required",` + ask + `}}`, "tools/call", `{"elicitation":{"url":{}}}`, true},
		{"no mode means form", `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required",` + ask + `}}`, "tools/call", `{"elicitation":{}}`, false},
		{"not an ask", `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"k":{"method":"tools/call","params":{}}}}}`, "tools/call", "", true},
		{"ask with an id", `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"k":{"id":1,"method":"roots/list","params":{}}}}}`, "tools/call", "", true},
		{"ask without params", `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"k":{"method":"roots/list"}}}}`, "tools/call", "", true},
		{"key twice", `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"k":{"method":"roots/list","params":{}},"k":{"method":"roots/list","params":{}}}}}`, "tools/call", "", true},
		{"state null", `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","requestState":null}}`, "tools/call", "", true},
		{"sampling tools undeclared", `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"k":{"method":"sampling/createMessage","params":{"tools":[]}}}}}`, "tools/call", `{"sampling":{}}`, true},
		{"invalid params", `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"m"}}`, "tools/call", "", false},
		{"retired code", `{"jsonrpc":"2.0","id":1,"error":{"code":-32042,"message":"m"}}`, "tools/call", "", true},
		{"invented code", `{"jsonrpc":"2.0","id":1,"error":{"code":-32050,"message":"m"}}`, "tools/call", "", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m, err := decodeMessage([]byte(test.message))
			if err != nil {
				t.Fatal(err)
			}
			caps := everyCapability
			if test.caps != "" {
				caps = json.RawMessage(test.caps)
			}
			if got := checkModern(m, test.method, caps); (len(got) > 0) != test.breach {
				t.Errorf("breaches %v, want some: %v", got, test.breach)
			}
		})
	}
}

func TestCheckLegacy(t *testing.T) {
	tests := []struct {
		message string
		breach  bool
	}{
		{`{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`, false},
		{`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"a?"}}`, false},
		{`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}`, false},
		{`{"jsonrpc":"2.0","id":1,"result":{"content":[],"resultType":"complete"}}`, true},
		{`{"jsonrpc":"2.0","id":1,"result":{"content":[],"inputRequests":{}}}`, true},
		{`{"jsonrpc":"2.0","id":1,"result":{"content":[],"requestState":"s"}}`, true},
		{`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"requestState":"s"}}`, true},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`, true},
	}
	for _, test := range tests {
		m, err := decodeMessage([]byte(test.message))
		if err != nil {
			t.Fatal(err)
		}
		if got := checkLegacy(m); (len(got) > 0) != test.breach {
			t.Errorf("%s: breaches %v, want some: %v", test.message, got, test.breach)
		}
	}
}
