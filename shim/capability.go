package shim

import (
	"encoding/json"
	"fmt"
)

// A CapabilityError reports a question that the request's own capabilities do
// not cover (rule 8). No question leaves the server. It is an ordinary error, so
// that a handler's way of doing without goes on working; a handler that returns
// it makes the request fail with -32021 (rule 21).
type CapabilityError struct {
	// Required are the capabilities that the question needs, in the form of
	// data.requiredCapabilities.
	Required json.RawMessage
	// Text is what the blocking call of 2025-11-25 said.
	Text string
}

func (e *CapabilityError) Error() string { return e.Text }

// capabilities are what one request says its client can do.
type capabilities struct {
	elicitation     bool // declared at all, in any mode
	form, url       bool
	sampling, tools bool
	roots           bool
}

// parseCapabilities reads the client capabilities of a request. What is not an
// object is not declared. An elicitation that names neither mode means form, as it
// did before there were modes (rule 49).
func parseCapabilities(raw json.RawMessage) (c capabilities) {
	top, ok := objectAt(raw)
	if !ok {
		return c
	}
	if modes, ok := objectAt(top["elicitation"]); ok {
		c.elicitation = true
		_, form := objectAt(modes["form"])
		_, c.url = objectAt(modes["url"])
		c.form = form || !c.url
	}
	if sampling, ok := objectAt(top["sampling"]); ok {
		c.sampling = true
		_, c.tools = objectAt(sampling["tools"])
	}
	_, c.roots = objectAt(top["roots"])
	return c
}

func objectAt(raw json.RawMessage) (map[string]json.RawMessage, bool) {
	var m map[string]json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &m) != nil || m == nil {
		return nil, false
	}
	return m, true
}

// A need is what one question needs of the client.
type need uint8

const (
	needForm need = iota
	needURL
	needSampling
	needTools
	needRoots
)

// cover returns a [*CapabilityError] if c does not cover n.
func (c *capabilities) cover(n need) error {
	missing := func(required, text string) error {
		return &CapabilityError{Required: json.RawMessage(required), Text: text}
	}
	elicitation := func(mode string) error {
		required := fmt.Sprintf(`{"elicitation":{%q:{}}}`, mode)
		if !c.elicitation {
			return missing(required, "client does not support elicitation")
		}
		return missing(required, fmt.Sprintf("client does not support %q elicitation", mode))
	}
	switch {
	case n == needForm && !c.form:
		return elicitation("form")
	case n == needURL && !c.url:
		return elicitation("url")
	case n == needSampling && !c.sampling:
		return missing(`{"sampling":{}}`, "client does not support CreateMessage")
	case n == needTools && !c.tools:
		return missing(`{"sampling":{"tools":{}}}`, "client does not support CreateMessage with tools")
	case n == needRoots && !c.roots:
		return missing(`{"roots":{}}`, "client does not support roots")
	}
	return nil
}
