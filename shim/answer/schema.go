package answer

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// parseSchema reads a requested schema and holds it to the protocol's rule: a
// flat object of primitives, enumerations and multiple choices. It refuses what
// the blocking call of the SDK refuses, in the same words, because handlers hand
// these errors on.
func parseSchema(raw json.RawMessage) (*jsonschema.Schema, error) {
	s := new(jsonschema.Schema)
	if err := json.Unmarshal(raw, s); err != nil {
		return nil, err
	}
	if s.Type != "" && s.Type != "object" {
		return nil, fmt.Errorf("elicit schema must be of type 'object', got %q", s.Type)
	}
	names := make([]string, 0, len(s.Properties))
	for name := range s.Properties {
		names = append(names, name)
	}
	slices.Sort(names) // which of two faults is reported must not change between rounds
	for _, name := range names {
		if p := s.Properties[name]; p != nil {
			if err := checkProperty(p); err != nil {
				return nil, fmt.Errorf("elicit schema property %q %w", name, err)
			}
		}
	}
	return s, nil
}

func checkProperty(p *jsonschema.Schema) error {
	if len(p.Properties) > 0 {
		return fmt.Errorf("contains nested properties, only primitive properties are allowed")
	}
	switch p.Type {
	case "string":
		return checkString(p)
	case "number", "integer":
		return checkNumber(p)
	case "boolean":
		return checkDefault[bool](p)
	case "array":
		return checkChoices(p)
	}
	return fmt.Errorf("has unsupported type %q, only string, number, integer, boolean, and array are allowed", p.Type)
}

func checkString(p *jsonschema.Schema) error {
	if len(p.Enum) > 0 {
		return checkEnumNames(p)
	}
	if p.OneOf != nil {
		if err := checkTitled(p.OneOf); err != nil {
			return fmt.Errorf("oneOf has invalid entry: %v", err)
		}
		return nil
	}
	if p.Format != "" && !slices.Contains([]string{"email", "uri", "date", "date-time"}, p.Format) {
		return fmt.Errorf("has unsupported format %q, only email, uri, date, and date-time are allowed", p.Format)
	}
	if p.MinLength != nil && *p.MinLength < 0 {
		return fmt.Errorf("has invalid minLength %d, must be non-negative", *p.MinLength)
	}
	if p.MaxLength != nil && *p.MaxLength < 0 {
		return fmt.Errorf("has invalid maxLength %d, must be non-negative", *p.MaxLength)
	}
	if p.MinLength != nil && p.MaxLength != nil && *p.MaxLength < *p.MinLength {
		return fmt.Errorf("has maxLength %d less than minLength %d", *p.MaxLength, *p.MinLength)
	}
	return checkDefault[string](p)
}

// checkEnumNames checks the titles of a legacy enumeration.
func checkEnumNames(p *jsonschema.Schema) error {
	raw, ok := p.Extra["enumNames"]
	if !ok {
		return nil
	}
	names, ok := raw.([]any)
	if !ok {
		return fmt.Errorf("has invalid enumNames type, must be an array")
	}
	if len(names) != len(p.Enum) {
		return fmt.Errorf("has %d enum values but %d enumNames, they must match", len(p.Enum), len(names))
	}
	return nil
}

func checkNumber(p *jsonschema.Schema) error {
	if p.Minimum != nil && p.Maximum != nil && *p.Maximum < *p.Minimum {
		return fmt.Errorf("has maximum %g less than minimum %g", *p.Maximum, *p.Minimum)
	}
	if checkDefault[float64](p) != nil {
		return fmt.Errorf("has default value that cannot be interpreted as an int or float")
	}
	return nil
}

// checkChoices checks a multiple choice: an array of enumerated strings.
func checkChoices(p *jsonschema.Schema) error {
	if p.Items == nil {
		return fmt.Errorf("is array but missing 'items' definition")
	}
	switch p.Items.Type {
	case "string":
		if p.Items.Enum == nil {
			return fmt.Errorf("items must specify enum for untitled enums")
		}
	case "":
		if len(p.Items.AnyOf) == 0 {
			return fmt.Errorf("items must specify anyOf for titled enums")
		}
		if err := checkTitled(p.Items.AnyOf); err != nil {
			return fmt.Errorf("items has invalid entry: %v", err)
		}
	default:
		return fmt.Errorf("items have unsupported type %q", p.Items.Type)
	}
	return nil
}

func checkTitled(entries []*jsonschema.Schema) error {
	for _, e := range entries {
		if e == nil || e.Const == nil {
			return fmt.Errorf("const is required for titled enum entries")
		}
		value, ok := (*e.Const).(string)
		switch {
		case !ok:
			return fmt.Errorf("const must be a string for titled enum entries")
		case value == "":
			return fmt.Errorf("const cannot be empty for titled enum entries")
		case e.Title == "":
			return fmt.Errorf("title is required for titled enum entries")
		}
	}
	return nil
}

func checkDefault[T any](p *jsonschema.Schema) error {
	if p.Default == nil {
		return nil
	}
	var v T
	if err := json.Unmarshal(p.Default, &v); err != nil {
		return fmt.Errorf("has invalid default value, must be a %T: %v", v, err)
	}
	return nil
}
