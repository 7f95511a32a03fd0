package tools

import (
	"context"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type customerInput struct {
	Customer string `json:"customer" jsonschema:"the customer's id"`
}

type customerOutput struct {
	Customer string `json:"customer"`
	Archived bool   `json:"archived"`
}

// archiveCustomer archives a customer once somebody has confirmed it.
func (d *desk) archiveCustomer(ctx context.Context, req *mcp.CallToolRequest, in customerInput) (*mcp.CallToolResult, customerOutput, error) {
	customer, err := d.records.Customer(in.Customer)
	if err != nil {
		return nil, customerOutput{}, err
	}
	res, err := req.Session.Elicit(ctx, &mcp.ElicitParams{
		Message:         fmt.Sprintf("Archive %s? Their projects become read-only.", customer.Name),
		RequestedSchema: yesNo("Archive"),
	})
	if err != nil {
		return nil, customerOutput{}, fmt.Errorf("asking for confirmation: %w", err)
	}
	// Both "no" and closing the dialogue leave the customer alone.
	if res.Action != "accept" || res.Content["confirm"] != true {
		return say("%s stays active.", customer.Name), customerOutput{Customer: customer.ID}, nil
	}
	if err := d.records.ArchiveCustomer(customer.ID); err != nil {
		return nil, customerOutput{}, err
	}
	return nil, customerOutput{Customer: customer.ID, Archived: true}, nil
}

type transferInput struct {
	Customer string `json:"customer" jsonschema:"the customer's id"`
	To       string `json:"to" jsonschema:"the employee who takes over"`
}

// transferCustomer asks the present owner, who may agree, say no with a
// reason, or not decide now.
func (d *desk) transferCustomer(ctx context.Context, req *mcp.CallToolRequest, in transferInput) (*mcp.CallToolResult, any, error) {
	customer, err := d.records.Customer(in.Customer)
	if err != nil {
		return nil, nil, err
	}
	answer, err := req.Session.Elicit(ctx, &mcp.ElicitParams{
		Message: fmt.Sprintf("%s, may %s take over %s?", customer.Owner, in.To, customer.Name),
		RequestedSchema: &jsonschema.Schema{
			Type: "object",
			Properties: map[string]*jsonschema.Schema{
				"note": {Type: "string", Title: "A note for the file", MaxLength: jsonschema.Ptr(200)},
			},
		},
	})
	if err != nil {
		return nil, nil, err
	}
	switch answer.Action {
	case "accept":
		if err := d.records.TransferCustomer(customer.ID, in.To); err != nil {
			return nil, nil, err
		}
		if note, _ := answer.Content["note"].(string); note != "" {
			return say("%s now looks after %s. Note: %s", in.To, customer.Name, note), nil, nil
		}
		return say("%s now looks after %s.", in.To, customer.Name), nil, nil
	case "decline":
		return say("%s keeps %s.", customer.Owner, customer.Name), nil, nil
	case "cancel":
		return say("%s has not decided yet. Ask again later.", customer.Owner), nil, nil
	default:
		return nil, nil, fmt.Errorf("unexpected answer %q", answer.Action)
	}
}
