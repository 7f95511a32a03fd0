package briefing

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mrtr-migrate/mrtr-migrate/testdata/legacyserver/internal/store"
)

// errNoReason is what a reader gets who does not say why.
var errNoReason = errors.New("payroll is shown only for a reason")

// payroll returns the handler of the payroll documents. Every reader has to
// give a reason, which is kept.
func payroll(records *store.Store) mcp.ResourceHandler {
	return func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		month := strings.TrimPrefix(req.Params.URI, "desk://payroll/")
		sheet, err := records.Payroll(month)
		if errors.Is(err, store.ErrNotFound) {
			return nil, mcp.ResourceNotFoundError(req.Params.URI)
		}
		if err != nil {
			return nil, err
		}

		res, err := req.Session.Elicit(ctx, &mcp.ElicitParams{
			Message: "The payroll of " + month + " is confidential. Why do you need it?",
			RequestedSchema: &jsonschema.Schema{
				Type: "object",
				Properties: map[string]*jsonschema.Schema{
					"reason": {Type: "string", MinLength: jsonschema.Ptr(5)},
				},
				Required: []string{"reason"},
			},
		})
		if err != nil {
			return nil, err
		}
		if res.Action != "accept" {
			return nil, errNoReason
		}
		reason, _ := res.Content["reason"].(string)
		if err := records.LogAccess("payroll/"+month, reason); err != nil {
			return nil, err
		}

		data, err := json.Marshal(sheet)
		if err != nil {
			return nil, err
		}
		return &mcp.ReadResourceResult{
			Contents: []*mcp.ResourceContents{
				{URI: req.Params.URI, MIMEType: "application/json", Text: string(data)},
			},
		}, nil
	}
}
