package tools

import (
	"context"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type maintenanceInput struct {
	Machine string `json:"machine" jsonschema:"the machine's id"`
}

type maintenanceOutput struct {
	Machine  string `json:"machine"`
	Day      string `json:"day,omitempty"`
	Hours    int    `json:"hours,omitempty"`
	Engineer string `json:"engineer,omitempty"`
}

// scheduleMaintenance asks for a window, then for one of the engineers who are
// on call on that day.
func (d *desk) scheduleMaintenance(ctx context.Context, req *mcp.CallToolRequest, in maintenanceInput) (*mcp.CallToolResult, maintenanceOutput, error) {
	out := maintenanceOutput{Machine: in.Machine}
	if _, err := d.records.Machine(in.Machine); err != nil {
		return nil, out, err
	}

	window, err := req.Session.Elicit(ctx, &mcp.ElicitParams{
		Message: fmt.Sprintf("When should %s be maintained?", in.Machine),
		RequestedSchema: &jsonschema.Schema{
			Type: "object",
			Properties: map[string]*jsonschema.Schema{
				"day": {Type: "string", Enum: oneOf("saturday", "sunday")},
				"hours": {
					Type:    "integer",
					Minimum: jsonschema.Ptr(1.0),
					Maximum: jsonschema.Ptr(8.0),
					Default: []byte("2"),
				},
			},
			Required: []string{"day"},
		},
	})
	if err != nil {
		return nil, out, err
	}
	if window.Action != "accept" {
		return say("No window chosen, nothing scheduled."), out, nil
	}
	day, _ := window.Content["day"].(string)
	hours, _ := window.Content["hours"].(float64)

	rota, err := d.records.Rota(day)
	if err != nil {
		return nil, out, err
	}
	onCall, err := req.Session.Elicit(ctx, &mcp.ElicitParams{
		Message: fmt.Sprintf("%s, %d hours: who does it?", titleCase(day), int(hours)),
		RequestedSchema: &jsonschema.Schema{
			Type: "object",
			Properties: map[string]*jsonschema.Schema{
				"engineer": {Type: "string", Enum: oneOf(rota.Engineers...)},
			},
			Required: []string{"engineer"},
		},
	})
	if err != nil {
		return nil, out, err
	}
	if onCall.Action != "accept" {
		return say("Nobody chosen for %s, nothing scheduled.", titleCase(day)), out, nil
	}
	out.Day, out.Hours = day, int(hours)
	out.Engineer, _ = onCall.Content["engineer"].(string)
	if err := d.records.ScheduleMaintenance(in.Machine, out.Day, out.Hours, out.Engineer); err != nil {
		return nil, out, err
	}
	return nil, out, nil
}
