package equiv

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// World is a data directory that all instances of a program share: its
// records, and the log of its effects.
type World struct {
	// Dir is the directory. Its content is deleted by Reset.
	Dir string
	// Seed is what it holds at the beginning of a script.
	Seed fs.FS
	// Move makes the n-th change that no script's handler cares about, for
	// the [Moved] fault. Nil for none.
	Move func(dir string, n int) error
}

// effectsLog is the file to which a program appends a line per effect.
const effectsLog = "effects.log"

// Reset puts the world back to its beginning. Files that are as they should be
// are left alone: there is a reset before every run.
func (w *World) Reset() error {
	err := filepath.WalkDir(w.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(w.Dir, path)
		if err != nil {
			return err
		}
		if _, err := fs.Stat(w.Seed, filepath.ToSlash(name)); err == nil {
			return nil
		}
		return os.Remove(path)
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("clearing the world: %w", err)
	}
	err = fs.WalkDir(w.Seed, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(w.Dir, filepath.FromSlash(path))
		if d.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		want, err := fs.ReadFile(w.Seed, path)
		if err != nil {
			return err
		}
		if have, err := os.ReadFile(target); err == nil && bytes.Equal(have, want) {
			return nil
		}
		return os.WriteFile(target, want, 0o644)
	})
	if err != nil {
		return fmt.Errorf("seeding the world: %w", err)
	}
	return nil
}

// Effects returns the lines of the log of effects.
func (w *World) Effects() ([]string, error) {
	data, err := os.ReadFile(filepath.Join(w.Dir, effectsLog))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n"), nil
}
