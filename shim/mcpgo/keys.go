package mcpgo

import "github.com/mrtr-migrate/mrtr-migrate/shim/state"

// Keys is where the keys of requestState come from. It is asked once, by [New].
// Those of package gosdk serve as well.
type Keys interface {
	Ring() (*state.Ring, error)
}

type keysFunc func() (*state.Ring, error)

func (f keysFunc) Ring() (*state.Ring, error) { return f() }

// KeysFromEnvironment takes the keys from the variable [state.EnvKeys]. It is an
// error if it is not set: instances with keys of their own could not open each
// other's state.
func KeysFromEnvironment() Keys { return keysFunc(state.RingFromEnvironment) }

// EphemeralKeys makes a key that lives as long as this process. It suits a server
// with one process and one client, such as on stdio, and no other.
func EphemeralKeys() Keys { return keysFunc(state.EphemeralRing) }

// KeyRing gives the keys of a ring that the program has made.
func KeyRing(r *state.Ring) Keys { return keysFunc(func() (*state.Ring, error) { return r, nil }) }
