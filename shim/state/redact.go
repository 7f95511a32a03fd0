package state

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"
)

// Nothing here prints a secret or an answer, whatever the verb, so that a log
// line or a failed comparison cannot leak one.

// Format prints the key without its secret.
func (k Key) Format(f fmt.State, _ rune) {
	fmt.Fprintf(f, "state.Key{secret of %d bytes}", len(k.Secret))
}

// LogValue returns the key without its secret.
func (k Key) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(k)) }

// MarshalJSON returns the key without its secret.
func (k Key) MarshalJSON() ([]byte, error) { return json.Marshal(fmt.Sprint(k)) }

// Format prints how many keys the ring has.
func (r *Ring) Format(f fmt.State, _ rune) {
	if r == nil {
		fmt.Fprint(f, "state.Ring(nil)")
		return
	}
	fmt.Fprintf(f, "state.Ring{%d keys}", len(r.keys))
}

// Format prints the entry without its value.
func (e Entry) Format(f fmt.State, _ rune) {
	fmt.Fprintf(f, "{%v %q %x [redacted %d bytes]}", e.Kind, e.Key, e.Question, len(e.Value))
}

// LogValue returns the entry without its value.
func (e Entry) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(e)) }

// MarshalJSON returns the entry without its value: an entry that reaches a JSON
// log is as closed as one that is printed.
func (e Entry) MarshalJSON() ([]byte, error) { return json.Marshal(fmt.Sprint(e)) }

// Format prints the claims without the values of their entries.
func (c Claims) Format(f fmt.State, _ rune) {
	fmt.Fprintf(f, "state.Claims{operation=%x token=%x round=%d stateOnly=%d issued=%s expires=%s deadline=%s bound=%t effects=%t request=%x handler=%x pending=%v entries=%v}",
		c.Operation, c.Token, c.Round, c.StateOnly,
		c.IssuedAt.Format(time.RFC3339Nano), c.ExpiresAt.Format(time.RFC3339Nano), c.Deadline.Format(time.RFC3339Nano),
		c.PrincipalBound, c.EffectsRecorded, c.Request, c.Handler, c.Pending, c.Entries)
}

// LogValue returns what of the claims may be logged.
func (c *Claims) LogValue() slog.Value {
	if c == nil {
		return slog.AnyValue(nil)
	}
	return slog.GroupValue(
		slog.String("operation", hex.EncodeToString(c.Operation[:])),
		slog.Int("round", int(c.Round)),
		slog.Int("pending", len(c.Pending)),
		slog.Int("entries", len(c.Entries)),
		slog.Time("expires", c.ExpiresAt),
	)
}

func (k EntryKind) String() string {
	switch k {
	case EntryAnswer:
		return "answer"
	case EntryEffect:
		return "effect"
	case EntryFact:
		return "fact"
	}
	return fmt.Sprintf("EntryKind(%d)", uint8(k))
}
