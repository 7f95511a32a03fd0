package shim

import (
	"bytes"
	"log/slog"
	"runtime"
	"runtime/debug"
	"strconv"
)

// An ending is how the goroutine of a handler ended.
type ending uint8

const (
	endReturned ending = iota
	endExited          // runtime.Goexit, ours or another's
	endPanicked
)

// A Panic is what a handler panicked with, and where.
type Panic struct {
	Value any
	Stack []byte
}

// Run calls f, which runs the handler, on a goroutine that the continuation owns
// and waits for its end: only an owned goroutine may be ended by a blocking ask.
// If f panics and nothing was pending, Run returns the panic, which the caller
// raises again on its own goroutine once it has closed the continuation, whatever
// Close returned. A panic after a question is pending is logged and forgotten: the
// round is suspended.
func (c *Continuation) Run(f func()) *Panic {
	type end struct {
		how   ending
		panic *Panic
	}
	done := make(chan end, 1)
	go func() {
		e := end{how: endExited}
		defer func() {
			if e.how == endExited {
				// Nil after a Goexit, which recover does not stop.
				if v := recover(); v != nil {
					e = end{endPanicked, &Panic{v, debug.Stack()}}
				}
			}
			done <- e
		}()
		c.mu.Lock()
		c.owner = goroutineID()
		c.mu.Unlock()
		f()
		e.how = endReturned
	}()
	e := <-done

	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = e.how
	unfinished := c.fault != nil && c.fault.Code == CodeUnfinished // by this very panic, if nobody recovered
	if e.panic != nil && !unfinished && (c.committed || c.fault != nil) {
		// The value may quote an answer; the type and the stack do not.
		c.rt.log.LogAttrs(c.logContext(), slog.LevelWarn, diagnosticOf(CodePanicked).Title,
			slog.String("code", string(CodePanicked)), slog.String("method", c.req.Method),
			slog.String("stack", string(e.panic.Stack)))
		return nil
	}
	return e.panic
}

// onOwner reports whether the caller runs on the goroutine that runs the
// handler. The caller holds c.mu.
func (c *Continuation) onOwner() bool { return c.owner != 0 && c.owner == goroutineID() }

// goroutineID returns the number of the calling goroutine, which is never used
// again in a process. The runtime gives it only in the first line of a stack
// trace: "goroutine 18 [running]:". It costs about a microsecond and is needed
// once per suspension and once per effect.
func goroutineID() uint64 {
	var buf [40]byte
	line := buf[:runtime.Stack(buf[:], false)]
	line, ok := bytes.CutPrefix(line, []byte("goroutine "))
	if !ok {
		return 0
	}
	digits, _, _ := bytes.Cut(line, []byte(" "))
	id, err := strconv.ParseUint(string(digits), 10, 64)
	if err != nil {
		return 0
	}
	return id
}
