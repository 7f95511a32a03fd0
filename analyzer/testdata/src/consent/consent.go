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
	res, err := s.Elicit(ctx, &mcp.ElicitParams{}) // want `MRTR001 ` `MRTR010 fail-open: if s\.Elicit fails, Lax returns the same as for "accept" \(consent\.go:39\), so its callers go on`
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

// Middleware hands its verdict to a framework elsewhere.
type Middleware struct{ strict bool }

func (m *Middleware) Before(ctx context.Context, s *mcp.ServerSession) error {
	if err := m.check(ctx, s); err != nil {
		return err
	}
	return nil
}

func (m *Middleware) check(ctx context.Context, s *mcp.ServerSession) error {
	ok, err := ask(ctx, s) // want `MRTR010 fail-open: if ask fails, Middleware\.check returns the same as for "accept"`
	if err != nil {
		return nil
	}
	if !ok {
		return ErrDeclined
	}
	return nil
}

// Configured lets a setting decide.
func (m *Middleware) Configured(ctx context.Context, s *mcp.ServerSession) error {
	ok, err := ask(ctx, s)
	if err != nil && m.strict {
		return err
	}
	if err == nil && !ok {
		return ErrDeclined
	}
	return nil
}

func ask(ctx context.Context, s *mcp.ServerSession) (bool, error) {
	res, err := s.Elicit(ctx, &mcp.ElicitParams{}) // want `MRTR001 `
	if err != nil {
		return false, err
	}
	return res.Action == "accept", nil
}

// Name falls back to a default: that is no leave to do anything.
func Name(ctx context.Context, s *mcp.ServerSession) string {
	res, err := s.Elicit(ctx, &mcp.ElicitParams{}) // want `MRTR001 `
	if err != nil || res.Action != "accept" {
		return "default"
	}
	name, _ := res.Content["name"].(string)
	return name
}
