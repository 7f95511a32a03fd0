// Package mcpgo binds the shim to github.com/mark3labs/mcp-go. Migrated handlers
// import it as mrtr:
//
//	import mrtr "github.com/mrtr-migrate/mrtr-migrate/shim/mcpgo"
//
// Each function stands for a method of server.MCPServer and behaves like it on a
// peer that negotiates by initialize: there is no continuation in the context
// then, and the server's own method is called. On a 2026-07-28 peer the same call
// looks the answer up, or ends the round with the question.
//
// The explicit style checks after each ask:
//
//	res, err := mrtr.RequestElicitation(ctx, s, "confirm", mcp.ElicitationRequest{…})
//	if mrtr.Pending(ctx) {
//		return mrtr.InputRequired(ctx), nil
//	}
//	if err != nil {
//		return nil, err
//	}
//
// The blocking style changes only the receiver, and an unanswered ask does not
// return:
//
//	res, err := mrtr.Blocking(s, "confirm").RequestElicitation(ctx, mcp.ElicitationRequest{…})
//
// # Installation
//
// A [Binding] stands on both sides of the SDK, and both are needed:
//
//	binding := mrtr.Must(mrtr.New(mrtr.KeysFromEnvironment(), nil))
//	s := server.NewMCPServer("desk", "1.0", binding.Option(), …)
//	err := binding.ServeStdio(s)
//	err := binding.NewStreamableHTTPServer(s).Start(":8080")
//
// In front, it reads each message before the SDK's decoder does, keeps the answers
// and the state of a retry away from it, and takes note of the request as it came:
// the SDK decodes numbers into float64, and has no result type for input requests
// on resources/read. Behind, middleware opens the continuation around each
// handler. When the handler has ended, the continuation alone decides the result,
// and the front puts it on the wire in the place of whatever the SDK made of it:
// no content, contents, messages or cache hints beside input requests, and an
// error with its code, its data and its HTTP status.
//
// A 2026-07-28 request that reaches the middleware without having come through the
// front is refused, so that a transport that was not wrapped fails closed. Clients
// in the same process are the exception: the SDK asks them by a function call.
//
// # Which era a request is of
//
// A request is modern exactly when its own _meta names revision 2026-07-28. Any
// other request gets no continuation, and its asks go to its session, as many as
// it takes. See package shim for how replay works and what it asks of a handler.
package mcpgo
