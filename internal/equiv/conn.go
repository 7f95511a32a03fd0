package equiv

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// conn carries JSON-RPC messages to one program instance. It is used by one
// goroutine at a time.
type conn interface {
	// call sends a request and returns its response. Every other message that
	// arrives meanwhile goes to seen; what seen returns, if anything, is sent
	// back.
	call(ctx context.Context, req *Message, seen func(*Message) *Message) (*Message, error)
	// notify sends a message that has no response.
	notify(ctx context.Context, m *Message) error
}

// maxMessage bounds what a program may send as one message.
const maxMessage = 8 << 20

// stdioConn is a child process, one message a line.
type stdioConn struct {
	in    io.Writer
	lines chan line
	// died explains why the process is gone, once lines is closed.
	died func() error
}

type line struct {
	message *Message
	err     error
}

// newStdioConn reads messages from out until it ends.
func newStdioConn(in io.Writer, out io.Reader, died func() error) *stdioConn {
	c := &stdioConn{in: in, lines: make(chan line, 64), died: died}
	go func() {
		defer close(c.lines)
		scanner := bufio.NewScanner(out)
		scanner.Buffer(nil, maxMessage)
		for scanner.Scan() {
			m, err := decodeMessage(scanner.Bytes())
			c.lines <- line{m, err}
			if err != nil {
				return
			}
		}
		// How reading ended matters less than how the process did.
	}()
	return c
}

func (c *stdioConn) call(ctx context.Context, req *Message, seen func(*Message) *Message) (*Message, error) {
	if err := c.notify(ctx, req); err != nil {
		return nil, err
	}
	for {
		var l line
		var ok bool
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for the response to %s: %w", req.Method, context.Cause(ctx))
		case l, ok = <-c.lines:
		}
		if !ok {
			return nil, fmt.Errorf("the server is gone: %w", c.died())
		}
		if l.err != nil {
			return nil, l.err
		}
		if l.message.isResponse() && bytes.Equal(l.message.ID, req.ID) {
			return l.message, nil
		}
		if reply := seen(l.message); reply != nil {
			if err := c.notify(ctx, reply); err != nil {
				return nil, err
			}
		}
	}
}

// drain discards what still comes, so that the process can end.
func (c *stdioConn) drain() {
	for range c.lines {
	}
}

func (c *stdioConn) notify(_ context.Context, m *Message) error {
	_, err := c.in.Write(append(mustJSON(m), '\n'))
	if err != nil {
		return fmt.Errorf("writing to the server: %w", err)
	}
	return nil
}

// httpConn is a Streamable HTTP endpoint. Zero revision means that no
// revision is negotiated yet.
type httpConn struct {
	client   *http.Client
	url      string
	revision string
	session  string
}

func (c *httpConn) call(ctx context.Context, req *Message, seen func(*Message) *Message) (*Message, error) {
	resp, err := c.post(ctx, req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		c.session = id
	}
	body := io.LimitReader(resp.Body, maxMessage)
	kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	if kind != "text/event-stream" {
		data, err := io.ReadAll(body)
		if err != nil {
			return nil, err
		}
		m, err := decodeMessage(data)
		if err != nil {
			return nil, fmt.Errorf("HTTP %s, body %.200q: %w", resp.Status, data, err)
		}
		m.Status = resp.StatusCode
		return m, nil
	}
	var response *Message
	err = events(body, func(data []byte) (done bool, err error) {
		m, err := decodeMessage(data)
		if err != nil {
			return false, err
		}
		if m.isResponse() && bytes.Equal(m.ID, req.ID) {
			m.Status = resp.StatusCode
			response = m
			return true, nil
		}
		if reply := seen(m); reply != nil {
			return false, c.notify(ctx, reply)
		}
		return false, nil
	})
	if err != nil {
		return nil, err
	}
	if response == nil {
		return nil, errors.New("the event stream ended without a response")
	}
	return response, nil
}

func (c *httpConn) notify(ctx context.Context, m *Message) error {
	resp, err := c.post(ctx, m)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusAccepted {
		body, _ := io.ReadAll(io.LimitReader(resp.Body, 300))
		return fmt.Errorf("HTTP %s: %s", resp.Status, body)
	}
	return nil
}

func (c *httpConn) post(ctx context.Context, m *Message) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(mustJSON(m)))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if c.revision != "" {
		req.Header.Set("MCP-Protocol-Version", c.revision)
	}
	if c.session != "" {
		req.Header.Set("Mcp-Session-Id", c.session)
	}
	if c.revision == protocol.Revision20260728 && m.Method != "" {
		req.Header.Set("Mcp-Method", m.Method)
		if name := headerName(m); name != "" {
			req.Header.Set("Mcp-Name", name)
		}
	}
	return c.client.Do(req)
}

// headerName returns what the Mcp-Name header says about a request, in the
// base64 form that values unsafe in a header take.
func headerName(m *Message) string {
	var p struct {
		Name string `json:"name"`
		URI  string `json:"uri"`
	}
	if !protocol.Multiround(m.Method) || json.Unmarshal(m.Params, &p) != nil {
		return ""
	}
	name := p.Name
	if m.Method == protocol.MethodReadResource {
		name = p.URI
	}
	for _, r := range name {
		if r < 0x20 || r > 0x7e {
			return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(name)) + "?="
		}
	}
	return name
}

// events reads server-sent events until got reports that it is done, or the
// stream ends. Events without data, which only prime a reconnection, are
// skipped.
func events(r io.Reader, got func(data []byte) (done bool, err error)) error {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, maxMessage)
	var data []byte
	for scanner.Scan() {
		text := scanner.Text()
		if text != "" {
			if value, ok := strings.CutPrefix(text, "data:"); ok {
				if data != nil {
					data = append(data, '\n')
				}
				data = append(data, strings.TrimPrefix(value, " ")...)
			}
			continue
		}
		if len(data) > 0 {
			if done, err := got(data); done || err != nil {
				return err
			}
		}
		data = nil
	}
	return scanner.Err()
}
