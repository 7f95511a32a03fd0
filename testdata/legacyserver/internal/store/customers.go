package store

// Customer is somebody the company works for.
type Customer struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Owner    string `json:"owner"` // the employee who looks after them
	Archived bool   `json:"archived,omitempty"`
}

// Customer returns the customer with this id.
func (s *Store) Customer(id string) (*Customer, error) {
	var c Customer
	if err := s.read("customers", id, &c); err != nil {
		return nil, err
	}
	return &c, nil
}

// ArchiveCustomer takes a customer out of the active ones.
func (s *Store) ArchiveCustomer(id string) error {
	c, err := s.Customer(id)
	if err != nil {
		return err
	}
	c.Archived = true
	if err := s.write("customers", id, c); err != nil {
		return err
	}
	return s.record("customer.archive %s", id)
}

// TransferCustomer gives a customer to another employee.
func (s *Store) TransferCustomer(id, owner string) error {
	c, err := s.Customer(id)
	if err != nil {
		return err
	}
	c.Owner = owner
	if err := s.write("customers", id, c); err != nil {
		return err
	}
	return s.record("customer.transfer %s to=%s", id, owner)
}

// Invoice is a bill that the company has to pay. Amount is in whole euros.
type Invoice struct {
	ID     string `json:"id"`
	From   string `json:"from"`
	Amount int    `json:"amount"`
	Paid   bool   `json:"paid,omitempty"`
}

// Invoice returns the invoice with this id.
func (s *Store) Invoice(id string) (*Invoice, error) {
	var inv Invoice
	if err := s.read("invoices", id, &inv); err != nil {
		return nil, err
	}
	return &inv, nil
}

// PayInvoice pays an invoice from a cost centre.
func (s *Store) PayInvoice(id, costCentre string) error {
	inv, err := s.Invoice(id)
	if err != nil {
		return err
	}
	inv.Paid = true
	if err := s.write("invoices", id, inv); err != nil {
		return err
	}
	return s.record("invoice.pay %s amount=%d from=%s", id, inv.Amount, costCentre)
}
