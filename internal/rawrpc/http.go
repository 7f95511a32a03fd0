package rawrpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// An Error is the error of a JSON-RPC response.
type Error struct {
	Code    int64           `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Malformed returns the error that answers a message that Parse refused with
// err.
func Malformed(err error) *Error {
	if errors.Is(err, ErrSyntax) {
		return &Error{Code: -32700, Message: "parse error"}
	}
	return &Error{Code: protocol.CodeInvalidRequest, Message: "invalid request"}
}

// ReadBody reads a request's body of at most limit bytes; a negative limit is
// none. It reports false after it has answered the request itself: 413 to a
// body that is longer, 400 to one that cannot be read.
func ReadBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, bool) {
	if r.Body == nil {
		return nil, true
	}
	if limit >= 0 {
		r.Body = http.MaxBytesReader(w, r.Body, limit)
	}
	body, err := io.ReadAll(r.Body)
	var tooLong *http.MaxBytesError
	switch {
	case errors.As(err, &tooLong):
		http.Error(w, fmt.Sprintf("request body exceeds %d bytes", tooLong.Limit), http.StatusRequestEntityTooLarge)
		return nil, false
	case err != nil:
		http.Error(w, "failed to read body", http.StatusBadRequest)
		return nil, false
	}
	return body, true
}

// WithBody returns a shallow copy of r that has body for its body and header
// for its header.
func WithBody(r *http.Request, header http.Header, body []byte) *http.Request {
	r2 := new(http.Request)
	*r2 = *r
	r2.Header = header
	r2.Body = io.NopCloser(bytes.NewReader(body))
	r2.ContentLength = int64(len(body))
	r2.TransferEncoding = nil
	return r2
}

// Refuse answers a request with a JSON-RPC error and an HTTP status. id is
// the text of the refused call's id, nil when there is none to name.
func Refuse(w http.ResponseWriter, status int, id json.RawMessage, refusal *Error) {
	if !IsString(id) && !isNumber(id) {
		id = json.RawMessage("null")
	}
	text, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *Error          `json:"error"`
	}{"2.0", id, refusal})
	if err != nil {
		http.Error(w, http.StatusText(status), status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // a client that has gone away needs no answer
}

func isNumber(value json.RawMessage) bool {
	return len(value) > 0 && (value[0] == '-' || value[0] >= '0' && value[0] <= '9')
}
