// Package demo shows the whole way of one server, from blocking calls to both
// eras of the protocol: it copies the server that the command carries to a
// temporary folder, lints, rewrites and builds it, and plays the same scripts
// to the original and to the result, as an old client and as a new one, over
// stdio and over Streamable HTTP, there through two instances in turns. It
// says "equal" only of what it has compared.
package demo
