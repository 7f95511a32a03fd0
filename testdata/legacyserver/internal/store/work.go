package store

import "strings"

// App is something the company runs. Frozen means that it should not be
// released at the moment.
type App struct {
	ID      string `json:"id"`
	Version string `json:"version"`
	Frozen  bool   `json:"frozen,omitempty"`
}

// App returns the app with this id.
func (s *Store) App(id string) (*App, error) {
	var a App
	if err := s.read("apps", id, &a); err != nil {
		return nil, err
	}
	return &a, nil
}

// Release puts a version of an app into production.
func (s *Store) Release(id, version string) error {
	a, err := s.App(id)
	if err != nil {
		return err
	}
	a.Version = version
	if err := s.write("apps", id, a); err != nil {
		return err
	}
	return s.record("app.release %s version=%s", id, version)
}

// Incident is something that went wrong. Summary is empty until somebody, or
// some model, has written one.
type Incident struct {
	ID      string   `json:"id"`
	Log     []string `json:"log"`
	Summary string   `json:"summary,omitempty"`
}

// Incident returns the incident with this id.
func (s *Store) Incident(id string) (*Incident, error) {
	var inc Incident
	if err := s.read("incidents", id, &inc); err != nil {
		return nil, err
	}
	return &inc, nil
}

// SummariseIncident stores the summary of an incident.
func (s *Store) SummariseIncident(id, summary string) error {
	inc, err := s.Incident(id)
	if err != nil {
		return err
	}
	inc.Summary = summary
	if err := s.write("incidents", id, inc); err != nil {
		return err
	}
	return s.record("incident.summarise %s", id)
}

// RegisterWorkspaces remembers the folders that a client works in.
func (s *Store) RegisterWorkspaces(uris []string) error {
	return s.record("workspace.register %s", strings.Join(uris, " "))
}
