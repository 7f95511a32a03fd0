package gosdk

import (
	"errors"
	"io"
	"sync/atomic"
)

// errBatch ends a connection on which a peer sends a batch after it agreed on
// a revision that has none.
var errBatch = errors.New("gosdk: JSON-RPC batches ended with revision 2025-06-18")

// A batchGuard reads a stream of JSON values and fails at one that is an array
// once refuse is set. It follows the nesting only as far as it takes to know
// where a value starts; whether the values are well formed is their reader's
// affair.
type batchGuard struct {
	r      io.ReadCloser
	refuse *atomic.Bool

	depth             int
	inString, escaped bool
}

func (g *batchGuard) Close() error { return g.r.Close() }

func (g *batchGuard) Read(p []byte) (int, error) {
	n, err := g.r.Read(p)
	for i, b := range p[:n] {
		switch {
		case g.escaped:
			g.escaped = false
		case g.inString:
			g.escaped = b == '\\'
			g.inString = b != '"'
		case b == '"':
			g.inString = true
		case b == '[' && g.depth == 0 && g.refuse.Load():
			return i, errBatch
		case b == '{' || b == '[':
			g.depth++
		case b == '}' || b == ']':
			g.depth--
		}
	}
	return n, err
}
