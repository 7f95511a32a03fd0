package legacyadapter

//lint:file-ignore SA1019 Sampling and roots are deprecated, and served as long as older peers have them.

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// Bounds of the fulfilment of a request that an older peer sent.
const (
	// maxLegacyRounds is how many rounds are fulfilled here. The SDK's own
	// middleware, which runs inside, fulfils the round before each of them, so
	// that a handler sees up to twice as many and one.
	maxLegacyRounds = 8
	// maxStateOnly is how often a handler is run again that asked nothing but
	// to be called later.
	maxStateOnly = 6
	// stateOnlyPause is the pause before the first of these; each is twice as
	// long as the one before.
	stateOnlyPause = 100 * time.Millisecond
	// legTimeout bounds the wait for one answer.
	legTimeout = 10 * time.Minute
)

// A RoundsError ends a request of an older peer whose handler returned
// InputRequests, or a RequestState without any, more often than the adapter
// goes along with.
type RoundsError struct {
	// StateOnly tells which of the two it was.
	StateOnly bool
	// Limit is how often the adapter went along.
	Limit int
}

func (e *RoundsError) Error() string {
	if e.StateOnly {
		return fmt.Sprintf("the server is busy: it asked to be called later %d times", e.Limit+1)
	}
	return fmt.Sprintf("the handler asked again after %d rounds", e.Limit)
}

// Unwrap returns the JSON-RPC error that the peer gets.
func (e *RoundsError) Unwrap() error {
	return &jsonrpc.Error{Code: protocol.CodeInternal, Message: e.Error()}
}

// busy is the text of the error that the SDK's middleware makes of a result
// with an empty InputRequests, losing its state.
const busy = "the server is busy, retry later"

// fulfil calls the handler of a tool, prompt or resource for an older peer until
// its result is one that the peer knows: the SDK's InputRequests are asked over
// the live session, one by one in the order of their keys, and the handler is
// called again with the answers, which are handed on as they came. A handler
// that asked nothing but to be called later is called again after a pause.
func fulfil(ctx context.Context, next mcp.MethodHandler, method string, req mcp.Request, session *mcp.ServerSession) (mcp.Result, error) {
	rounds, later := 0, 0
	for {
		res, err := next(ctx, method, req)
		asked, state := needsOf(res)
		switch {
		case err != nil && err.Error() != busy:
			return nil, err
		case err == nil && asked == nil && state == "":
			return res, nil
		case len(asked) > 0:
			if rounds++; rounds > maxLegacyRounds {
				return nil, &RoundsError{Limit: 2 * maxLegacyRounds}
			}
			answers, err := askAll(ctx, session, asked)
			if err != nil {
				return nil, err
			}
			req = retry(req, session, answers, state)
		default:
			if later++; later > maxStateOnly {
				return nil, &RoundsError{StateOnly: true, Limit: maxStateOnly}
			}
			if err := pause(ctx, stateOnlyPause<<(later-1)); err != nil {
				return nil, err
			}
			if err == nil {
				req = retry(req, session, nil, state)
			}
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// needsOf returns what a result asks for by the SDK's own fields.
func needsOf(res mcp.Result) (mcp.InputRequestMap, string) {
	switch r := res.(type) {
	case *mcp.CallToolResult:
		if r != nil {
			return r.InputRequests, r.RequestState
		}
	case *mcp.GetPromptResult:
		if r != nil {
			return r.InputRequests, r.RequestState
		}
	case *mcp.ReadResourceResult:
		if r != nil {
			return r.InputRequests, r.RequestState
		}
	}
	return nil, ""
}

// retry returns the request of the next round; req itself stays as it is.
func retry(req mcp.Request, session *mcp.ServerSession, answers mcp.InputResponseMap, state string) mcp.Request {
	switch p := req.GetParams().(type) {
	case *mcp.CallToolParamsRaw:
		again := *p
		again.InputResponses, again.RequestState = answers, state
		return &mcp.CallToolRequest{Session: session, Params: &again, Extra: req.GetExtra()}
	case *mcp.GetPromptParams:
		again := *p
		again.InputResponses, again.RequestState = answers, state
		return &mcp.GetPromptRequest{Session: session, Params: &again, Extra: req.GetExtra()}
	case *mcp.ReadResourceParams:
		again := *p
		again.InputResponses, again.RequestState = answers, state
		return &mcp.ReadResourceRequest{Session: session, Params: &again, Extra: req.GetExtra()}
	}
	return req
}

// withoutRetryFields returns req without the two fields of a retry, which an
// older peer cannot mean, even where no raw filter stands in front.
func withoutRetryFields(req mcp.Request, session *mcp.ServerSession) mcp.Request {
	sent := false
	switch p := req.GetParams().(type) {
	case *mcp.CallToolParamsRaw:
		sent = p.InputResponses != nil || p.RequestState != ""
	case *mcp.GetPromptParams:
		sent = p.InputResponses != nil || p.RequestState != ""
	case *mcp.ReadResourceParams:
		sent = p.InputResponses != nil || p.RequestState != ""
	}
	if !sent {
		return req
	}
	return retry(req, session, nil, "")
}

// errUnaskable is the error for an entry of InputRequests that cannot be sent.
var errUnaskable = errors.New("the client does not support what the server asks")

// askAll asks a live session everything that a result asks for.
func askAll(ctx context.Context, session *mcp.ServerSession, asked mcp.InputRequestMap) (mcp.InputResponseMap, error) {
	answers := make(mcp.InputResponseMap, len(asked))
	for _, key := range slices.Sorted(maps.Keys(asked)) {
		leg, cancel := context.WithTimeout(ctx, legTimeout)
		answer, err := ask(leg, session, asked[key])
		cancel()
		if err != nil {
			return nil, &legError{key: key, err: err}
		}
		answers[key] = answer
	}
	return answers, nil
}

// A legError says which question could not be asked, and why. The peer's own
// JSON-RPC error keeps its code; any other has that of an internal error, where
// the SDK would send 0.
type legError struct {
	key string
	err error
}

func (e *legError) Error() string { return fmt.Sprintf("asking for %q: %v", e.key, e.err) }

func (e *legError) Unwrap() []error {
	return []error{e.err, &jsonrpc.Error{Code: protocol.CodeInternal, Message: e.Error()}}
}

// ask asks one question, if the capabilities of initialize cover it (rule 8).
// The SDK checks those of an elicitation itself.
func ask(ctx context.Context, session *mcp.ServerSession, question mcp.InputRequest) (mcp.InputResponse, error) {
	caps := new(mcp.ClientCapabilities)
	if p := session.InitializeParams(); p != nil && p.Capabilities != nil {
		caps = p.Capabilities
	}
	switch p := question.(type) {
	case *mcp.ElicitParams:
		if p != nil && p.URL != "" && p.ElicitationID == "" {
			// Required up to 2025-11-25, gone since.
			identified := *p
			identified.ElicitationID = rand.Text()
			p = &identified
		}
		//lint:ignore MRTR001 only sessions of older revisions get here
		return session.Elicit(ctx, p)
	case *mcp.CreateMessageParams:
		if caps.Sampling == nil {
			return nil, fmt.Errorf("%w: sampling", errUnaskable)
		}
		//lint:ignore MRTR002 only sessions of older revisions get here
		return session.CreateMessageWithTools(ctx, manyBlocks(p))
	case *mcp.CreateMessageWithToolsParams:
		switch {
		case caps.Sampling == nil:
			return nil, fmt.Errorf("%w: sampling", errUnaskable)
		case p != nil && (len(p.Tools) > 0 || p.ToolChoice != nil) && caps.Sampling.Tools == nil:
			return nil, fmt.Errorf("%w: sampling with tools", errUnaskable)
		}
		//lint:ignore MRTR002 only sessions of older revisions get here
		return session.CreateMessageWithTools(ctx, p)
	case *mcp.ListRootsParams:
		if caps.RootsV2 == nil {
			return nil, fmt.Errorf("%w: roots", errUnaskable)
		}
		//lint:ignore MRTR003 only sessions of older revisions get here
		return session.ListRoots(ctx, p)
	}
	return nil, errUnaskable
}

// manyBlocks returns p in the form whose answer the SDK hands to handlers.
func manyBlocks(p *mcp.CreateMessageParams) *mcp.CreateMessageWithToolsParams {
	if p == nil {
		return nil
	}
	var messages []*mcp.SamplingMessageV2
	for _, m := range p.Messages {
		if m == nil {
			continue
		}
		messages = append(messages, &mcp.SamplingMessageV2{Content: []mcp.Content{m.Content}, Role: m.Role})
	}
	return &mcp.CreateMessageWithToolsParams{
		Meta:             p.Meta,
		IncludeContext:   p.IncludeContext,
		MaxTokens:        p.MaxTokens,
		Messages:         messages,
		Metadata:         p.Metadata,
		ModelPreferences: p.ModelPreferences,
		StopSequences:    p.StopSequences,
		SystemPrompt:     p.SystemPrompt,
		Temperature:      p.Temperature,
	}
}
