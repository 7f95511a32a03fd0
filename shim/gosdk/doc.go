// Package gosdk binds the shim to the Go SDK,
// github.com/modelcontextprotocol/go-sdk. Migrated handlers import it as mrtr:
//
//	import mrtr "github.com/mrtr-migrate/mrtr-migrate/shim/gosdk"
//
// Each function stands for a method of mcp.ServerSession and behaves like it on
// a peer that still negotiates by initialize: there is no continuation in the
// context then, and the session's own method is called. On a 2026-07-28 peer the
// same call looks the answer up, or ends the round with the question.
//
// The explicit style checks after each ask:
//
//	res, err := mrtr.Elicit(ctx, req.Session, "confirm", &mcp.ElicitParams{…})
//	if mrtr.Pending(ctx) {
//		return mrtr.InputRequired(ctx), out, nil
//	}
//	if err != nil {
//		return nil, out, err
//	}
//
// The blocking style changes only the receiver, and an unanswered ask does not
// return:
//
//	res, err := mrtr.Blocking(req.Session, "confirm").Elicit(ctx, &mcp.ElicitParams{…})
//
// [NewMiddleware] opens and closes the continuations. What a handler returns while
// something is pending never reaches the wire: the middleware decides from the
// continuation alone. See package shim for how replay works and what it asks of a
// handler.
package gosdk
