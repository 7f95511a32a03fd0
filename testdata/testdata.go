// Package testdata carries the servers that several packages share: the
// command's demonstration, the equivalence harness and their tests.
package testdata

import "embed"

// LegacyServer is the operations desk, a go-sdk server as people wrote them
// against revision 2025-11-25, below the folder legacyserver. Its import paths
// start with LegacyServerPath.
//
//go:embed all:legacyserver
var LegacyServer embed.FS

// LegacyServerPath is the import path of the server inside this module.
// Whoever copies it out replaces this prefix by the new module's path.
const LegacyServerPath = "github.com/mrtr-migrate/mrtr-migrate/testdata/legacyserver"
