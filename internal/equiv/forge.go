package equiv

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// forge tries to have the program take answers that it never asked for, and
// states that it never made or made for another call. It returns the answers
// that the run's first call is to carry: keys that the program does use, each
// with an answer that agrees to everything. Nothing but the probe that learns
// the keys may have an effect; the world is reset at the end.
func (r *run) forge(ctx context.Context, era Era) (map[string]json.RawMessage, error) {
	probe, err := r.send(ctx, era, 1, retry{}, false)
	if err != nil {
		return nil, err
	}
	asked := inputRequired(probe)
	if asked == nil {
		r.transcript.Sends = nil
		return nil, r.begin()
	}
	agreed := make(map[string]json.RawMessage)
	for _, key := range asked.keys {
		agreed[key] = agreement(asked.requests[key])
	}

	const rule = "rule 5: a state that is not this call's is refused"
	refused := func(what string, script *Script, next retry) error {
		before, err := r.fleet.World.Effects()
		if err != nil {
			return err
		}
		mine := r.script
		r.script = script
		resp, err := r.send(ctx, era, 1, next, true)
		r.script = mine
		if err != nil {
			return err
		}
		if resp.Error == nil || resp.Error.Code != protocol.CodeInvalidParams {
			r.breach(rule, "%s: %s%s", what, resp.Result, errorText(resp))
		}
		after, err := r.fleet.World.Effects()
		if err != nil {
			return err
		}
		if len(after) > len(before) {
			r.breach(rule, "%s: %v", what, after[len(before):])
		}
		return nil
	}
	invented := json.RawMessage(`"mm1.` + string(bytes.Repeat([]byte("A"), 240)) + `"`)
	if err := refused("an invented state", r.script, retry{state: invented, responses: agreed}); err != nil {
		return nil, err
	}
	if asked.state != nil {
		if err := refused("a state with one character changed", r.script, retry{state: tampered(asked.state), responses: agreed}); err != nil {
			return nil, err
		}
		if other := r.otherCall(); other != nil {
			if err := refused("a state of another call", other, retry{state: asked.state, responses: agreed}); err != nil {
				return nil, err
			}
		}
	}
	r.transcript.Sends, r.sends = nil, 0
	return agreed, r.begin()
}

// otherCall returns the script with its call's arguments changed, or nil if
// the call has none.
func (r *run) otherCall() *Script {
	_, args, err := object(r.script.Call.Arguments)
	if err != nil {
		return nil
	}
	changed := false
	for key, raw := range args {
		var text string
		if json.Unmarshal(raw, &text) == nil {
			args[key] = mustJSON(text + "x")
			changed = true
		}
	}
	if !changed {
		return nil
	}
	other := *r.script
	other.Call.Arguments = mustJSON(args)
	return &other
}

// tampered returns the state with one character in its middle changed to
// another of the same alphabet.
func tampered(state json.RawMessage) json.RawMessage {
	changed := bytes.Clone(state)
	middle := len(changed) / 2
	if changed[middle] == 'A' {
		changed[middle] = 'B'
	} else {
		changed[middle] = 'A'
	}
	return changed
}

// agreement returns an answer that agrees to whatever the request asks.
func agreement(request json.RawMessage) json.RawMessage {
	var req struct {
		Method string `json:"method"`
		Params struct {
			RequestedSchema struct {
				Properties map[string]property `json:"properties"`
			} `json:"requestedSchema"`
		} `json:"params"`
	}
	// What does not parse is answered with an acceptance of nothing.
	_ = json.Unmarshal(request, &req)
	switch req.Method {
	case protocol.MethodCreateMessage:
		return Sampled("forged").Result
	case protocol.MethodListRoots:
		return Roots("file:///forged").Result
	}
	content := make(map[string]any)
	for name, p := range req.Params.RequestedSchema.Properties {
		content[name] = p.value()
	}
	return Accept(content).Result
}

// property is what a requested schema says of one field.
type property struct {
	Type    string            `json:"type"`
	Enum    []json.RawMessage `json:"enum"`
	Minimum *float64          `json:"minimum"`
}

// value returns a value that the schema accepts and that agrees.
func (p property) value() any {
	switch {
	case len(p.Enum) > 0:
		return p.Enum[0]
	case p.Type == "boolean":
		return true
	case (p.Type == "integer" || p.Type == "number") && p.Minimum != nil:
		return *p.Minimum
	case p.Type == "integer" || p.Type == "number":
		return 1
	}
	return "forged"
}
