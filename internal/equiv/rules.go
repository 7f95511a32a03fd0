package equiv

import (
	"encoding/json"
	"fmt"

	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// Breach is a message that breaks a rule of its revision.
type Breach struct {
	// Rule is what the message breaks, in a few words.
	Rule string
	// Message is the offending part of the message.
	Message string
}

func (b Breach) String() string { return b.Rule + ": " + b.Message }

// everyCapability is what a client declares unless a script says otherwise.
var everyCapability = json.RawMessage(`{"elicitation":{"form":{},"url":{}},"roots":{},"sampling":{"tools":{}}}`)

// covers reports whether a client with the capabilities may be sent the
// question.
func covers(capabilities json.RawMessage, method string, params json.RawMessage) bool {
	var caps struct {
		Elicitation *struct {
			Form json.RawMessage `json:"form"`
			URL  json.RawMessage `json:"url"`
		} `json:"elicitation"`
		Roots    json.RawMessage `json:"roots"`
		Sampling *struct {
			Tools json.RawMessage `json:"tools"`
		} `json:"sampling"`
	}
	if err := json.Unmarshal(capabilities, &caps); err != nil {
		return false
	}
	var p struct {
		Mode       string          `json:"mode"`
		Tools      json.RawMessage `json:"tools"`
		ToolChoice json.RawMessage `json:"toolChoice"`
	}
	if present(params) {
		if err := json.Unmarshal(params, &p); err != nil {
			return false
		}
	}
	switch method {
	case protocol.MethodElicit:
		if caps.Elicitation == nil {
			return false
		}
		if p.Mode == protocol.ModeURL {
			return present(caps.Elicitation.URL)
		}
		// A client that names no mode has form, which is all that there once was.
		return present(caps.Elicitation.Form) || !present(caps.Elicitation.URL)
	case protocol.MethodCreateMessage:
		if caps.Sampling == nil {
			return false
		}
		return present(caps.Sampling.Tools) || !present(p.Tools) && !present(p.ToolChoice)
	case protocol.MethodListRoots:
		return present(caps.Roots)
	}
	return false
}

// isAsk reports whether method is one that a server may ask its client.
func isAsk(method string) bool {
	switch method {
	case protocol.MethodElicit, protocol.MethodCreateMessage, protocol.MethodListRoots:
		return true
	}
	return false
}

// checkModern holds a message of a server against revision 2026-07-28.
// method is that of the request that is being served, capabilities what that
// very request declared.
func checkModern(m *Message, method string, capabilities json.RawMessage) []Breach {
	var breaches []Breach
	breach := func(rule, format string, args ...any) {
		breaches = append(breaches, Breach{Rule: rule, Message: fmt.Sprintf(format, args...)})
	}
	if m.isRequest() {
		breach("rule 1: a server sends no requests", "%s", m.Method)
		return breaches
	}
	if m.Error != nil {
		switch c := m.Error.Code; {
		case c == -32002 || c == -32042:
			breach("rule 26: retired error codes are not sent", "%d", c)
		case c <= -32020 && c >= -32099 && c != protocol.CodeHeaderMismatch &&
			c != protocol.CodeMissingClientCapability && c != protocol.CodeUnsupportedProtocolVersion:
			breach("rule 25: no error codes of one's own from -32020 to -32099", "%d", c)
		case c == protocol.CodeMissingClientCapability && m.Status != 0 && m.Status != 400:
			breach("rule 21: a missing capability is HTTP 400", "%d", m.Status)
		}
	}
	if m.Result == nil {
		return breaches
	}
	_, result, err := object(m.Result)
	if err != nil {
		breach("a result is one JSON object", "%v", err)
		return breaches
	}
	var kind string
	if json.Unmarshal(result["resultType"], &kind) != nil || kind == "" {
		breach("rule 19: every result has a resultType", "%s", m.Result)
	}
	_, hasRequests := result["inputRequests"]
	_, hasState := result["requestState"]
	switch kind {
	case protocol.ResultComplete:
		if hasRequests || hasState {
			breach("a complete result asks for nothing", "%s", m.Result)
		}
	case protocol.ResultInputRequired:
		if !protocol.Multiround(method) {
			breach("rule 2: only three methods ask for input", "%s", method)
		}
		if !hasRequests && !hasState {
			breach("rule 3: at least one of inputRequests and requestState", "%s", m.Result)
		}
		for _, field := range []string{"content", "contents", "messages", "structuredContent", "isError", "description", "ttlMs", "cacheScope"} {
			if _, ok := result[field]; ok {
				breach("an input_required result carries nothing of a complete one", "%s", field)
			}
		}
		if hasState {
			var state string
			if json.Unmarshal(result["requestState"], &state) != nil || !present(result["requestState"]) {
				breach("requestState is a string", "%s", result["requestState"])
			}
		}
		if hasRequests {
			breaches = append(breaches, checkRequests(result["inputRequests"], capabilities)...)
		}
	default:
		breach("rule 19: resultType is complete or input_required", "%q", kind)
	}
	return breaches
}

// checkRequests holds the inputRequests of a result against the rules.
func checkRequests(raw, capabilities json.RawMessage) []Breach {
	var breaches []Breach
	breach := func(rule, format string, args ...any) {
		breaches = append(breaches, Breach{Rule: rule, Message: fmt.Sprintf(format, args...)})
	}
	keys, requests, err := object(raw)
	if err != nil {
		breach("rule 4: inputRequests is an object with unique keys", "%v", err)
		return breaches
	}
	for _, key := range keys {
		_, fields, err := object(requests[key])
		if err != nil {
			breach("an input request is an object", "%s: %v", key, err)
			continue
		}
		var method string
		if json.Unmarshal(fields["method"], &method) != nil || !isAsk(method) {
			breach("rule 4: an input request is elicitation, sampling or roots", "%s: %s", key, requests[key])
			continue
		}
		for _, field := range []string{"id", "jsonrpc"} {
			if _, ok := fields[field]; ok {
				breach("an input request is no JSON-RPC message", "%s has %s", key, field)
			}
		}
		if !covers(capabilities, method, fields["params"]) {
			breach("rule 8: nothing is asked that the client did not declare", "%s: %s", key, method)
		}
		_, params, err := object(fields["params"])
		if err != nil {
			breach("every input request has params", "%s", key)
			continue
		}
		for _, field := range []string{"task", "elicitationId"} {
			if _, ok := params[field]; ok {
				breach("no params of an older revision", "%s has %s", key, field)
			}
		}
	}
	return breaches
}

// checkLegacy holds a message of a server against revision 2025-11-25: it
// never carries a field of multi round-trip requests.
func checkLegacy(m *Message) []Breach {
	var breaches []Breach
	for part, raw := range map[string]json.RawMessage{"params": m.Params, "result": m.Result} {
		if raw == nil {
			continue
		}
		_, fields, err := object(raw)
		if err != nil {
			breaches = append(breaches, Breach{Rule: part + " is one JSON object", Message: err.Error()})
			continue
		}
		for _, field := range []string{"resultType", "inputRequests", "inputResponses", "requestState"} {
			if _, ok := fields[field]; ok {
				breaches = append(breaches, Breach{
					Rule:    "an older peer never sees a field of multi round-trip requests",
					Message: part + " has " + field,
				})
			}
		}
	}
	if m.isRequest() && !isAsk(m.Method) && m.Method != "ping" {
		breaches = append(breaches, Breach{Rule: "a server asks elicitation, sampling or roots", Message: m.Method})
	}
	return breaches
}
