// Package mcpgo asks through the other SDK.
package mcpgo

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

func New() *server.MCPServer {
	s := server.NewMCPServer("x", "1", server.WithToolHandlerMiddleware(guard))
	s.AddTool(mcp.NewTool("delete"), remove)
	s.AddTools(server.ServerTool{Tool: mcp.NewTool("field"), Handler: field})
	s.AddTool(mcp.NewTool("typed"), mcp.NewTypedToolHandler(typed))
	s.AddNotificationHandler("notifications/roots/list_changed", changed)
	return s
}

func remove(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	_, err := server.ServerFromContext(ctx).RequestElicitation(ctx, mcp.ElicitationRequest{}) // want `MRTR001 .*RequestElicitation sends elicitation/create .*; asked by tool delete \(remove\)$`
	return nil, err
}

func field(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	s := server.ServerFromContext(ctx)
	if _, err := s.RequestSampling(ctx, mcp.CreateMessageRequest{}); err != nil { // want `MRTR002 s\.RequestSampling .*; asked by tool field \(field\)$`
		return nil, err
	}
	_, err := s.RequestRoots(ctx, mcp.ListRootsRequest{}) // want `MRTR003 s\.RequestRoots .*; asked by tool field \(field\)$`
	return nil, err
}

func typed(ctx context.Context, req mcp.CallToolRequest, args struct{}) (*mcp.CallToolResult, error) {
	session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithElicitation)
	if !ok {
		return nil, nil
	}
	_, err := session.RequestElicitation(ctx, mcp.ElicitationRequest{}) // want `MRTR001 session\.RequestElicitation .*; asked by tool typed \(typed\)$`
	return nil, err
}

type requester interface {
	RequestElicitation(ctx context.Context, request mcp.ElicitationRequest) (*mcp.ElicitationResult, error)
}

func confirm(ctx context.Context, r requester) error {
	_, err := r.RequestElicitation(ctx, mcp.ElicitationRequest{}) // want `MRTR001 r\.RequestElicitation .*; asked by a tool \(guard\.func1 → confirm\)$`
	return err
}

func guard(next server.ToolHandlerFunc) server.ToolHandlerFunc {
	return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if err := confirm(ctx, server.ServerFromContext(ctx)); err != nil {
			return nil, err
		}
		return next(ctx, req)
	}
}

func changed(ctx context.Context, n mcp.JSONRPCNotification) {
	_, _ = server.ServerFromContext(ctx).RequestRoots(ctx, mcp.ListRootsRequest{}) // want `MRTR005 .*RequestRoots .*while serving a notification,`
}
