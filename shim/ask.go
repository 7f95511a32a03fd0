package shim

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/mrtr-migrate/mrtr-migrate/shim/answer"
	"github.com/mrtr-migrate/mrtr-migrate/shim/state"
)

// Ask looks for the answer to a question. It returns the answer, or
// [ErrInputRequired] after binding the round to end with the question. It never
// waits. Other errors:
//
//   - [*CapabilityError]: the client cannot be asked this; nothing was asked;
//   - [*AnswerError]: the client kept answering something else;
//   - [*Fault]: the operation is over;
//   - the cause of a context that has ended: no question after it.
//
// Once a question is pending, later asks of the run register nothing, whatever
// became of the error: a fallback or a retry loop asks nobody anything.
func (c *Continuation) Ask(ctx context.Context, a Ask) (json.RawMessage, error) {
	answers, err := c.AskAll(ctx, a)
	if err != nil {
		return nil, err
	}
	return answers[0], nil
}

// AskAll asks questions that do not depend on each other in one round, and
// returns their answers in order, or the first error. Answers that have come
// are kept while others are still missing. Questions after one that cannot be
// asked, or whose answer is an error, are not asked.
func (c *Continuation) AskAll(ctx context.Context, asks ...Ask) ([]json.RawMessage, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var answers []json.RawMessage
	var missing []ask
	var failed error
	for _, a := range asks {
		key, err := c.enter(ctx, a.Key, counted)
		if err != nil {
			return nil, err
		}
		q, fault := a.prepare(key, placeOf(ctx))
		if fault != nil {
			return nil, c.fail(fault)
		}
		value, err := c.answerTo(q)
		if errors.Is(err, ErrInputRequired) {
			if err = c.caps.cover(q.need); err == nil {
				missing = append(missing, *q)
				continue
			}
		}
		if err != nil {
			failed = err
			break
		}
		answers = append(answers, value)
	}
	var fault *Fault
	switch {
	case errors.As(failed, &fault):
		return nil, failed
	case len(missing) > 0:
		return nil, c.pend(missing)
	case failed != nil:
		return nil, failed
	}
	return answers, nil
}

// AskBlocking is [Continuation.Ask] for code that has no pending check: if there
// is no answer yet, or the operation is over, it does not return on the handler's
// own goroutine but ends it, deferred functions included. On every other goroutine
// it returns the error, since ending that one would leave whoever waits for it
// waiting.
func (c *Continuation) AskBlocking(ctx context.Context, a Ask) (json.RawMessage, error) {
	answers, err := c.AskAll(ctx, a)
	if err == nil {
		return answers[0], nil
	}
	if c.leave(err) {
		// Never under a lock: deferred functions of the handler run now.
		runtime.Goexit()
	}
	return nil, err
}

// leave reports whether a blocking ask that failed with err must end the calling
// goroutine.
func (c *Continuation) leave(err error) bool {
	var fault *Fault
	if !errors.Is(err, ErrInputRequired) && !errors.As(err, &fault) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.suspended = true
	if !c.onOwner() {
		return false
	}
	c.unwinding = true
	return true
}

// A usage says what a second use of a key means.
type usage bool

const (
	counted usage = true  // an occurrence, told apart by a counter
	single  usage = false // a mistake
)

// enter decides whether a use of the continuation may go on, and under which
// key. The caller holds c.mu.
func (c *Continuation) enter(ctx context.Context, key string, use usage) (string, error) {
	inside, _ := ctx.Value(insideKey{}).(bool)
	full := join(placeOf(ctx).path, key)
	switch {
	case c.closed:
		c.warn(slog.LevelError, CodeLate, "", nil)
		return "", &Fault{Code: CodeClosed}
	case c.fault != nil:
		return "", c.fault
	case inside, c.inside && (c.owner == 0 || c.onOwner()):
		return "", c.fail(&Fault{Code: CodeNested, Key: bound(full, c.rt.limits.KeyLength)})
	case c.committed && c.unwinding && c.onOwner():
		// Refused, and not a fault: the round still ends with its question.
		c.warn(slog.LevelError, CodeUnwinding, "", nil)
		return "", &Fault{Code: CodeUnwinding}
	case c.committed:
		return "", ErrInputRequired
	case c.ctx.Err() != nil:
		return "", context.Cause(c.ctx)
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	}
	return c.claim(full, use)
}

// claim takes a key for this run.
func (c *Continuation) claim(full string, use usage) (string, error) {
	if use == counted {
		c.seen[full]++
		if n := c.seen[full]; n > 1 {
			full += "." + strconv.Itoa(n)
		}
	}
	full = bound(full, c.rt.limits.KeyLength)
	if err := c.rt.limits.CheckKey(full); err != nil {
		return "", c.fail(limitFault(err, ""))
	}
	if c.used[full] {
		return "", c.fail(&Fault{Code: CodeDuplicateKey, Key: full})
	}
	c.used[full] = true
	return full, nil
}

// answerTo returns what is known of the answer to q: an answer of an earlier
// round, one that this request brings, or [ErrInputRequired]. An answer counts only
// if the verified state says that its very question was asked.
func (c *Continuation) answerTo(q *ask) (json.RawMessage, error) {
	if i := c.journal.find(state.EntryAnswer, q.key); i >= 0 {
		if e := c.journal.entries[i]; e.Question == q.digest {
			if raw, unread := unreadAnswer(e.Value); unread {
				c.journal.remove(i)
				return c.judge(q, raw)
			}
			c.journal.reached[i] = true
			return unpackAnswer(e.Value)
		}
		fault := c.journal.divergence(q.key)
		c.changed = true
		if effect := c.journal.drop(i); effect {
			return nil, c.fail(fault)
		}
		c.warn(slog.LevelWarn, CodeQuestionChanged, q.key, nil)
	}
	was, asked := c.asked[q.key]
	if !asked {
		return nil, ErrInputRequired
	}
	if was.Question != q.digest {
		c.changed = true
		return nil, ErrInputRequired
	}
	q.attempts = was.Attempts
	if raw, ok := c.responses[q.key]; ok {
		return c.judge(q, raw)
	}
	return nil, ErrInputRequired
}

// judge reads what the peer sent in answer to q, and keeps it if it is an answer
// or if the question has been repeated often enough.
func (c *Continuation) judge(q *ask, raw json.RawMessage) (json.RawMessage, error) {
	value, err := q.accept(raw, c.rt.limits.Answer)
	var invalid *answer.InvalidError
	if errors.As(err, &invalid) && int(q.attempts) < c.rt.limits.Reasks {
		q.attempts, q.reason = q.attempts+1, invalid.Reason
		return nil, ErrInputRequired
	}
	if err != nil {
		value = refusal(shorten(err.Error()))
	}
	if err := c.room(1); err != nil {
		return nil, err
	}
	c.journal.append(state.Entry{Kind: state.EntryAnswer, Key: q.key, Question: q.digest, Value: value})
	return unpackAnswer(value)
}

// keepUnread keeps the answers that came for questions which this run did not
// reach: of several questions on different goroutines, another one may have ended
// the round first. They count like any others once their question is reached
// unchanged. Nothing is kept if a question has changed: they may have been given
// because of what it said.
func (c *Continuation) keepUnread() {
	if c.changed {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(c.responses)) {
		value := unread(c.responses[key])
		if c.used[key] || c.journal.find(state.EntryAnswer, key) >= 0 || len(value) > c.rt.limits.Answer {
			continue
		}
		c.journal.append(state.Entry{Kind: state.EntryAnswer, Key: key, Question: c.asked[key].Question, Value: value})
	}
}

// room reports whether the journal can take n more entries.
func (c *Continuation) room(n int) error {
	if err := c.rt.limits.Check(state.LimitEntries, len(c.journal.entries)+n); err != nil {
		return c.fail(limitFault(err, ""))
	}
	return nil
}

// pend binds the round to end with the questions. What would make that
// impossible is a fault now, while the handler can still be kept from going on.
func (c *Continuation) pend(questions []ask) error {
	limits := &c.rt.limits
	answers := c.journal.answers() + len(questions)
	for _, check := range []error{
		limits.Check(state.LimitRounds, int(c.claims.Round)+1),
		limits.Check(state.LimitAsksPerRound, len(questions)),
		limits.Check(state.LimitAsksPerOperation, answers),
	} {
		if check != nil {
			return c.fail(limitFault(check, questions[0].key))
		}
	}
	if c.req.PrincipalErr != nil {
		return c.fail(&Fault{Code: CodeCaller, Err: c.req.PrincipalErr})
	}
	if _, err := c.requestDigest(); err != nil {
		return c.fail(&Fault{Code: CodeRequest, Err: err})
	}
	c.pending = questions
	c.commit()
	return ErrInputRequired
}

// shorten bounds the text of a refusal, which is kept in the journal.
func shorten(s string) string {
	const most = 2 << 10
	if len(s) <= most {
		return s
	}
	s = s[:most]
	for !utf8.ValidString(s) && len(s) > most-utf8.UTFMax {
		s = s[:len(s)-1]
	}
	return s
}
