package shim_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// The engine and what it is built on know no SDK and no network, so that a third
// binding needs no change here.
func TestEngineImportsNoSDK(t *testing.T) {
	files := 0
	for _, dir := range []string{".", "answer", "state", "protocol"} {
		names, err := fs.Glob(os.DirFS(dir), "*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), dir+"/"+name, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			files++
			for _, i := range f.Imports {
				path := strings.Trim(i.Path.Value, `"`)
				if strings.Contains(path, "go-sdk") || strings.Contains(path, "mcp-go") || path == "net/http" || strings.HasSuffix(path, "/shim/gosdk") {
					t.Errorf("%s/%s imports %s", dir, name, path)
				}
			}
		}
	}
	if files < 10 {
		t.Errorf("looked at %d files only", files)
	}
}
