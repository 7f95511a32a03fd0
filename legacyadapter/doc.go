// Package legacyadapter lets one server speak to peers of both eras of the
// protocol: those that negotiate a revision up to 2025-11-25 with initialize and
// are asked over a live session, and those of 2026-07-28, whose every request
// stands alone and is asked by its result.
//
// Three things wrap what a program already has, and mrtr-migrate rewrite writes
// them:
//
//	server := legacyadapter.MustInstall(mcp.NewServer(info, nil), mrtr.KeysFromEnvironment())
//	handler := legacyadapter.NewStreamableHTTPHandler(getServer, nil)
//	err := server.Run(ctx, legacyadapter.Transport(&mcp.StdioTransport{}))
//
// # Which era a request is of
//
// A request is modern exactly when its own _meta names revision 2026-07-28. Any
// other request is of the era of its session's initialize (rules 22 and 31).
// Nothing else decides: no earlier request on the connection, no
// server/discover, no name or version of a client, and not the revision that a
// client asked for in initialize but the one that it got.
//
// A modern request goes to the shim, and nothing is asked while it runs: an ask
// on a live session is refused even for a handler that kept one. A request of
// an older peer gets no continuation, so that asks go to its session as they
// always did, as many as it takes; the SDK's own InputRequests, which such a
// peer does not know, are fulfilled here, and none of the fields of multi
// round-trip requests ever leaves towards it.
//
// The gate is receiving middleware. What a program adds after it runs outside
// of it: such middleware sees one call for each round of a modern peer, and one
// for each request of an older one. The result of a round that asks is of a type
// of its own, not a *mcp.CallToolResult: assert the type of a result with the form
// that returns two values.
package legacyadapter
