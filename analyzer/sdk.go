package analyzer

import "github.com/mrtr-migrate/mrtr-migrate/shim/protocol"

// This file describes an SDK to the analyzer; sdktable.go holds the entries.

// An sdk describes a library with which servers are written. To support
// another one, add an entry to sdks. Names that a version of it does not have
// are never met, so one entry serves all its versions.
type sdk struct {
	// name stands in messages.
	name string
	// module is its module path. Packages of a module whose go.mod requires it
	// are worth a look.
	module string
	// packages are the import paths of its packages. Nothing is derived from
	// their bodies: what matters of them is in this entry.
	packages []string
	// types is the package of the types in shapes.
	types string

	asks     []askMethod
	handlers []registration
	fields   []handlerField
	shapes   []handlerShape
	servers  []funcName // make a server
	http     []funcName // make an HTTP endpoint
	serve    []funcName // serve a transport
	runtime  []string   // import paths of our own binding, whose asks are migrated
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
}

// A registration is a function that makes one of its arguments a handler.
type registration struct {
	funcName
	arg    int // the handler's place among the arguments
	method string
	typed  bool
	// factory reports that the argument is a function that returns the handler
	// (middleware).
	factory bool
	// item is the place of what describes the tool, prompt or resource, -1 for
	// none, anyItem if it may be any argument; nameField the field that holds
	// its name. An item that a call makes
	// has its name as the first argument of that call, and a string is the
	// name itself.
	item      int
	nameField string
}

// anyItem says that any argument may hold the name.
const anyItem = -2

// A handlerField is a struct field whose function serves requests.
type handlerField struct {
	pkg, typ, field string
	method          string
	// item is the sibling field that describes what is served, "" for none.
	item, nameField string
}

// A handlerShape is a signature that only handlers have: what follows the
// context among the parameters, and what precedes the error among the results.
// "*" matches any type; other names are basic types or types of sdk.types,
// with a star or brackets before them.
type handlerShape struct {
	params, results []string
	method          string
	typed           bool
}

// Methods of entry points other than the three that can end in an
// InputRequiredResult.
const (
	methodInitialize   = "initialize"
	methodInitialized  = "notifications/initialized"
	methodRootsChanged = "notifications/roots/list_changed"
	methodProgress     = "notifications/progress"
	methodNotification = "a notification"
	methodSession      = "the start or end of a session"
	methodComplete     = "completion/complete"
	methodSubscribe    = "resources/subscribe"
	methodUnsubscribe  = "resources/unsubscribe"
	methodList         = "a list request"
	methodOutside      = "" // no request at all: main, init
)

// canRequireInput reports whether what serves this method may end in an
// InputRequiredResult.
func canRequireInput(method string) bool {
	return method == MethodAny || protocol.Multiround(method)
}
