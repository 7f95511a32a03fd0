package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// checkFolder returns an error if the folder that --dir names, or the working
// directory, is none in which the go command could resolve packages: what it
// says itself about that is hard to read.
func checkFolder(dir string) error {
	folder, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return fmt.Errorf("-C %s: there is no such directory", dir)
	}
	if work := os.Getenv("GOWORK"); work != "" && work != "off" || os.Getenv("GO111MODULE") == "off" {
		return nil
	}
	for at := folder; ; at = filepath.Dir(at) {
		for _, name := range []string{"go.mod", "go.work"} {
			if _, err := os.Stat(filepath.Join(at, name)); err == nil {
				return nil
			}
		}
		if at == filepath.Dir(at) {
			return fmt.Errorf("no go.mod in %s or above it: go to the server's module, or name its folder with -C", folder)
		}
	}
}
