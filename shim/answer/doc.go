// Package answer decides whether what a client sent as the answer to a question
// is one. It knows JSON and JSON Schema, and no SDK.
//
// The kind of an answer follows from the question, never from its shape: an
// object with both "roots" and "action" that answers an elicitation is read as
// an elicitation and as nothing else. Member names are compared exactly, and a
// text with a duplicate member, invalid UTF-8 or excessive depth is no answer at
// all, so that two readers cannot see two answers in it.
//
// Each function returns the answer in the form in which it is kept: compact,
// without members that no reader of this kind knows, with the defaults of the
// schema filled in. Every error is an [*InvalidError], for which the question is
// asked again, or a [*SchemaError], for which that would not help.
package answer
