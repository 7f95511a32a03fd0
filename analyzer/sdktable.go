package analyzer

import "github.com/mrtr-migrate/mrtr-migrate/shim/protocol"

const (
	gosdk      = "github.com/modelcontextprotocol/go-sdk/mcp"
	mcpgo      = "github.com/mark3labs/mcp-go/server"
	mcpgoTypes = "github.com/mark3labs/mcp-go/mcp"
)

// sdks are all SDKs that the analyzer knows.
var sdks = []*sdk{
	{
		name:     "go-sdk",
		module:   "github.com/modelcontextprotocol/go-sdk",
		packages: []string{gosdk},
		types:    gosdk,
		asks: []askMethod{
			{funcName{gosdk, "ServerSession", "Elicit"}, Elicitation, 0, 1},
			{funcName{gosdk, "ServerSession", "CreateMessage"}, Sampling, 0, 1},
			{funcName{gosdk, "ServerSession", "CreateMessageWithTools"}, Sampling, 0, 1},
			{funcName{gosdk, "ServerSession", "ListRoots"}, Roots, 0, 1},
		},
		handlers: []registration{
			{funcName: funcName{gosdk, "", "AddTool"}, arg: 2, method: protocol.MethodCallTool, typed: true, item: 1, nameField: "Name"},
			{funcName: funcName{gosdk, "Server", "AddTool"}, arg: 1, method: protocol.MethodCallTool, item: 0, nameField: "Name"},
			{funcName: funcName{gosdk, "Server", "AddPrompt"}, arg: 1, method: protocol.MethodGetPrompt, item: 0, nameField: "Name"},
			{funcName: funcName{gosdk, "Server", "AddResource"}, arg: 1, method: protocol.MethodReadResource, item: 0, nameField: "URI"},
			{funcName: funcName{gosdk, "Server", "AddResourceTemplate"}, arg: 1, method: protocol.MethodReadResource, item: 0, nameField: "URITemplate"},
			{funcName: funcName{gosdk, "Server", "AddReceivingMiddleware"}, arg: 0, method: MethodAny, factory: true, item: -1},
		},
		fields: []handlerField{
			{pkg: gosdk, typ: "ServerOptions", field: "InitializedHandler", method: methodInitialized},
			{pkg: gosdk, typ: "ServerOptions", field: "RootsListChangedHandler", method: methodRootsChanged},
			{pkg: gosdk, typ: "ServerOptions", field: "ProgressNotificationHandler", method: methodProgress},
			{pkg: gosdk, typ: "ServerOptions", field: "CompletionHandler", method: methodComplete},
			{pkg: gosdk, typ: "ServerOptions", field: "SubscribeHandler", method: methodSubscribe},
			{pkg: gosdk, typ: "ServerOptions", field: "UnsubscribeHandler", method: methodUnsubscribe},
		},
		shapes: []handlerShape{
			{[]string{"*CallToolRequest"}, []string{"*CallToolResult"}, protocol.MethodCallTool, false},
			{[]string{"*CallToolRequest", "*"}, []string{"*CallToolResult", "*"}, protocol.MethodCallTool, true},
			{[]string{"*GetPromptRequest"}, []string{"*GetPromptResult"}, protocol.MethodGetPrompt, false},
			{[]string{"*ReadResourceRequest"}, []string{"*ReadResourceResult"}, protocol.MethodReadResource, false},
			{[]string{"string", "Request"}, []string{"Result"}, MethodAny, false},
		},
		servers: []funcName{{gosdk, "", "NewServer"}},
		http:    []funcName{{gosdk, "", "NewStreamableHTTPHandler"}},
		serve:   []funcName{{gosdk, "Server", "Run"}, {gosdk, "Server", "Connect"}},
		runtime: []string{
			"github.com/mrtr-migrate/mrtr-migrate/shim/gosdk",
			"github.com/mrtr-migrate/mrtr-migrate/legacyadapter",
		},
	},
	{
		name:     "mcp-go",
		module:   "github.com/mark3labs/mcp-go",
		packages: []string{mcpgo, mcpgoTypes},
		types:    mcpgoTypes,
		asks: []askMethod{
			{funcName{mcpgo, "MCPServer", "RequestElicitation"}, Elicitation, 0, 1},
			{funcName{mcpgo, "MCPServer", "RequestURLElicitation"}, Elicitation, 0, -1},
			{funcName{mcpgo, "MCPServer", "RequestSampling"}, Sampling, 0, 1},
			{funcName{mcpgo, "MCPServer", "RequestRoots"}, Roots, 0, 1},
			// What a handler gets that asserts its session to one of these.
			{funcName{mcpgo, "SessionWithElicitation", "RequestElicitation"}, Elicitation, 0, 1},
			{funcName{mcpgo, "SessionWithSampling", "RequestSampling"}, Sampling, 0, 1},
			{funcName{mcpgo, "SessionWithRoots", "ListRoots"}, Roots, 0, 1},
		},
		handlers: []registration{
			{funcName: funcName{mcpgo, "MCPServer", "AddTool"}, arg: 1, method: protocol.MethodCallTool, item: 0, nameField: "Name"},
			{funcName: funcName{mcpgo, "MCPServer", "AddSessionTool"}, arg: 2, method: protocol.MethodCallTool, item: 1, nameField: "Name"},
			{funcName: funcName{mcpgo, "MCPServer", "AddTaskTool"}, arg: 1, method: protocol.MethodCallTool, item: 0, nameField: "Name"},
			{funcName: funcName{mcpgo, "MCPServer", "AddPrompt"}, arg: 1, method: protocol.MethodGetPrompt, item: 0, nameField: "Name"},
			{funcName: funcName{mcpgo, "MCPServer", "AddResource"}, arg: 1, method: protocol.MethodReadResource, item: 0, nameField: "URI"},
			{funcName: funcName{mcpgo, "MCPServer", "AddSessionResource"}, arg: 2, method: protocol.MethodReadResource, item: 1, nameField: "URI"},
			{funcName: funcName{mcpgo, "MCPServer", "AddResourceTemplate"}, arg: 1, method: protocol.MethodReadResource, item: 0, nameField: "URITemplate"},
			{funcName: funcName{mcpgo, "MCPServer", "AddNotificationHandler"}, arg: 1, method: methodNotification, item: 0},
			{funcName: funcName{mcpgo, "", "WithToolHandlerMiddleware"}, arg: 0, method: protocol.MethodCallTool, factory: true, item: -1},
			{funcName: funcName{mcpgo, "", "WithResourceHandlerMiddleware"}, arg: 0, method: protocol.MethodReadResource, factory: true, item: -1},
			{funcName: funcName{mcpgo, "", "WithPromptHandlerMiddleware"}, arg: 0, method: protocol.MethodGetPrompt, factory: true, item: -1},
			{funcName: funcName{mcpgo, "Hooks", "AddOnRegisterSession"}, arg: 0, method: methodSession, item: -1},
			{funcName: funcName{mcpgo, "Hooks", "AddOnUnregisterSession"}, arg: 0, method: methodSession, item: -1},
			{funcName: funcName{mcpgo, "Hooks", "AddBeforeInitialize"}, arg: 0, method: methodInitialize, item: -1},
			{funcName: funcName{mcpgo, "Hooks", "AddAfterInitialize"}, arg: 0, method: methodInitialize, item: -1},
			{funcName: funcName{mcpgo, "Hooks", "AddBeforeListTools"}, arg: 0, method: methodList, item: -1},
			{funcName: funcName{mcpgo, "Hooks", "AddAfterListTools"}, arg: 0, method: methodList, item: -1},
		},
		fields: []handlerField{
			{pkg: mcpgo, typ: "ServerTool", field: "Handler", method: protocol.MethodCallTool, item: "Tool", nameField: "Name"},
			{pkg: mcpgo, typ: "ServerPrompt", field: "Handler", method: protocol.MethodGetPrompt, item: "Prompt", nameField: "Name"},
			{pkg: mcpgo, typ: "ServerResource", field: "Handler", method: protocol.MethodReadResource, item: "Resource", nameField: "URI"},
			{pkg: mcpgo, typ: "ServerResourceTemplate", field: "Handler", method: protocol.MethodReadResource, item: "Template", nameField: "URITemplate"},
		},
		shapes: []handlerShape{
			{[]string{"CallToolRequest"}, []string{"*CallToolResult"}, protocol.MethodCallTool, false},
			{[]string{"CallToolRequest", "*"}, []string{"*CallToolResult"}, protocol.MethodCallTool, true},
			{[]string{"GetPromptRequest"}, []string{"*GetPromptResult"}, protocol.MethodGetPrompt, false},
			{[]string{"ReadResourceRequest"}, []string{"[]ResourceContents"}, protocol.MethodReadResource, false},
		},
	},
}
