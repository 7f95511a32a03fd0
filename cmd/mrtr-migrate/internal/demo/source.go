package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

// modulePath is the path of the module that rewritten servers require.
const modulePath = "github.com/mrtr-migrate/mrtr-migrate"

// source is where a server outside this module finds it.
type source struct {
	// dir holds the module's go.mod and go.sum.
	dir string
	// version is what to require. Empty if dir is a clone: then the clone
	// replaces the module.
	version string
}

// findSource looks for the clone that the command was started or built from,
// and if there is none, for the version that was installed.
func findSource(ctx context.Context) (source, error) {
	if out, err := goCommand(ctx, "", "env", "GOMOD"); err == nil {
		if dir := filepath.Dir(strings.TrimSpace(out)); isClone(dir) {
			return source{dir: dir}, nil
		}
	}
	// A binary knows where its source was, unless it was built with -trimpath.
	// In the module cache that folder bears a version: an installed command.
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) && !strings.Contains(file, "@") {
		for dir := filepath.Dir(file); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			if isClone(dir) {
				return source{dir: dir}, nil
			}
		}
	}
	version := installedVersion()
	if version == "" {
		return source{}, errors.New("neither a clone of " + modulePath + " nor an installed version of it is here: run it in the clone, or install a released version")
	}
	out, err := goCommand(ctx, "", "mod", "download", "-json", modulePath+"@"+version)
	if err != nil {
		return source{}, err
	}
	var downloaded struct{ Dir string }
	if err := json.Unmarshal([]byte(out), &downloaded); err != nil {
		return source{}, fmt.Errorf("go mod download: %w", err)
	}
	return source{dir: downloaded.Dir, version: version}, nil
}

// isClone reports whether dir is the root of a clone of this module.
func isClone(dir string) bool {
	data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	return err == nil && modfile.ModulePath(data) == modulePath
}

// installedVersion returns the version of this module that is running, or ""
// if a proxy does not have it.
func installedVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Path != modulePath || !semver.IsValid(info.Main.Version) || semver.Build(info.Main.Version) != "" {
		return ""
	}
	return info.Main.Version
}

// goCommand runs the go command in a folder and returns its standard output.
// A go.work around the folder does not count.
func goCommand(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, exit.Stderr)
	}
	if err != nil {
		return "", fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return string(out), nil
}
