// Package mcp stands in for the official SDK in the analyzer's tests: the
// names and signatures that the table of SDKs knows, and nothing behind them.
package mcp

import (
	"context"
	"net/http"
)

type (
	Params  interface{ isParams() }
	Result  interface{ isResult() }
	Request interface{ isRequest() }
)

type ServerSession struct{}

func (*ServerSession) ID() string { return "" }

func (*ServerSession) Elicit(ctx context.Context, params *ElicitParams) (*ElicitResult, error) {
	return nil, nil
}

func (*ServerSession) CreateMessage(ctx context.Context, params *CreateMessageParams) (*CreateMessageResult, error) {
	return nil, nil
}

func (*ServerSession) CreateMessageWithTools(ctx context.Context, params *CreateMessageWithToolsParams) (*CreateMessageWithToolsResult, error) {
	return nil, nil
}

func (*ServerSession) ListRoots(ctx context.Context, params *ListRootsParams) (*ListRootsResult, error) {
	return nil, nil
}

func (*ServerSession) Log(ctx context.Context, params *LoggingMessageParams) error { return nil }

func (*ServerSession) InitializeParams() *InitializeParams { return nil }

type ClientSession struct{}

func (*ClientSession) CallTool(ctx context.Context, params *CallToolParams) (*CallToolResult, error) {
	return nil, nil
}

func (*ClientSession) ListTools(ctx context.Context, params *ListToolsParams) (*ListToolsResult, error) {
	return nil, nil
}

type ServerRequest[P Params] struct {
	Session *ServerSession
	Params  P
}

func (*ServerRequest[P]) isRequest() {}

type ClientRequest[P Params] struct {
	Session *ClientSession
	Params  P
}

func (*ClientRequest[P]) isRequest() {}

type (
	CallToolRequest         = ServerRequest[*CallToolParamsRaw]
	GetPromptRequest        = ServerRequest[*GetPromptParams]
	ReadResourceRequest     = ServerRequest[*ReadResourceParams]
	InitializedRequest      = ServerRequest[*InitializedParams]
	RootsListChangedRequest = ServerRequest[*RootsListChangedParams]
	CompleteRequest         = ServerRequest[*CompleteParams]
	ElicitRequest           = ClientRequest[*ElicitParams]
)

type (
	CallToolParamsRaw struct {
		Name      string
		Arguments []byte
	}
	CallToolParams struct {
		Name string
	}
	ListToolsParams struct{}
	ListToolsResult struct{}
	GetPromptParams struct {
		Arguments map[string]string
	}
	ReadResourceParams     struct{ URI string }
	InitializeParams       struct{}
	InitializedParams      struct{}
	RootsListChangedParams struct{}
	CompleteParams         struct{}
	LoggingMessageParams   struct{ Data any }
	ElicitParams           struct {
		Message         string
		RequestedSchema any
	}
	CreateMessageParams          struct{ SystemPrompt string }
	CreateMessageWithToolsParams struct{ SystemPrompt string }
	ListRootsParams              struct{}
)

func (*CallToolParamsRaw) isParams()      {}
func (*GetPromptParams) isParams()        {}
func (*ReadResourceParams) isParams()     {}
func (*InitializedParams) isParams()      {}
func (*RootsListChangedParams) isParams() {}
func (*CompleteParams) isParams()         {}
func (*ElicitParams) isParams()           {}

type (
	Content     interface{ isContent() }
	TextContent struct{ Text string }
	Root        struct{ URI string }

	ElicitResult struct {
		Action  string
		Content map[string]any
	}
	CreateMessageResult          struct{ Content Content }
	CreateMessageWithToolsResult struct{ Content []Content }
	ListRootsResult              struct{ Roots []*Root }
	CallToolResult               struct {
		Content []Content
		IsError bool
	}
	GetPromptResult    struct{ Description string }
	ReadResourceResult struct{ Contents []string }
	CompleteResult     struct{}
)

func (*TextContent) isContent()       {}
func (*CallToolResult) isResult()     {}
func (*GetPromptResult) isResult()    {}
func (*ReadResourceResult) isResult() {}

type (
	Implementation   struct{ Name, Version string }
	Tool             struct{ Name, Description string }
	Prompt           struct{ Name, Description string }
	Resource         struct{ Name, URI string }
	ResourceTemplate struct{ Name, URITemplate string }
)

type (
	ToolHandler                 func(context.Context, *CallToolRequest) (*CallToolResult, error)
	ToolHandlerFor[In, Out any] func(context.Context, *CallToolRequest, In) (*CallToolResult, Out, error)
	PromptHandler               func(context.Context, *GetPromptRequest) (*GetPromptResult, error)
	ResourceHandler             func(context.Context, *ReadResourceRequest) (*ReadResourceResult, error)
	MethodHandler               func(ctx context.Context, method string, req Request) (Result, error)
	Middleware                  func(MethodHandler) MethodHandler
)

type ServerOptions struct {
	InitializedHandler      func(context.Context, *InitializedRequest)
	RootsListChangedHandler func(context.Context, *RootsListChangedRequest)
	CompletionHandler       func(context.Context, *CompleteRequest) (*CompleteResult, error)
}

type ClientOptions struct {
	ElicitationHandler func(context.Context, *ElicitRequest) (*ElicitResult, error)
}

type Client struct{}

func NewClient(impl *Implementation, opts *ClientOptions) *Client { return nil }

type Server struct{}

func NewServer(impl *Implementation, opts *ServerOptions) *Server { return nil }

func AddTool[In, Out any](s *Server, t *Tool, h ToolHandlerFor[In, Out]) {}

func (*Server) AddTool(t *Tool, h ToolHandler)                             {}
func (*Server) AddPrompt(p *Prompt, h PromptHandler)                       {}
func (*Server) AddResource(r *Resource, h ResourceHandler)                 {}
func (*Server) AddResourceTemplate(t *ResourceTemplate, h ResourceHandler) {}
func (*Server) AddReceivingMiddleware(middleware ...Middleware)            {}
func (*Server) Run(ctx context.Context, t Transport) error                 { return nil }

type Transport interface{ isTransport() }

type StdioTransport struct{}

func (*StdioTransport) isTransport() {}

type StreamableHTTPOptions struct{ Stateless bool }

func NewStreamableHTTPHandler(getServer func(*http.Request) *Server, opts *StreamableHTTPOptions) http.Handler {
	return nil
}
