// Package store knows no SDK. Its effects are facts. // want package:`effects known`
package store

import (
	"encoding/json"
	"os"
)

type Store struct {
	dir  string
	rows map[string][]byte
	n    int
}

func (s *Store) Load(id string) ([]byte, error) { return os.ReadFile(s.dir + id) }

func (s *Store) Save(id string, v any) error { // want Save:`effect os\.WriteFile at store\.go:25`
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return s.write(id, data)
}

func (s *Store) write(id string, data []byte) error { return os.WriteFile(s.dir+id, data, 0o600) } // want write:`effect os\.WriteFile at store\.go:25`

func (s *Store) Keep(id string, data []byte) { s.rows[id] = data } // want Keep:`effect none, mutates 1`

func (s *Store) Number() int { // want Number:`effect none, mutates 1`
	s.n++
	return s.n
}

// Cached fills a cache.
func (s *Store) Cached(id string) []byte {
	if data, ok := s.rows[id]; ok {
		return data
	}
	data, _ := s.Load(id)
	s.rows[id] = data
	return data
}

func New(dir string) *Store {
	s := &Store{dir: dir, rows: map[string][]byte{}}
	s.Keep("x", nil)
	s.n++
	return s
}

var total int

func Count() { total++ } // want Count:`effect total\+\+ at store\.go:53`
