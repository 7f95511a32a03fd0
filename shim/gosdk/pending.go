package gosdk

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
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
// The middleware puts the questions on the wire in its place. After a fault, and
// where nothing is pending, it is an error result.
func InputRequired(ctx context.Context) *mcp.CallToolResult {
	if err := notPending(ctx); err != nil {
		res := new(mcp.CallToolResult)
		res.SetError(err)
		return res
	}
	// An empty map keeps the SDK from checking a typed handler's zero output
	// against its schema.
	return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{}}
}

// PromptInputRequired is [InputRequired] for the handler of a prompt.
func PromptInputRequired(ctx context.Context) *mcp.GetPromptResult {
	if notPending(ctx) != nil {
		return nil // prompts have no error result: the middleware makes a nil one an error
	}
	return &mcp.GetPromptResult{InputRequests: mcp.InputRequestMap{}}
}

// ResourceInputRequired is [InputRequired] for the handler of a resource.
func ResourceInputRequired(ctx context.Context) *mcp.ReadResourceResult {
	if notPending(ctx) != nil {
		return nil
	}
	return &mcp.ReadResourceResult{InputRequests: mcp.InputRequestMap{}}
}

// notPending returns the fault of the request of ctx, or the fault of asking for
// a result without a question, or nil if a question is pending.
func notPending(ctx context.Context) error { return binding.NotPending(shim.FromContext(ctx)) }
