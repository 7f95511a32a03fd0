package equiv

import (
	"context"

	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// playLegacy plays the script as a client of 2025-11-25: it calls once, and is
// asked while the call is open.
func (r *run) playLegacy(ctx context.Context, era Era) error {
	declared := protocol.Revision20251125
	if era == LegacyHopeful {
		declared = protocol.Revision20260728
	}
	c, err := r.fleet.legacyConn(ctx, r.capabilities, declared)
	if err != nil {
		return err
	}
	req := &Message{
		Version: "2.0",
		ID:      r.fleet.id(),
		Method:  r.script.Call.Method,
		Params:  mustJSON(r.script.Call.params()),
	}
	var failed error
	resp, err := r.exchange(ctx, c, req, 1, 0, false, func(m *Message) *Message {
		r.transcript.Breaches = append(r.transcript.Breaches, checkLegacy(m)...)
		if !m.isRequest() {
			return nil
		}
		reply := &Message{Version: "2.0", ID: m.ID}
		switch {
		case m.Method == "ping":
			reply.Result = []byte("{}")
		case !isAsk(m.Method) || !covers(r.capabilities, m.Method, m.Params):
			// What a client does not have is an unknown method to it.
			reply.Error = &Error{Code: protocol.CodeMethodNotFound, Message: "Method not found"}
		default:
			a, err := r.ask(m.Method, m.Params, 1, false)
			switch {
			case err != nil:
				failed = err
				reply.Error = &Error{Code: protocol.CodeInternal, Message: "the harness failed"}
			case a == nil:
				reply.Error = &Error{Code: protocol.CodeInternal, Message: "no answer in the script"}
			case a.Failure != nil:
				reply.Error = a.Failure
			default:
				reply.Result = a.Result
			}
		}
		return reply
	})
	if err != nil {
		return err
	}
	if failed != nil {
		return failed
	}
	r.transcript.Breaches = append(r.transcript.Breaches, checkLegacy(resp)...)
	r.transcript.Result = newResult(resp)
	return nil
}
