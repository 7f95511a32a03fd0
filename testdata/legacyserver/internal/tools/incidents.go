package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// summariseIncident lets the client's model write the summary of an incident
// from its log.
func (d *desk) summariseIncident(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var in struct {
		Incident string `json:"incident"`
	}
	if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
		return nil, fmt.Errorf("arguments: %w", err)
	}
	incident, err := d.records.Incident(in.Incident)
	if err != nil {
		return failure(err), nil
	}

	res, err := req.Session.CreateMessage(ctx, &mcp.CreateMessageParams{
		SystemPrompt: "You write for the operations desk. Two sentences, no guesses.",
		Messages: []*mcp.SamplingMessage{{
			Role:    "user",
			Content: &mcp.TextContent{Text: "Summarise this log:\n" + strings.Join(incident.Log, "\n")},
		}},
		MaxTokens: 200,
	})
	if err != nil {
		return failure(fmt.Errorf("no summary: %w", err)), nil
	}
	text, ok := res.Content.(*mcp.TextContent)
	if !ok {
		return failure(fmt.Errorf("the model answered with %T instead of text", res.Content)), nil
	}

	if err := d.records.SummariseIncident(incident.ID, text.Text); err != nil {
		return failure(err), nil
	}
	return say("%s: %s", incident.ID, text.Text), nil
}

// failure returns an error as the tool's result, for the model to read.
func failure(err error) *mcp.CallToolResult {
	res := say("%v", err)
	res.IsError = true
	return res
}
