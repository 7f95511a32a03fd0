package equiv

import (
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

// Reset puts the world back to its beginning.
func (w *World) Reset() error {
	entries, err := os.ReadDir(w.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(w.Dir, e.Name())); err != nil {
			return fmt.Errorf("clearing the world: %w", err)
		}
	}
	if err := os.MkdirAll(w.Dir, 0o755); err != nil {
		return err
	}
	if err := os.CopyFS(w.Dir, w.Seed); err != nil {
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
