package analyzer

import "github.com/mrtr-migrate/mrtr-migrate/shim/protocol"

// This file is all that the analyzer knows by name of the SDKs. To add one,
// add an entry to sdks; to add a method to one, add a line to its entry. Names
// that a version of an SDK does not have are skipped, so one entry serves all
// versions.

// An sdk describes a library with which servers are written.
type sdk struct {
	// name stands in messages.
	name string
	// module is the module path, without a major version's suffix where
	// several are alike. A go.mod that requires it makes its module's packages
	// worth a look.
	module string
	// packages are the import paths of the SDK's own packages. Nothing is
	// derived from their bodies: what matters of them is in this entry.
	packages []string

	asks     []askMethod
	handlers []registration
	fields   []handlerField
	shapes   []handlerShape
	servers  []funcName
	http     []funcName
	serve    []funcName
}

// A funcName names a function, or a method of the (pointer to the) type recv.
type funcName struct {
	pkg, recv, name string
}

// An askMethod is a method that sends a request to the client and waits.
type askMethod struct {
	funcName
	kind Kind
	// ctx and params are the places of these arguments, -1 for none.
	ctx, params int
	// guarded reports that the method refuses by itself on a session that
	// cannot be asked.
	guarded bool
}

// A registration is a function that makes one of its arguments a handler.
type registration struct {
	funcName
	arg    int
	method string
	typed  bool
	// item is the argument that holds the name, in the struct field nameField
	// or, if that is empty, as the first argument of the call that makes it.
	item      int
	nameField string
	// makes is 1 if the argument is a function that returns the handler
	// (middleware).
	makes int
}

// A handlerField is a struct field whose function serves requests.
type handlerField struct {
	pkg, typ, field string
	method          string
	// nameIn is the sibling field that describes what is served.
	nameIn    string
	nameField string
}

// A handlerShape is a signature that only handlers have: the parameters after
// the context and the first result, as types of the package. An entry "*"
// matches any type.
type handlerShape struct {
	params  []string
	results []string
	method  string
	typed   bool
}

const (
	gosdk = "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Names of the entry points that serve none of the three methods.
const (
	methodInitialized  = "notifications/initialized"
	methodRootsChanged = "notifications/roots/list_changed"
	methodProgress     = "notifications/progress"
	methodComplete     = "completion/complete"
	methodSubscribe    = "resources/subscribe"
	methodUnsubscribe  = "resources/unsubscribe"
)

var sdks = []*sdk{
	{
		name:     "go-sdk",
		module:   "github.com/modelcontextprotocol/go-sdk",
		packages: []string{gosdk},
		asks: []askMethod{
			{funcName{gosdk, "ServerSession", "Elicit"}, Elicitation, 0, 1, true},
			{funcName{gosdk, "ServerSession", "CreateMessage"}, Sampling, 0, 1, true},
			{funcName{gosdk, "ServerSession", "CreateMessageWithTools"}, Sampling, 0, 1, true},
			{funcName{gosdk, "ServerSession", "ListRoots"}, Roots, 0, 1, true},
		},
		handlers: []registration{
			{funcName: funcName{gosdk, "", "AddTool"}, arg: 2, method: protocol.MethodCallTool, typed: true, item: 1, nameField: "Name"},
			{funcName: funcName{gosdk, "Server", "AddTool"}, arg: 1, method: protocol.MethodCallTool, item: 0, nameField: "Name"},
			{funcName: funcName{gosdk, "Server", "AddPrompt"}, arg: 1, method: protocol.MethodGetPrompt, item: 0, nameField: "Name"},
			{funcName: funcName{gosdk, "Server", "AddResource"}, arg: 1, method: protocol.MethodReadResource, item: 0, nameField: "URI"},
			{funcName: funcName{gosdk, "Server", "AddResourceTemplate"}, arg: 1, method: protocol.MethodReadResource, item: 0, nameField: "URITemplate"},
			{funcName: funcName{gosdk, "Server", "AddReceivingMiddleware"}, arg: 0, method: MethodAny, item: -1, makes: 1},
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
	},
}
