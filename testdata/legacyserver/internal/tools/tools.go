// Package tools holds the tools of the operations desk.
package tools

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mrtr-migrate/mrtr-migrate/testdata/legacyserver/internal/consent"
	"github.com/mrtr-migrate/mrtr-migrate/testdata/legacyserver/internal/store"
)

// desk is what all tools share.
type desk struct {
	records *store.Store
	gate    *consent.Gate
}

// Register adds the desk's tools to the server.
func Register(server *mcp.Server, records *store.Store) {
	d := &desk{records: records, gate: &consent.Gate{House: "Operations desk"}}

	mcp.AddTool(server, &mcp.Tool{
		Name:        "list_machines",
		Description: "List the machines that the desk looks after.",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true},
	}, d.listMachines)
	mcp.AddTool(server, &mcp.Tool{
		Name:        "archive_customer",
		Description: "Archive a customer, after confirmation.",
	}, d.archiveCustomer)
	mcp.AddTool(server, &mcp.Tool{
		Name:        "transfer_customer",
		Description: "Give a customer to another employee, if the customer's owner agrees.",
	}, d.transferCustomer)
	mcp.AddTool(server, &mcp.Tool{
		Name:        "schedule_maintenance",
		Description: "Book a maintenance window for a machine.",
	}, d.scheduleMaintenance)
	mcp.AddTool(server, &mcp.Tool{
		Name:        "release_app",
		Description: "Put a version of an app into production.",
	}, d.releaseApp)
	mcp.AddTool(server, &mcp.Tool{
		Name:        "pay_invoice",
		Description: "Pay an invoice. Large ones need a cost centre.",
	}, d.payInvoice)
	mcp.AddTool(server, &mcp.Tool{
		Name:        "prune_backups",
		Description: "Delete the expired backups of a machine, one confirmation each.",
	}, d.pruneBackups)
	mcp.AddTool(server, &mcp.Tool{
		Name:        "suspend_account",
		Description: "Lock the account of an employee.",
	}, d.suspendAccount)
	mcp.AddTool(server, &mcp.Tool{
		Name:        "grant_access",
		Description: "Let an employee onto a machine, or queue the request for the morning round.",
	}, d.grantAccess)
	mcp.AddTool(server, &mcp.Tool{
		Name:        "register_workspaces",
		Description: "Remember the folders that you work in.",
	}, d.registerWorkspaces)
	mcp.AddTool(server, &mcp.Tool{
		Name:        "provision_machine",
		Description: "Start a new machine and attach a disk to it.",
	}, d.provisionMachine)
	mcp.AddTool(server, &mcp.Tool{
		Name:        "retire_machine",
		Description: "Take a machine out of service.",
	}, d.retireMachine)
	mcp.AddTool(server, &mcp.Tool{
		Name:        "flush_cache",
		Description: "Empty the cache of a region.",
	}, d.flushCache)
	mcp.AddTool(server, &mcp.Tool{
		Name:        "page_oncall",
		Description: "Call out the engineer on call, or the deputy if nobody answers in time.",
	}, d.pageOnCall)

	// The incident's schema is written by hand: its id has a pattern.
	server.AddTool(&mcp.Tool{
		Name:        "summarise_incident",
		Description: "Have the client's model summarise an incident.",
		InputSchema: &jsonschema.Schema{
			Type: "object",
			Properties: map[string]*jsonschema.Schema{
				"incident": {Type: "string", Pattern: "^INC-[0-9]+$"},
			},
			Required: []string{"incident"},
		},
	}, d.summariseIncident)
}

// say returns a result with one line of text.
func say(format string, args ...any) *mcp.CallToolResult {
	return &mcp.CallToolResult{
		Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(format, args...)}},
	}
}

// yesNo is the schema of a question that has only two answers.
func yesNo(title string) *jsonschema.Schema {
	return &jsonschema.Schema{
		Type:       "object",
		Properties: map[string]*jsonschema.Schema{"confirm": {Type: "boolean", Title: title}},
		Required:   []string{"confirm"},
	}
}

// confirm asks a yes-or-no question and reports whether the answer was yes.
func confirm(ctx context.Context, session *mcp.ServerSession, question string) (bool, error) {
	res, err := session.Elicit(ctx, &mcp.ElicitParams{
		Message:         question,
		RequestedSchema: yesNo("Yes"),
	})
	if err != nil {
		return false, err
	}
	return res.Action == "accept" && res.Content["confirm"] == true, nil
}

// oneOf lists strings as the values of an enumeration.
func oneOf(values ...string) []any {
	enum := make([]any, len(values))
	for i, v := range values {
		enum[i] = v
	}
	return enum
}

// titleCase writes a word with a capital, as in "Saturday".
func titleCase(word string) string {
	if word == "" {
		return ""
	}
	return strings.ToUpper(word[:1]) + word[1:]
}
