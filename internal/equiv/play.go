package equiv

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// Era is the kind of client that plays a script.
type Era uint8

const (
	// Legacy is a client of 2025-11-25.
	Legacy Era = iota
	// LegacyHopeful asks for 2026-07-28 in initialize and is given an older
	// revision, which then rules.
	LegacyHopeful
	// Modern is a client of 2026-07-28.
	Modern
	// ModernMixed sends requests of 2026-07-28 on a connection on which
	// initialize has selected 2025-11-25. Each request's own metadata rules.
	// Only stdio has such connections.
	ModernMixed
)

func (e Era) String() string {
	switch e {
	case Legacy:
		return protocol.Revision20251125
	case LegacyHopeful:
		return protocol.Revision20251125 + " (asked for " + protocol.Revision20260728 + ")"
	case Modern:
		return protocol.Revision20260728
	default:
		return protocol.Revision20260728 + " (after initialize)"
	}
}

// modern reports whether the client is handed its questions.
func (e Era) modern() bool { return e == Modern || e == ModernMixed }

// Fault is what goes wrong, or is done wrong, on the way. All but [Moved]
// concern clients that are handed their questions. Every fault also switches
// to another instance with each request.
type Fault uint8

const (
	// None: one instance, nothing goes wrong.
	None Fault = iota
	// Switched: another instance serves each request.
	Switched
	// Doubled: each round is sent twice, and the client goes on with either.
	Doubled
	// FirstLost: the first response is lost, so the call is sent again.
	FirstLost
	// LastLost: the last response is lost, so the last round is sent again.
	LastLost
	// Forged: the first call already carries answers, once without a state
	// and once with an invented one; then a state is tampered with.
	Forged
	// Moved: the world changes between the rounds, where it does not matter.
	Moved
	// Unexpected: the answers come with others that nobody asked for.
	Unexpected
	// Withheld: the first rounds are first sent without the answers.
	Withheld
)

// Faults lists all faults, None first.
func Faults() []Fault {
	return []Fault{None, Switched, Doubled, FirstLost, LastLost, Forged, Moved, Unexpected, Withheld}
}

func (f Fault) String() string {
	return [...]string{"none", "instance switched", "rounds doubled", "first response lost", "last response lost",
		"forged answers", "world moved", "unexpected answers", "answers withheld"}[f]
}

// EventKind says what an [Event] is about.
type EventKind uint8

const (
	// Sent: the client sent a request.
	Sent EventKind = iota
	// Asked: the server asked a question.
	Asked
	// Answered: the client has an answer to the last question.
	Answered
	// Ended: the operation ended.
	Ended
)

// Event is a step of a run, told as it happens.
type Event struct {
	Kind     EventKind
	Round    int
	Instance int
	Again    bool     // of Sent: the round had been sent before
	Question Question // of Asked
	Answer   string   // of Answered, in a word or two
	Result   Result   // of Ended
}

// maxRounds bounds a run; the longest script needs far fewer.
const maxRounds = 30

// messageTime bounds one exchange with a program.
const messageTime = 30 * time.Second

// Play plays a script against a program and reports what could be seen. The
// world is reset first. watch, if not nil, is told each step. An error means
// that the program or the connection failed; whatever the program answers is
// no error but in the transcript.
func Play(ctx context.Context, fleet *Fleet, era Era, script *Script, fault Fault, watch func(Event)) (*Transcript, error) {
	if watch == nil {
		watch = func(Event) {}
	}
	r := &run{
		fleet:        fleet,
		script:       script,
		fault:        fault,
		watch:        watch,
		capabilities: script.Capabilities,
		transcript:   &Transcript{},
	}
	if r.capabilities == nil {
		r.capabilities = everyCapability
	}
	if err := r.begin(); err != nil {
		return nil, err
	}
	var err error
	if era.modern() {
		err = r.playModern(ctx, era)
	} else {
		err = r.playLegacy(ctx, era)
	}
	if err != nil {
		return nil, fmt.Errorf("%s on %s over %s, client %s, %s: %w",
			script.Title(), fleet.Program.Name, fleet.Transport, era, fault, err)
	}
	if r.transcript.Effects, err = fleet.World.Effects(); err != nil {
		return nil, err
	}
	watch(Event{Kind: Ended, Round: r.transcript.Rounds(), Result: r.transcript.Result})
	return r.transcript, nil
}

// run is one run of a script.
type run struct {
	fleet        *Fleet
	script       *Script
	fault        Fault
	watch        func(Event)
	capabilities json.RawMessage
	player       *player
	transcript   *Transcript
	sends        int // requests sent, which is what instances are switched by
	moves        int // changes of the world by the Moved fault
}

// begin puts world and script to their beginnings.
func (r *run) begin() error {
	r.player = newPlayer(r.script, r.fleet.World.Dir)
	return r.fleet.World.Reset()
}

// ask records a question, lets the world change, and returns the script's
// answer to it, nil if there is none.
func (r *run) ask(method string, params json.RawMessage, round int, batched bool) (*Answer, error) {
	q := newQuestion(method, params)
	q.Round, q.batched = round, batched
	effects, err := r.fleet.World.Effects()
	if err != nil {
		return nil, err
	}
	q.Effects = len(effects)
	r.watch(Event{Kind: Asked, Round: round, Question: q})
	if err := r.player.change(); err != nil {
		return nil, fmt.Errorf("changing the world: %w", err)
	}
	if err := r.move(); err != nil {
		return nil, fmt.Errorf("moving the world: %w", err)
	}
	q.Answer = r.player.answer(q)
	r.transcript.Questions = append(r.transcript.Questions, q)
	if q.Answer < 0 {
		r.transcript.Stuck = &q
		return nil, nil
	}
	a := &r.script.Answers[q.Answer]
	r.watch(Event{Kind: Answered, Round: round, Answer: a.label()})
	return a, nil
}

// move makes a change that must not matter, under the Moved fault.
func (r *run) move() error {
	if r.fault != Moved || r.fleet.World.Move == nil {
		return nil
	}
	r.moves++
	return r.fleet.World.Move(r.fleet.World.Dir, r.moves)
}

// breach notes a broken rule.
func (r *run) breach(rule, format string, args ...any) {
	r.transcript.Breaches = append(r.transcript.Breaches, Breach{Rule: rule, Message: fmt.Sprintf(format, args...)})
}

// exchange sends a request that serves the given round and returns its
// response. Other messages go to seen.
func (r *run) exchange(ctx context.Context, c conn, req *Message, round, instance int, again bool, seen func(*Message) *Message) (*Message, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, messageTime, fmt.Errorf("no response within %v", messageTime))
	defer cancel()
	before, err := r.fleet.World.Effects()
	if err != nil {
		return nil, err
	}
	r.watch(Event{Kind: Sent, Round: round, Instance: instance, Again: again})
	resp, err := c.call(ctx, req, seen)
	if err != nil {
		return nil, err
	}
	after, err := r.fleet.World.Effects()
	if err != nil {
		return nil, err
	}
	r.transcript.Sends = append(r.transcript.Sends, Send{
		Round: round, Again: again, Instance: instance, Effects: after[len(before):],
	})
	return resp, nil
}
