package store

// Machine is a server that the desk looks after. Disk is in gigabytes, zero
// while it has none.
type Machine struct {
	ID      string `json:"id"`
	Role    string `json:"role"`
	Disk    int    `json:"disk,omitempty"`
	Retired bool   `json:"retired,omitempty"`
}

// Machines returns all machines, sorted by id.
func (s *Store) Machines() ([]Machine, error) {
	return list[Machine](s, "machines")
}

// Machine returns the machine with this id.
func (s *Store) Machine(id string) (*Machine, error) {
	var m Machine
	if err := s.read("machines", id, &m); err != nil {
		return nil, err
	}
	return &m, nil
}

// CreateMachine starts a new machine and returns it. Every call starts one.
func (s *Store) CreateMachine(role string) (*Machine, error) {
	id, err := s.reserve("machines", role)
	if err != nil {
		return nil, err
	}
	m := &Machine{ID: id, Role: role}
	if err := s.write("machines", id, m); err != nil {
		return nil, err
	}
	return m, s.record("machine.create %s", id)
}

// AttachDisk gives a machine a disk of the given size.
func (s *Store) AttachDisk(id string, gigabytes int) error {
	m, err := s.Machine(id)
	if err != nil {
		return err
	}
	m.Disk = gigabytes
	if err := s.write("machines", id, m); err != nil {
		return err
	}
	return s.record("machine.attach %s disk=%dGB", id, gigabytes)
}

// RetireMachine takes a machine out of service, and erases its disk if asked to.
func (s *Store) RetireMachine(id string, erase bool) error {
	m, err := s.Machine(id)
	if err != nil {
		return err
	}
	m.Retired = true
	if erase {
		m.Disk = 0
	}
	if err := s.write("machines", id, m); err != nil {
		return err
	}
	return s.record("machine.retire %s erase=%t", id, erase)
}

// SaveDisk makes a backup of a machine's disk.
func (s *Store) SaveDisk(id string) error {
	return s.record("machine.save %s", id)
}

// ScheduleMaintenance books a maintenance window.
func (s *Store) ScheduleMaintenance(machine, day string, hours int, engineer string) error {
	return s.record("maintenance.schedule %s day=%s hours=%d engineer=%s", machine, day, hours, engineer)
}

// Backup is a copy of a machine's disk.
type Backup struct {
	ID      string `json:"id"`
	Machine string `json:"machine"`
	Expired bool   `json:"expired,omitempty"`
}

// ExpiredBackups returns the backups that are past their time, sorted by id.
func (s *Store) ExpiredBackups(machine string) ([]Backup, error) {
	all, err := list[Backup](s, "backups")
	if err != nil {
		return nil, err
	}
	var expired []Backup
	for _, b := range all {
		if b.Expired && b.Machine == machine {
			expired = append(expired, b)
		}
	}
	return expired, nil
}

// DeleteBackup deletes a backup. It returns ErrNotFound if it is gone already.
func (s *Store) DeleteBackup(id string) error {
	if err := s.remove("backups", id); err != nil {
		return err
	}
	return s.record("backup.delete %s", id)
}

// FlushCache empties the cache of a region.
func (s *Store) FlushCache(region string) error {
	return s.record("cache.flush %s", region)
}
