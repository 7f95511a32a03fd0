// Package consent asks people before something is done in their name. It
// knows no session, only somebody who can be asked, so that it can be tested
// without a client.
package consent

import (
	"context"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Asker is what can put a question to the person at the other end: a
// *mcp.ServerSession, or a fake in tests.
type Asker interface {
	Elicit(ctx context.Context, params *mcp.ElicitParams) (*mcp.ElicitResult, error)
}

var _ Asker = (*mcp.ServerSession)(nil)

// Gate asks for consent and remembers the wording of the house.
type Gate struct {
	// House is the name under which we ask.
	House string
}

// Given reports whether the person agrees to the action. Not agreeing is no
// error; not being able to ask is.
func (g *Gate) Given(ctx context.Context, who Asker, action string) (bool, error) {
	res, err := who.Elicit(ctx, &mcp.ElicitParams{
		Message: fmt.Sprintf("%s: %s?", g.House, action),
		RequestedSchema: &jsonschema.Schema{
			Type: "object",
			Properties: map[string]*jsonschema.Schema{
				"agree": {Type: "boolean", Title: "I agree"},
			},
			Required: []string{"agree"},
		},
	})
	if err != nil {
		return false, fmt.Errorf("asking for consent: %w", err)
	}
	agree, _ := res.Content["agree"].(bool)
	return res.Action == "accept" && agree, nil
}
