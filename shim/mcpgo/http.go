package mcpgo

import (
	"bytes"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/mark3labs/mcp-go/server"

	"github.com/mrtr-migrate/mrtr-migrate/internal/rawrpc"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// A StreamableHTTPServer is the SDK's with the binding in front. Its methods are
// those of the SDK's, but for Handle, by which requests of modern peers do not
// come through the front: they are refused.
type StreamableHTTPServer struct {
	*server.StreamableHTTPServer
	front http.Handler
}

// NewStreamableHTTPServer takes the place of server.NewStreamableHTTPServer. The
// server s must have been made with [Binding.Option]. With
// server.WithStreamableHTTPServer among the options, what that http.Server handles
// is the program's affair, as before: it must be the result or
// [Binding.Handler].
func (b *Binding) NewStreamableHTTPServer(s *server.MCPServer, opts ...server.StreamableHTTPOption) *StreamableHTTPServer {
	own := new(http.Server)
	inner := server.NewStreamableHTTPServer(s, append([]server.StreamableHTTPOption{server.WithStreamableHTTPServer(own)}, opts...)...)
	front := b.Handler(inner)
	path := endpointPath(inner)
	own.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The two paths that the SDK's Start serves.
		if r.URL.Path != path && !(strings.HasPrefix(r.URL.Path, wellKnown) && r.Method != http.MethodPost) {
			http.NotFound(w, r)
			return
		}
		front.ServeHTTP(w, r)
	})
	return &StreamableHTTPServer{StreamableHTTPServer: inner, front: front}
}

// ServeHTTP implements [http.Handler].
func (s *StreamableHTTPServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.front.ServeHTTP(w, r)
}

const (
	wellKnown       = "/.well-known/oauth-protected-resource"
	defaultEndpoint = "/mcp"
)

// endpointPath returns the path that Start serves, which the SDK does not tell.
func endpointPath(s *server.StreamableHTTPServer) string {
	f := reflect.ValueOf(s).Elem().FieldByName("endpointPath")
	if !f.IsValid() || f.Kind() != reflect.String {
		return defaultEndpoint
	}
	return f.String()
}

// Handler puts the front before next, which is a *server.StreamableHTTPServer or
// leads to one. Requests with another method than POST pass it by.
func (b *Binding) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			next.ServeHTTP(w, r)
			return
		}
		body, ok := rawrpc.ReadBody(w, r, b.opts.MaxBodyBytes)
		if !ok {
			return
		}
		text, c, id, refusal := b.admit(r.Context(), body)
		if refusal != nil {
			rawrpc.Refuse(w, http.StatusBadRequest, id, refusal)
			return
		}
		r = rawrpc.WithBody(r, r.Header, text)
		if c == nil {
			next.ServeHTTP(w, r)
			return
		}
		defer b.finish(c) // whatever becomes of the response
		answer := &responder{w: w, b: b, call: c}
		next.ServeHTTP(answer, r)
		answer.end()
	})
}

// A responder passes on what is written in answer to a call, but for the
// response of one that was decided. A single JSON response is held back until it
// is whole, and events of a stream one by one.
type responder struct {
	w    http.ResponseWriter
	b    *Binding
	call *call

	status int
	stream bool
	held   bytes.Buffer
}

func (r *responder) Header() http.Header { return r.w.Header() }

// Unwrap lets an http.ResponseController reach what is below.
func (r *responder) Unwrap() http.ResponseWriter { return r.w }

func (r *responder) WriteHeader(status int) {
	if r.status != 0 {
		return
	}
	r.status = status
	if r.stream = strings.HasPrefix(r.w.Header().Get("Content-Type"), "text/event-stream"); r.stream {
		r.w.WriteHeader(status)
	}
}

// Flush implements [http.Flusher]. What is held back stays.
func (r *responder) Flush() {
	if r.stream {
		_ = http.NewResponseController(r.w).Flush() // one that cannot is flushed at the end
	}
}

func (r *responder) Write(p []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	r.held.Write(p)
	if !r.stream {
		return len(p), nil
	}
	for {
		end := bytes.Index(r.held.Bytes(), []byte("\n\n"))
		if end < 0 {
			return len(p), nil
		}
		if _, err := r.w.Write(r.event(r.held.Next(end + 2))); err != nil {
			return 0, err
		}
	}
}

// event returns what goes out in the place of an event.
func (r *responder) event(event []byte) []byte {
	before, data, ok := bytes.Cut(event, []byte("data: "))
	if !ok {
		return event
	}
	messages, batch, err := rawrpc.Parse(bytes.TrimSpace(data))
	if err != nil || batch || messages[0].IsRequest() {
		return event
	}
	o := r.b.finish(r.call)
	if o == nil {
		return event
	}
	var out bytes.Buffer
	out.Write(before)
	out.WriteString("data: ")
	out.Write(r.call.response(o))
	out.WriteString("\n\n")
	return out.Bytes()
}

// end writes what was held back.
func (r *responder) end() {
	o := r.b.finish(r.call)
	switch {
	case r.status == 0:
		return // nothing was written: the client has gone away
	case r.stream:
		_, _ = r.w.Write(r.held.Bytes()) // an event that is not whole
		return
	}
	body := r.held.Bytes()
	if o != nil {
		body = append(r.call.response(o), '\n')
		r.status = o.status()
		r.w.Header().Set("Content-Type", "application/json")
	}
	r.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	r.w.WriteHeader(r.status)
	_, _ = r.w.Write(body)
}

// status returns the status of HTTP for an outcome.
func (o *outcome) status() int {
	if o.err == nil {
		return http.StatusOK
	}
	switch o.err.Code {
	case protocol.CodeMissingClientCapability, protocol.CodeInvalidParams:
		return http.StatusBadRequest
	}
	return http.StatusOK
}
