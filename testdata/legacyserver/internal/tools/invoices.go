package tools

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// askFrom is the amount in euros from which somebody has to approve a payment.
const askFrom = 1000

type invoiceInput struct {
	Invoice string `json:"invoice" jsonschema:"the invoice's id"`
}

// payInvoice pays small invoices at once and asks about large ones.
func (d *desk) payInvoice(ctx context.Context, req *mcp.CallToolRequest, in invoiceInput) (*mcp.CallToolResult, any, error) {
	invoice, err := d.records.Invoice(in.Invoice)
	if err != nil {
		return nil, nil, err
	}
	if invoice.Paid {
		return nil, nil, errors.New("this invoice is paid already")
	}

	costCentre := "petty-cash"
	if invoice.Amount >= askFrom {
		if res, err := req.Session.Elicit(ctx, &mcp.ElicitParams{
			Message: fmt.Sprintf("Pay %d euros to %s? Which cost centre?", invoice.Amount, invoice.From),
			RequestedSchema: &jsonschema.Schema{
				Type: "object",
				Properties: map[string]*jsonschema.Schema{
					"costCentre": {Type: "string", MinLength: jsonschema.Ptr(2)},
				},
				Required: []string{"costCentre"},
			},
		}); err != nil {
			return nil, nil, fmt.Errorf("approval of invoice %s: %w", invoice.ID, err)
		} else if res.Action == "accept" {
			costCentre, _ = res.Content["costCentre"].(string)
		} else {
			return say("Invoice %s stays unpaid.", invoice.ID), nil, nil
		}
	}

	if err := d.records.PayInvoice(invoice.ID, costCentre); err != nil {
		return nil, nil, err
	}
	return say("Paid %d euros to %s from %s.", invoice.Amount, invoice.From, costCentre), nil, nil
}
