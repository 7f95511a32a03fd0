package store

// Account is an employee's login.
type Account struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Suspended bool   `json:"suspended,omitempty"`
}

// Account returns the account with this id.
func (s *Store) Account(id string) (*Account, error) {
	var a Account
	if err := s.read("accounts", id, &a); err != nil {
		return nil, err
	}
	return &a, nil
}

// SuspendAccount locks an account.
func (s *Store) SuspendAccount(id string) error {
	a, err := s.Account(id)
	if err != nil {
		return err
	}
	a.Suspended = true
	if err := s.write("accounts", id, a); err != nil {
		return err
	}
	return s.record("account.suspend %s", id)
}

// GrantAccess lets an account onto a machine.
func (s *Store) GrantAccess(account, machine string) error {
	return s.record("access.grant %s machine=%s", account, machine)
}

// QueueAccess puts a request for access on the list of the morning round.
func (s *Store) QueueAccess(account, machine string) error {
	return s.record("access.queue %s machine=%s", account, machine)
}

// Rota says who is on call on a day.
type Rota struct {
	Day       string   `json:"day"`
	Engineers []string `json:"engineers"`
}

// Rota returns the rota of a day, such as "saturday".
func (s *Store) Rota(day string) (*Rota, error) {
	var r Rota
	if err := s.read("rota", day, &r); err != nil {
		return nil, err
	}
	return &r, nil
}

// Page calls somebody out.
func (s *Store) Page(who, why string) error {
	return s.record("page %s: %s", who, why)
}

// Payroll is what was paid out in a month, in whole euros.
type Payroll struct {
	Month string `json:"month"`
	Total int    `json:"total"`
}

// Payroll returns the payroll of a month, such as "2025-11".
func (s *Store) Payroll(month string) (*Payroll, error) {
	var p Payroll
	if err := s.read("payroll", month, &p); err != nil {
		return nil, err
	}
	return &p, nil
}

// LogAccess notes that somebody looked at something confidential.
func (s *Store) LogAccess(what, reason string) error {
	return s.record("access %s reason=%q", what, reason)
}
