// Package briefing holds what the desk has to say: the prompts for people who
// take over, and the documents that they may read.
package briefing

import (
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mrtr-migrate/mrtr-migrate/testdata/legacyserver/internal/store"
)

// Register adds the desk's prompts and resources to the server.
func Register(server *mcp.Server, records *store.Store) {
	server.AddPrompt(&mcp.Prompt{
		Name:        "handover",
		Description: "Hand the desk over to the next shift.",
		Arguments: []*mcp.PromptArgument{
			{Name: "team", Description: "the team that takes over", Required: true},
		},
	}, handover)

	server.AddResourceTemplate(&mcp.ResourceTemplate{
		Name:        "payroll",
		Description: "What was paid out in a month. Confidential: you are asked for a reason.",
		URITemplate: "desk://payroll/{month}",
		MIMEType:    "application/json",
	}, payroll(records))
}
