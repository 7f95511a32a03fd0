package answer

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// Elicitation checks the answer to elicitation/create against the requested
// schema. A schema that is nil or null accepts every object, as it does in the
// SDK's blocking call.
//
// The rules are those of the blocking call, in its order: content of an accept
// must fit the schema, then defaults are filled in; the answer is returned as it
// is when it has no content. Three things it let pass do not count here: an
// action other than accept, decline and cancel, accept without content where the
// schema requires a field, and a text that is ambiguous JSON.
//
// Decline and cancel are final whatever their content: content that is no object
// is dropped.
func Elicitation(raw, schema json.RawMessage) (json.RawMessage, error) {
	m, err := object(raw)
	if err != nil {
		return nil, err
	}
	action, _ := text(m["action"])
	if !isAction(action) {
		return nil, invalid("the action of the answer is none of accept, decline and cancel")
	}
	if action != protocol.ActionAccept {
		if !isObject(m["content"]) {
			delete(m, "content")
		}
		return keep(m, "action", "content")
	}
	var content map[string]any
	if !absent(m["content"]) {
		if err := json.Unmarshal(m["content"], &content); err != nil {
			return nil, invalid("the content of the answer is not a JSON object")
		}
	}
	if absent(schema) {
		return keep(m, "action", "content")
	}
	s, err := parseSchema(schema)
	if err != nil {
		return nil, &SchemaError{err}
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return nil, &SchemaError{err}
	}
	if content == nil && len(s.Required) == 0 {
		return keep(m, "action") // as before: no content, no defaults
	}
	filled, err := fit(resolved, content)
	if err != nil {
		return nil, err
	}
	if m["content"], err = encode(filled); err != nil {
		return nil, &SchemaError{err}
	}
	return keep(m, "action", "content")
}

// fit validates content and returns it with the defaults filled in.
func fit(resolved *jsonschema.Resolved, content map[string]any) (filled map[string]any, err error) {
	// The library documents a panic for defaults of the wrong type. The schema
	// is the server's own, but no panic of ours may end the process for it.
	defer func() {
		if r := recover(); r != nil {
			err = &SchemaError{fmt.Errorf("failed to apply schema defaults to elicitation result: schema is not usable (%T)", r)}
		}
	}()
	if content == nil {
		content = map[string]any{}
	}
	if err := resolved.Validate(content); err != nil {
		return nil, &InvalidError{
			Text:   fmt.Sprintf("elicitation result content does not match requested schema: %v", err),
			Reason: describe(resolved.Schema(), content),
		}
	}
	if err := resolved.ApplyDefaults(&content); err != nil {
		return nil, &SchemaError{fmt.Errorf("failed to apply schema defaults to elicitation result: %v", err)}
	}
	return content, nil
}

// describe says which fields of content do not fit s, by the names that the
// schema gives them: what the person typed, and names that the client made up,
// are not repeated.
func describe(s *jsonschema.Schema, content map[string]any) string {
	var faults []string
	for _, name := range s.Required {
		if _, ok := content[name]; !ok {
			faults = append(faults, fmt.Sprintf("%q is missing", name))
		}
	}
	extra := false
	for name := range content {
		if _, ok := s.Properties[name]; !ok {
			extra = true
		}
	}
	if extra && s.AdditionalProperties != nil {
		faults = append(faults, "it has fields that were not asked for")
	}
	for name, property := range s.Properties {
		value, ok := content[name]
		if !ok || property == nil || fits(property, value) {
			continue
		}
		switch {
		case len(property.Enum) > 0 || property.OneOf != nil || property.Items != nil:
			faults = append(faults, fmt.Sprintf("%q is none of the choices", name))
		default:
			faults = append(faults, fmt.Sprintf("%q is no %s as it was asked for", name, property.Type))
		}
	}
	if len(faults) == 0 {
		return "it does not fit the requested schema"
	}
	slices.Sort(faults)
	return strings.Join(faults, ", ")
}

func fits(s *jsonschema.Schema, value any) bool {
	resolved, err := s.CloneSchemas().Resolve(nil)
	return err == nil && resolved.Validate(value) == nil
}
