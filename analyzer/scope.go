package analyzer

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// This file decides which packages are worth a look, from what a driver knows
// before it parses anything. All drivers ask here, so that all of them say the
// same.

// IsSDK reports whether an import path, as the go command gives it, is that of
// an SDK's package. A package that has none among its dependencies, and no
// fact handed down, can have no finding.
func IsSDK(path string) bool {
	if i := strings.LastIndex(path, "/vendor/"); i >= 0 {
		path = path[i+len("/vendor/"):]
	}
	return isSDKPackage(path)
}

// InScope reports whether the functions of a package are analysed for their
// effects although it may not reach an SDK itself: it belongs to a module
// whose go.mod requires one. dir is the folder of its files. Other code is
// judged from its names alone.
func InScope(module, dir string) bool {
	if module == "" || strings.Contains(filepath.ToSlash(dir)+"/", "/vendor/") {
		return false
	}
	return moduleUsesSDK(module, dir)
}

var modules sync.Map // folder → *moduleFile

// A moduleFile is what matters of a go.mod.
type moduleFile struct {
	path string
	sdk  bool
}

// moduleUsesSDK reports whether the nearest go.mod at or above dir is the
// module's and requires an SDK, or is an SDK's own.
func moduleUsesSDK(module, dir string) bool {
	m := moduleOf(dir)
	return m != nil && m.path == module && m.sdk
}

// moduleOf reads the nearest go.mod at or above dir, nil if there is none.
func moduleOf(dir string) *moduleFile {
	if m, ok := modules.Load(dir); ok {
		return m.(*moduleFile)
	}
	var m *moduleFile
	if data, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil {
		m = parseModule(data)
	} else if parent := filepath.Dir(dir); parent != dir {
		m = moduleOf(parent)
	}
	modules.Store(dir, m)
	return m
}

// parseModule reads the path of a module and whether an SDK's is mentioned.
// That is deliberately rough: the go command has parsed the file already, and
// a false yes costs a little time only.
func parseModule(data []byte) *moduleFile {
	m := new(moduleFile)
	for line := range bytes.Lines(data) {
		fields := bytes.Fields(line)
		if m.path == "" && len(fields) >= 2 && string(fields[0]) == "module" {
			m.path = strings.Trim(string(fields[1]), `"`)
		}
	}
	for _, s := range sdks {
		m.sdk = m.sdk || bytes.Contains(data, []byte(s.module))
	}
	return m
}
