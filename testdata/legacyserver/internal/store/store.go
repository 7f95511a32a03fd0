// Package store keeps the desk's records. Each record is a JSON file of its
// own, <kind>/<id>.json below one directory, and what was done is a line in
// effects.log. Several processes may share a directory: files appear whole or
// not at all, and lines are appended in one write.
package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// ErrNotFound is returned for a record that does not exist (any more).
var ErrNotFound = errors.New("no such record")

// Store is a directory of records. It holds no state of its own, so it is safe
// for concurrent use, also by several processes.
type Store struct {
	dir string
}

// Open returns the store in dir, which is created if it does not exist.
func Open(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("opening the store: %w", err)
	}
	return &Store{dir: dir}, nil
}

// idPattern is what the ids of records look like. It keeps a request from
// naming files elsewhere.
var idPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// path returns the file of a record.
func (s *Store) path(kind, id string) (string, error) {
	if !idPattern.MatchString(id) {
		return "", fmt.Errorf("%s %q: %w", kind, id, ErrNotFound)
	}
	return filepath.Join(s.dir, kind, id+".json"), nil
}

// read loads one record into v.
func (s *Store) read(kind, id string, v any) error {
	path, err := s.path(kind, id)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s %q: %w", kind, id, ErrNotFound)
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%s %q: %w", kind, id, err)
	}
	return nil
}

// ids returns the ids of all records of a kind, sorted.
func (s *Store) ids(kind string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(s.dir, kind))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), ".json"); ok && idPattern.MatchString(id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// list loads all records of a kind, sorted by id.
func list[T any](s *Store, kind string) ([]T, error) {
	ids, err := s.ids(kind)
	if err != nil {
		return nil, err
	}
	var records []T
	for _, id := range ids {
		var r T
		err := s.read(kind, id, &r)
		if errors.Is(err, ErrNotFound) {
			continue // removed by somebody else since we looked
		}
		if err != nil {
			return nil, err
		}
		records = append(records, r)
	}
	return records, nil
}

// write stores v as the record's new content.
func (s *Store) write(kind, id string, v any) error {
	path, err := s.path(kind, id)
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	if _, err := tmp.Write(append(data, '\n')); err != nil {
		tmp.Close()
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// reserve creates an empty record under the first free id prefix-1, prefix-2,
// and so on. Two processes never get the same one.
func (s *Store) reserve(kind, prefix string) (string, error) {
	if err := os.MkdirAll(filepath.Join(s.dir, kind), 0o755); err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		id := fmt.Sprintf("%s-%d", prefix, n)
		path, err := s.path(kind, id)
		if err != nil {
			return "", err
		}
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.WriteString("{}\n")
		return id, errors.Join(err, f.Close())
	}
}

// remove deletes a record.
func (s *Store) remove(kind, id string) error {
	path, err := s.path(kind, id)
	if err != nil {
		return err
	}
	err = os.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s %q: %w", kind, id, ErrNotFound)
	}
	return err
}

// record appends one line to effects.log.
func (s *Store) record(format string, args ...any) error {
	f, err := os.OpenFile(filepath.Join(s.dir, "effects.log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	line := strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", " ")
	_, err = f.WriteString(line + "\n")
	return errors.Join(err, f.Close())
}
