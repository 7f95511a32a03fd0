package mcpgo

// Serving returns how many calls b has not seen the response of.
func (b *Binding) Serving() int {
	n := 0
	b.calls.Range(func(any, any) bool { n++; return true })
	return n
}
