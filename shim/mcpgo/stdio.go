package mcpgo

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/mark3labs/mcp-go/server"

	"github.com/mrtr-migrate/mrtr-migrate/internal/rawrpc"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// ServeStdio takes the place of server.ServeStdio: it serves s over standard
// input and output, to peers of both eras, until a signal ends it.
func (b *Binding) ServeStdio(s *server.MCPServer, opts ...server.StdioOption) error {
	stdio := server.NewStdioServer(s)
	for _, opt := range opts {
		opt(stdio)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	return b.Listen(ctx, stdio, os.Stdin, os.Stdout)
}

// Listen takes the place of the method of s. The server must have been made
// with [Binding.Option].
func (b *Binding) Listen(ctx context.Context, s *server.StdioServer, in io.Reader, out io.Writer) error {
	f := &stdioFront{b: b, ctx: ctx, in: bufio.NewReader(in), out: out, calls: map[string]*call{}}
	defer f.end()
	return s.Listen(ctx, f, f)
}

// A stdioFront is the SDK's standard input and output.
type stdioFront struct {
	b   *Binding
	ctx context.Context
	in  *bufio.Reader

	rest []byte // of the line that Read hands on

	mu    sync.Mutex // guards what follows
	out   io.Writer
	line  []byte           // what was written of a line
	calls map[string]*call // those not answered yet, by id
}

// Read implements [io.Reader]. A refusal is written before the next line is read,
// so that a peer that sends nothing else can make no more of them than it takes.
func (f *stdioFront) Read(p []byte) (int, error) {
	for len(f.rest) == 0 {
		line, err := f.in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			text, failed := f.admit(bytes.TrimSpace(line))
			if failed != nil {
				return 0, failed
			}
			if text != nil {
				f.rest = append(text, '\n')
				continue // an error is found again by the next call
			}
		}
		if err != nil {
			return 0, err
		}
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// admit returns what the SDK is to read in the place of a line, nil for nothing.
func (f *stdioFront) admit(line []byte) ([]byte, error) {
	text, c, id, refusal := f.b.admit(f.ctx, line)
	f.mu.Lock()
	defer f.mu.Unlock()
	if c != nil {
		key := idKey(id)
		if f.calls[key] != nil {
			f.b.finish(c)
			refusal = &rawrpc.Error{Code: protocol.CodeInvalidRequest, Message: "the id of the request is in use"}
		} else {
			f.calls[key] = c
		}
	}
	if refusal == nil {
		return bytes.Clone(text), nil
	}
	if messages, batch, err := rawrpc.Parse(line); err == nil && !batch && messages[0].IsRequest() && id == nil {
		return nil, nil // a notification has no response
	}
	_, err := f.out.Write(append(respond(id, &outcome{err: refusal}), '\n'))
	return nil, err
}

// Write implements [io.Writer]. The response of a call that was decided is
// replaced.
func (f *stdioFront) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.line = append(f.line, p...)
	for {
		end := bytes.IndexByte(f.line, '\n')
		if end < 0 {
			return len(p), nil
		}
		line := f.line[:end+1]
		if c := f.answered(line); c != nil {
			if o := f.b.finish(c); o != nil {
				line = append(c.response(o), '\n')
			}
		}
		_, err := f.out.Write(line)
		f.line = f.line[end+1:]
		if err != nil {
			return 0, err
		}
	}
}

// answered returns the call whose response line is, and forgets it.
func (f *stdioFront) answered(line []byte) *call {
	if len(f.calls) == 0 {
		return nil
	}
	messages, batch, err := rawrpc.Parse(line)
	if err != nil || batch || messages[0].IsRequest() || messages[0].ID == nil {
		return nil
	}
	key := idKey(messages[0].ID)
	c := f.calls[key]
	delete(f.calls, key)
	return c
}

// end forgets the calls that were not answered.
func (f *stdioFront) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for key, c := range f.calls {
		f.b.finish(c)
		delete(f.calls, key)
	}
}

// idKey returns what an id is to the SDK, which decodes it: several spellings
// are one id, and large numbers lose their last digits.
func idKey(id json.RawMessage) string {
	var v any
	if json.Unmarshal(id, &v) != nil {
		return string(id)
	}
	key, err := json.Marshal(v)
	if err != nil {
		return string(id)
	}
	return string(key)
}
