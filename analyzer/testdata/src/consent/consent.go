// Package consent turns outcomes into values of its own; its callers decide.
package consent

import (
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Word returns the answer, and "" for every failure.
func Word(ctx context.Context, s *mcp.ServerSession, text string) string {
	res, err := s.Elicit(ctx, &mcp.ElicitParams{Message: text}) // want `MRTR001 `
	if err != nil {
		return ""
	}
	if res.Action != "accept" {
		return "no"
	}
	return "yes"
}

// Typed returns what was typed, and "" for everything else.
func Typed(ctx context.Context, s *mcp.ServerSession, text string) string {
	res, err := s.Elicit(ctx, &mcp.ElicitParams{Message: text}) // want `MRTR001 `
	if err != nil || res.Action != "accept" {
		return ""
	}
	v, _ := res.Content["answer"].(string)
	return v
}

var ErrDeclined = errors.New("declined")

// Lax returns an error for a refusal only.
func Lax(ctx context.Context, s *mcp.ServerSession) error {
	res, err := s.Elicit(ctx, &mcp.ElicitParams{}) // want `MRTR001 `
	if err != nil {
		return nil
	}
	switch res.Action {
	case "accept":
		return nil
	default:
		return ErrDeclined
	}
}

// Strict returns an error for everything but acceptance.
func Strict(ctx context.Context, s *mcp.ServerSession) error {
	res, err := s.Elicit(ctx, &mcp.ElicitParams{}) // want `MRTR001 `
	if err != nil {
		return err
	}
	if res.Action != "accept" {
		return ErrDeclined
	}
	return nil
}

// A Verdict tells outcomes apart.
type Verdict int

const (
	Unavailable Verdict = iota
	Yes
	No
)

// Ask returns a verdict.
func Ask(ctx context.Context, s *mcp.ServerSession) Verdict {
	res, err := s.Elicit(ctx, &mcp.ElicitParams{}) // want `MRTR001 `
	switch {
	case err != nil:
		return Unavailable
	case res.Action == "accept":
		return Yes
	}
	return No
}

// Decision is a verdict as a struct.
type Decision struct {
	Refused bool
	Reason  string
}

func Decide(ctx context.Context, s *mcp.ServerSession) Decision {
	res, err := s.Elicit(ctx, &mcp.ElicitParams{}) // want `MRTR001 `
	if err != nil {
		return Decision{Reason: err.Error()}
	}
	return Decision{Refused: res.Action != "accept"}
}
