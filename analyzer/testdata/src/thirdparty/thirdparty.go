// Package thirdparty decorates handlers for others.
package thirdparty

import "github.com/modelcontextprotocol/go-sdk/mcp"

func Logged[In, Out any](h mcp.ToolHandlerFor[In, Out]) mcp.ToolHandlerFor[In, Out] { return h }

// Run runs what it is given.
func Run(f func() error) error { return f() }
