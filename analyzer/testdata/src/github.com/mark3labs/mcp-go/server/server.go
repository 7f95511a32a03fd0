// Package server stands in for mcp-go's server in the analyzer's tests.
package server

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
)

type (
	ToolHandlerFunc         func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error)
	PromptHandlerFunc       func(ctx context.Context, request mcp.GetPromptRequest) (*mcp.GetPromptResult, error)
	ResourceHandlerFunc     func(ctx context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error)
	NotificationHandlerFunc func(ctx context.Context, notification mcp.JSONRPCNotification)
	ToolHandlerMiddleware   func(ToolHandlerFunc) ToolHandlerFunc
	ServerOption            func(*MCPServer)

	ServerTool struct {
		Tool    mcp.Tool
		Handler ToolHandlerFunc
	}
)

type MCPServer struct{}

func NewMCPServer(name, version string, opts ...ServerOption) *MCPServer { return nil }

func ServerFromContext(ctx context.Context) *MCPServer { return nil }

func ClientSessionFromContext(ctx context.Context) ClientSession { return nil }

func WithToolHandlerMiddleware(m ToolHandlerMiddleware) ServerOption { return nil }

func (*MCPServer) AddTool(tool mcp.Tool, handler ToolHandlerFunc)                        {}
func (*MCPServer) AddTools(tools ...ServerTool)                                          {}
func (*MCPServer) AddPrompt(prompt mcp.Prompt, handler PromptHandlerFunc)                {}
func (*MCPServer) AddResource(resource mcp.Resource, handler ResourceHandlerFunc)        {}
func (*MCPServer) AddNotificationHandler(method string, handler NotificationHandlerFunc) {}

func (*MCPServer) RequestElicitation(ctx context.Context, request mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	return nil, nil
}

func (*MCPServer) RequestSampling(ctx context.Context, request mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	return nil, nil
}

func (*MCPServer) RequestRoots(ctx context.Context, request mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	return nil, nil
}

type ClientSession interface {
	SessionID() string
}

type SessionWithElicitation interface {
	ClientSession
	RequestElicitation(ctx context.Context, request mcp.ElicitationRequest) (*mcp.ElicitationResult, error)
}

type SessionWithRoots interface {
	ClientSession
	ListRoots(ctx context.Context, request mcp.ListRootsRequest) (*mcp.ListRootsResult, error)
}
