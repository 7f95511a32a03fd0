package briefing

import (
	"context"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// handover writes the prompt for a handover. Which shift it is, only the
// person knows.
func handover(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	team := req.Params.Arguments["team"]
	res, err := req.Session.Elicit(ctx, &mcp.ElicitParams{
		Message: fmt.Sprintf("Which shift are you handing over to %s?", team),
		RequestedSchema: &jsonschema.Schema{
			Type: "object",
			Properties: map[string]*jsonschema.Schema{
				"shift": {Type: "string", Enum: []any{"early", "late", "night"}},
				"open":  {Type: "boolean", Title: "There are open incidents", Default: []byte("false")},
			},
			Required: []string{"shift"},
		},
	})
	if err != nil {
		return nil, fmt.Errorf("handover: %w", err)
	}

	text := fmt.Sprintf("Write a handover note for %s.", team)
	if res.Action == "accept" {
		text = fmt.Sprintf("Write a handover note from the %s shift for %s.", res.Content["shift"], team)
		if res.Content["open"] == true {
			text += " Start with the open incidents."
		}
	}
	return &mcp.GetPromptResult{
		Description: "Handover to " + team,
		Messages: []*mcp.PromptMessage{
			{Role: "user", Content: &mcp.TextContent{Text: text}},
		},
	}, nil
}
