package state

import (
	"fmt"
	"time"

	"github.com/mrtr-migrate/mrtr-migrate/internal/canon"
)

// Limits bounds one operation and what its peers may send. The zero value of
// every field means its default; a negative value is a construction error. This
// is the only home of these numbers: the engine checks against the same struct.
//
// Each limit is enforced on the server, whatever the client promises. Exceeding
// one is a [*LimitError] while sealing or when checked with [Limits.Check],
// [ErrDeadline] for the time of an operation, an [*InvalidError] when an incoming
// token does, and an error of package canon for the arguments of a request.
type Limits struct {
	Rounds           int           // input_required results of one operation; default 8
	StateOnly        int           // of these, results without a question; default 2
	AsksPerRound     int           // questions of one round; default 16
	AsksPerOperation int           // questions answered and pending; default 32
	Reasks           int           // repetitions of a question after invalid answers; default 2
	Entries          int           // entries of the journal; default 64
	KeyLength        int           // bytes of a key, at most 255; default 64
	Answer           int           // bytes of one value of the journal, as compact JSON; default 64 KiB
	Inbound          int           // characters of a requestState that is looked at; default 64 KiB
	Sealed           int           // characters of a requestState that is sent, at most Inbound; default 32 KiB
	SealedWarn       int           // characters from which on the engine warns; default 8 KiB
	Arguments        int           // bytes of the arguments of a request; default 1 MiB
	Depth            int           // nesting of the arguments of a request; default 64
	TokenTTL         time.Duration // life of one token; default 10 minutes
	Operation        time.Duration // life of an operation, people's thinking included; default 60 minutes
	FutureSkew       time.Duration // how far ahead another instance's clock may be; default 60 seconds
}

// A LimitName names one of the [Limits] in errors and logs.
type LimitName string

// Names of the limits that [Limits.Check] knows.
const (
	LimitRounds           LimitName = "rounds"
	LimitStateOnly        LimitName = "rounds without a question"
	LimitAsksPerRound     LimitName = "asks per round"
	LimitAsksPerOperation LimitName = "asks per operation"
	LimitReasks           LimitName = "repetitions of a question"
	LimitEntries          LimitName = "journal entries"
	LimitKeyLength        LimitName = "bytes of a key"
	LimitAnswer           LimitName = "bytes of an answer"
	LimitInbound          LimitName = "characters of an incoming requestState"
	LimitSealed           LimitName = "characters of requestState"
)

// A LimitError reports that a limit was exceeded.
type LimitError struct {
	Limit LimitName
	Max   int // the limit, which itself is still allowed
	Got   int // what exceeded it
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("mrtr: %d %s, the limit is %d", e.Got, e.Limit, e.Max)
}

// Check returns a [*LimitError] if got exceeds the limit of that name, in the
// unit of its field, and nil otherwise. An unknown name is always exceeded.
func (l Limits) Check(name LimitName, got int) error {
	limit := l.limit(name)
	if limit == 0 {
		limit = defaults.limit(name)
	}
	if got > limit {
		return &LimitError{Limit: name, Max: limit, Got: got}
	}
	return nil
}

var defaults = Limits{}.WithDefaults()

func (l *Limits) limit(name LimitName) int {
	switch name {
	case LimitRounds:
		return l.Rounds
	case LimitStateOnly:
		return l.StateOnly
	case LimitAsksPerRound:
		return l.AsksPerRound
	case LimitAsksPerOperation:
		return l.AsksPerOperation
	case LimitReasks:
		return l.Reasks
	case LimitEntries:
		return l.Entries
	case LimitKeyLength:
		return l.KeyLength
	case LimitAnswer:
		return l.Answer
	case LimitInbound:
		return l.Inbound
	case LimitSealed:
		return l.Sealed
	}
	return -1
}

// WithDefaults returns l with every zero field set to its default.
func (l Limits) WithDefaults() Limits {
	for _, f := range l.counts() {
		if *f.field == 0 {
			*f.field = f.standard
		}
	}
	for _, f := range l.durations() {
		if *f.field == 0 {
			*f.field = f.standard
		}
	}
	return l
}

// Validate reports what makes l unusable, or nil. It applies the defaults first.
func (l Limits) Validate() error {
	l = l.WithDefaults()
	for _, f := range l.counts() {
		// The layout of the token has no room for more than f.most.
		if *f.field < 0 || *f.field > f.most {
			return fmt.Errorf("mrtr: limit %s is %d, must be between 0 (default) and %d", f.name, *f.field, f.most)
		}
	}
	for _, f := range l.durations() {
		if *f.field < time.Millisecond {
			return fmt.Errorf("mrtr: limit %s is %v, must be 0 (default) or at least 1ms", f.name, *f.field)
		}
	}
	if l.Sealed > l.Inbound {
		return fmt.Errorf("mrtr: limit Sealed is %d, must not exceed Inbound, which is %d", l.Sealed, l.Inbound)
	}
	return nil
}

type count struct {
	name           string
	field          *int
	standard, most int
}

func (l *Limits) counts() []count {
	return []count{
		{"Rounds", &l.Rounds, 8, 1<<16 - 1},
		{"StateOnly", &l.StateOnly, 2, 1<<8 - 1},
		{"AsksPerRound", &l.AsksPerRound, 16, 1<<16 - 1},
		{"AsksPerOperation", &l.AsksPerOperation, 32, 1<<16 - 1},
		{"Reasks", &l.Reasks, 2, 1<<8 - 1},
		{"Entries", &l.Entries, 64, 1<<16 - 1},
		{"KeyLength", &l.KeyLength, 64, 1<<8 - 1},
		{"Answer", &l.Answer, 64 << 10, 1 << 30},
		{"Inbound", &l.Inbound, 64 << 10, 1 << 30},
		{"Sealed", &l.Sealed, 32 << 10, 1 << 30},
		{"SealedWarn", &l.SealedWarn, 8 << 10, 1 << 30},
		{"Arguments", &l.Arguments, canon.MaxSize, 1 << 30},
		{"Depth", &l.Depth, canon.MaxDepth, 10_000},
	}
}

type duration struct {
	name     string
	field    *time.Duration
	standard time.Duration
}

func (l *Limits) durations() []duration {
	return []duration{
		{"TokenTTL", &l.TokenTTL, 10 * time.Minute},
		{"Operation", &l.Operation, 60 * time.Minute},
		{"FutureSkew", &l.FutureSkew, 60 * time.Second},
	}
}
