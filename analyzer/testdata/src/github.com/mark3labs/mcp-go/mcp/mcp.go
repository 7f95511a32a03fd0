// Package mcp stands in for mcp-go's types in the analyzer's tests.
package mcp

import "context"

type (
	CallToolRequest      struct{ Name string }
	CallToolResult       struct{ IsError bool }
	GetPromptRequest     struct{}
	GetPromptResult      struct{}
	ReadResourceRequest  struct{}
	ResourceContents     interface{ isContents() }
	ElicitationRequest   struct{ Message string }
	ElicitationResult    struct{ Action string }
	CreateMessageRequest struct{}
	CreateMessageResult  struct{}
	ListRootsRequest     struct{}
	ListRootsResult      struct{ Roots []string }
	JSONRPCNotification  struct{}

	Tool     struct{ Name string }
	Prompt   struct{ Name string }
	Resource struct{ URI, Name string }
)

type ToolOption func(*Tool)

func NewTool(name string, opts ...ToolOption) Tool { return Tool{Name: name} }

type TypedToolHandlerFunc[T any] func(ctx context.Context, request CallToolRequest, args T) (*CallToolResult, error)

func NewTypedToolHandler[T any](handler TypedToolHandlerFunc[T]) func(ctx context.Context, request CallToolRequest) (*CallToolResult, error) {
	return nil
}
