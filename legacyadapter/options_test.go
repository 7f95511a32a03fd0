package legacyadapter

//lint:file-ignore SA1019 CrossOriginProtection is deprecated, and passed on as long as it is there.

import (
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// What a program set is kept for both eras, but for what an era cannot have.
func TestOptions(t *testing.T) {
	store := mcp.NewMemoryEventStore(nil)
	logger := slog.New(slog.DiscardHandler)
	protection := http.NewCrossOriginProtection()
	tests := []struct {
		name          string
		opts          *mcp.StreamableHTTPOptions
		modern, older mcp.StreamableHTTPOptions
	}{
		{"none", nil,
			mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true, MaxRequestBodyBytes: mcp.DefaultMaxRequestBodyBytes},
			mcp.StreamableHTTPOptions{SessionTimeout: DefaultSessionTimeout, MaxRequestBodyBytes: mcp.DefaultMaxRequestBodyBytes}},
		{"all", &mcp.StreamableHTTPOptions{JSONResponse: true, Logger: logger, EventStore: store, SessionTimeout: time.Minute,
			DisableLocalhostProtection: true, CrossOriginProtection: protection, MaxRequestBodyBytes: 7},
			mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true, JSONResponse: true, Logger: logger, SessionTimeout: time.Minute,
				DisableLocalhostProtection: true, CrossOriginProtection: protection, MaxRequestBodyBytes: 7},
			mcp.StreamableHTTPOptions{JSONResponse: true, Logger: logger, EventStore: store, SessionTimeout: time.Minute,
				DisableLocalhostProtection: true, CrossOriginProtection: protection, MaxRequestBodyBytes: 7}},
		{"for ever and without bounds", &mcp.StreamableHTTPOptions{Stateless: true, SessionTimeout: -1, MaxRequestBodyBytes: -1},
			mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true, SessionTimeout: -1, MaxRequestBodyBytes: -1},
			mcp.StreamableHTTPOptions{Stateless: true, SessionTimeout: -1, MaxRequestBodyBytes: -1}},
	}
	for _, tt := range tests {
		modern, older := optionsOf(tt.opts)
		if modern != tt.modern {
			t.Errorf("%s, modern: %+v", tt.name, modern)
		}
		if older != tt.older {
			t.Errorf("%s, older: %+v", tt.name, older)
		}
	}
}
