package mcpgo

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mrtr-migrate/mrtr-migrate/shim"
	"github.com/mrtr-migrate/mrtr-migrate/shim/internal/binding"
)

// Pending reports whether the handler must return now: an ask of this request is
// unanswered, a fault has ended the operation, or the request of ctx is over. It
// is false without a continuation, where asks wait for their answers.
func Pending(ctx context.Context) bool {
	c := shim.FromContext(ctx)
	return c != nil && c.Pending()
}

// InputRequired returns what a tool's handler returns where [Pending] is true.
// The binding puts the questions on the wire in its place. After a fault, and
// where nothing is pending, it is an error result.
func InputRequired(ctx context.Context) *mcp.CallToolResult {
	if err := binding.NotPending(shim.FromContext(ctx)); err != nil {
		return mcp.NewToolResultError(err.Error())
	}
	return &mcp.CallToolResult{Result: inputRequired()}
}

// PromptInputRequired is [InputRequired] for the handler of a prompt.
func PromptInputRequired(ctx context.Context) *mcp.GetPromptResult {
	if binding.NotPending(shim.FromContext(ctx)) != nil {
		return nil // prompts have no error result: a nil one is made an error
	}
	return &mcp.GetPromptResult{Result: inputRequired()}
}

// ResourceInputRequired is [InputRequired] for the handler of a resource or of a
// resource template. What it returns stands for no contents, and is an error
// where nothing is pending.
func ResourceInputRequired(context.Context) []mcp.ResourceContents {
	return []mcp.ResourceContents{unanswered{}}
}

func inputRequired() mcp.Result { return mcp.Result{ResultType: mcp.ResultTypeInputRequired} }

// unanswered are the contents of a resource that is not read yet.
type unanswered struct{ mcp.TextResourceContents }
