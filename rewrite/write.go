package rewrite

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ErrDirty is returned by Write when the git work tree has changes that are
// not committed: a rewrite on top of them could not be told apart or undone.
var ErrDirty = errors.New("the git work tree has uncommitted changes: commit them, or pass --allow-dirty")

// ErrChanged is returned by Write when a file is no longer what was planned
// on.
var ErrChanged = errors.New("a file has changed since it was read; nothing was written")

// Write writes all changes, or none: first every new content goes into a
// temporary file next to its target, then each is renamed into place. The mode
// of a file is kept. If a rename fails, the files renamed before it are put
// back.
func (r *Result) Write(allowDirty bool) error {
	if len(r.Changes) == 0 {
		return nil
	}
	if !allowDirty {
		if err := checkClean(r.Root); err != nil {
			return err
		}
	}
	return r.write(os.Rename)
}

// write is Write without the look at git; rename is os.Rename but in tests.
func (r *Result) write(rename func(from, to string) error) error {
	type step struct {
		change FileChange
		temp   string
	}
	var steps []step
	defer func() {
		for _, s := range steps {
			_ = os.Remove(s.temp) // gone already when its rename succeeded
		}
	}()
	for _, c := range r.Changes {
		now, err := os.ReadFile(c.Path)
		if errors.Is(err, os.ErrNotExist) && c.Before == nil {
			now = nil
		} else if err != nil {
			return err
		}
		if !bytes.Equal(now, c.Before) {
			return fmt.Errorf("%s: %w", c.Path, ErrChanged)
		}
		temp, err := stage(c.Path, c.After)
		if err != nil {
			return err
		}
		steps = append(steps, step{c, temp})
	}
	for i, s := range steps {
		if err := rename(s.temp, s.change.Path); err != nil {
			done := make([]FileChange, i)
			for j, s := range steps[:i] {
				done[j] = s.change
			}
			return errors.Join(err, undo(done))
		}
	}
	return nil
}

// stage writes data to a temporary file beside path, with the mode of path,
// and returns its name.
func stage(path string, data []byte) (string, error) {
	mode := os.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	// A leading dot hides the file from the go command.
	temp, err := os.CreateTemp(filepath.Dir(path), ".mrtr-migrate-*")
	if err != nil {
		return "", err
	}
	_, err = temp.Write(data)
	err = errors.Join(err, temp.Chmod(mode), temp.Sync(), temp.Close())
	if err != nil {
		_ = os.Remove(temp.Name()) // the first error is the one to report
		return "", err
	}
	return temp.Name(), nil
}

// undo restores what was there before the given changes.
func undo(done []FileChange) error {
	var errs []error
	for _, c := range done {
		if c.Before == nil {
			errs = append(errs, os.Remove(c.Path))
			continue
		}
		temp, err := stage(c.Path, c.Before)
		if err == nil {
			err = os.Rename(temp, c.Path)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// checkClean returns ErrDirty if dir is inside a git work tree with changes to
// tracked files, or with untracked ones. Outside of git there is nothing to
// protect.
func checkClean(dir string) error {
	git := func(args ...string) (string, error) {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		out, err := cmd.Output()
		return string(out), err
	}
	inside, err := git("rev-parse", "--is-inside-work-tree")
	if err != nil || strings.TrimSpace(inside) != "true" {
		return nil
	}
	status, err := git("status", "--porcelain", "--", ".")
	if err != nil {
		return fmt.Errorf("git status: %w", err)
	}
	if status = strings.TrimRight(status, "\n"); status == "" {
		return nil
	}
	const shown = 3
	names := strings.Split(status, "\n")
	for i, line := range names {
		names[i] = line[min(len("?? "), len(line)):]
	}
	more := ""
	if len(names) > shown {
		more = fmt.Sprintf(" and %d more", len(names)-shown)
		names = names[:shown]
	}
	return fmt.Errorf("%w (%s%s)", ErrDirty, strings.Join(names, ", "), more)
}
