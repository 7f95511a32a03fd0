// Package vetunit is the command's side of the protocol that go vet speaks with
// a vet tool: the go command runs the tool once for each package of a build and
// of its dependencies, and hands the facts of one run to the next.
//
// The driver of golang.org/x/tools serves any analyzers, and has to parse and
// type-check every package down to the standard library to do so. This one
// knows what it looks for: a unit that cannot reach an SDK, see [needed], ends
// before anything is parsed, and what is looked at takes the types of its
// imports from the compiler's export data.
package vetunit
