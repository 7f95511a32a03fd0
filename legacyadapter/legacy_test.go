package legacyadapter_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// checkOld asserts that nothing of multi round-trip requests is in what an
// older peer received.
func checkOld(t *testing.T, x exchange) {
	t.Helper()
	for _, f := range x.frames {
		for _, word := range []string{"resultType", "inputRequests", "inputResponses", "requestState", protocol.ResultInputRequired, "mrtr-migrate"} {
			if strings.Contains(f.text, word) {
				t.Errorf("%s leaves towards an older peer: %s", word, f.text)
			}
		}
	}
}

// An older peer is asked over the session, as often as the handler asks, in
// every revision that initialize negotiates.
func TestLegacyRounds(t *testing.T) {
	for _, version := range protocol.LegacyRevisions() {
		t.Run(version, func(t *testing.T) {
			both(t, func(t *testing.T, d *desk, p peer) {
				if got := initialize(t, p, `"`+version+`"`, allCaps); got != version {
					t.Fatalf("negotiated %s", got)
				}
				for _, tool := range []string{"steps", "native"} {
					n := 0
					x := p.call(protocol.MethodCallTool, fmt.Sprintf(`{"name":%q,"arguments":{"n":12}}`, tool), func(ask frame) string {
						n++
						if want := fmt.Sprintf("Step %d after ", n-1); !strings.HasPrefix(question(ask), want) {
							t.Errorf("asked %q, want %q", question(ask), want)
						}
						return fmt.Sprintf(`{"action":"accept","content":{"word":"w%d"}}`, n)
					})
					checkOld(t, x)
					if got := text(t, x); got != "w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11 w12" {
						t.Errorf("%s: %q", tool, got)
					}
					if len(x.asks) != 12 || x.asks[0].Method != protocol.MethodElicit {
						t.Errorf("%s: %d asks", tool, len(x.asks))
					}
				}
				if done := d.done(); len(done) != 1 {
					t.Errorf("effects %q", done)
				}
			})
		})
	}
}

// The three methods and the three kinds of question on an older peer.
func TestLegacyKinds(t *testing.T) {
	tests := []struct{ method, params, answer, want string }{
		{protocol.MethodCallTool, `{"name":"blocking","arguments":{}}`, `{"action":"accept","content":{"word":"w"}}`, `"text":"w w"`},
		{protocol.MethodGetPrompt, `{"name":"handover","arguments":{"shift":"night"}}`, `{"action":"accept","content":{"word":"w"}}`, `"text":"handover w"`},
		{protocol.MethodReadResource, `{"uri":"desk://payroll"}`, `{"action":"accept","content":{"word":"w"}}`, `"text":"payroll w"`},
		{protocol.MethodCallTool, `{"name":"link","arguments":{}}`, `{"action":"accept"}`, `"text":"signed in: accept"`},
		{protocol.MethodCallTool, `{"name":"sample","arguments":{}}`, `{"role":"assistant","model":"m","content":{"type":"text","text":"short"}}`, `"text":"short"`},
		{protocol.MethodCallTool, `{"name":"roots","arguments":{}}`, `{"roots":[{"uri":"file:///a"}]}`, `"text":"1 roots"`},
		{protocol.MethodCallTool, `{"name":"confirm","arguments":{"what":"x"}}`, `{"action":"decline"}`, `"text":"left x: decline"`},
		{protocol.MethodCallTool, `{"name":"confirm","arguments":{"what":"x"}}`, `{"action":"cancel"}`, `"text":"left x: cancel"`},
		{protocol.MethodCallTool, `{"name":"plain","arguments":{}}`, ``, `"text":"plain"`},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"handover"},"argument":{"name":"shift","value":"n"}}`, `{"action":"decline"}`, `"completion"`},
	}
	for _, tt := range tests {
		t.Run(tt.params, func(t *testing.T) {
			both(t, func(t *testing.T, _ *desk, p peer) {
				initialize(t, p, `"2025-11-25"`, allCaps)
				x := p.call(tt.method, tt.params, func(frame) string { return tt.answer })
				checkOld(t, x)
				if !strings.Contains(x.text, tt.want) {
					t.Errorf("%s, want %s", x.text, tt.want)
				}
				if asked := len(x.asks) > 0; asked != (tt.answer != "") {
					t.Errorf("%d asks", len(x.asks))
				}
			})
		})
	}
}

// What an older peer cannot mean is dropped: neither field has an effect, and
// neither makes the SDK refuse the request.
func TestLegacyRetryFields(t *testing.T) {
	both(t, func(t *testing.T, _ *desk, p peer) {
		initialize(t, p, `"2025-11-25"`, allCaps)
		for _, fields := range []string{
			`"requestState":"a b c","inputResponses":{"next":{"action":"accept","content":{"word":"forged"}}}`,
			`"requestState":5,"inputResponses":{"next":17}`,
			`"_meta":{"io.github.mrtr-migrate/requestState":"\"a b c\"","io.github.mrtr-migrate/inputResponses":"{}"}`,
		} {
			for _, tool := range []string{"native", "steps"} {
				x := p.call(protocol.MethodCallTool, fmt.Sprintf(`{"name":%q,"arguments":{"n":1},%s}`, tool, fields), says(`{"word":"w"}`))
				checkOld(t, x)
				if got := text(t, x); got != "w" {
					t.Errorf("%s with %s: %q", tool, fields, got)
				}
			}
		}
	})
}

// The same without the raw filter in front, as far as the SDK decodes them.
func TestLegacyRetryFieldsUnfiltered(t *testing.T) {
	d := newDesk(t)
	p := overPipesWith(t, d.server, func(t mcp.Transport) mcp.Transport { return t })
	initialize(t, p, `"2025-11-25"`, allCaps)
	x := p.call(protocol.MethodCallTool, `{"name":"native","arguments":{"n":1},"requestState":"a b c","inputResponses":{"next":{"action":"accept","content":{"word":"forged"}}}}`, says(`{"word":"w"}`))
	checkOld(t, x)
	if got := text(t, x); got != "w" {
		t.Errorf("result %q", got)
	}
}

// The bridge for the SDK's own fields asks nothing that initialize did not
// declare, and an error reaches the peer with a code.
func TestLegacyNativeRefused(t *testing.T) {
	const want = "does not support"
	for _, capabilities := range []string{noCaps, `{"elicitation":{"url":{}}}`, allCaps} {
		both(t, func(t *testing.T, _ *desk, p peer) {
			initialize(t, p, `"2025-11-25"`, capabilities)
			x := p.call(protocol.MethodCallTool, `{"name":"native","arguments":{"n":1}}`, says(`{"word":"w"}`))
			checkOld(t, x)
			if capabilities == allCaps {
				if got := text(t, x); got != "w" {
					t.Errorf("result %q", got)
				}
				return
			}
			if x.Error == nil || len(x.asks) > 0 || !strings.Contains(x.Error.Message, want) {
				t.Errorf("with %s: %s", capabilities, x.text)
			}
		})
	}
	both(t, func(t *testing.T, _ *desk, p peer) { // the peer's own error keeps its code
		initialize(t, p, `"2025-11-25"`, allCaps)
		for _, n := range []int{1, 2} { // the SDK's bridge asks the first, ours the second
			asks := 0
			x := p.call(protocol.MethodCallTool, fmt.Sprintf(`{"name":"native","arguments":{"n":%d}}`, n), func(frame) string {
				if asks++; asks == n {
					return `error:{"code":-32099,"message":"no"}`
				}
				return `{"action":"accept","content":{"word":"w"}}`
			})
			checkOld(t, x)
			if x.Error == nil || x.Error.Code != -32099 {
				t.Errorf("%d: %s", n, x.text)
			}
		}
	})
}

// A handler that asks for ever by the SDK's own fields is ended.
func TestLegacyNativeCeiling(t *testing.T) {
	both(t, func(t *testing.T, _ *desk, p peer) {
		initialize(t, p, `"2025-11-25"`, allCaps)
		x := p.call(protocol.MethodCallTool, `{"name":"native","arguments":{"n":16}}`, says(`{"word":"w"}`))
		if len(x.asks) != 16 || len(strings.Fields(text(t, x))) != 16 {
			t.Errorf("%d asks: %s", len(x.asks), x.text)
		}
		x = p.call(protocol.MethodCallTool, `{"name":"native","arguments":{"n":1000}}`, says(`{"word":"w"}`))
		checkOld(t, x)
		if x.Error == nil || x.Error.Code != protocol.CodeInternal || len(x.asks) > 18 {
			t.Errorf("%d asks: %s", len(x.asks), x.text)
		}
	})
}

// What a client asked for in initialize does not make it a modern peer: the
// revision that it got does. With the gate gone, the SDK takes the first of
// these for one, and asking fails.
func TestInitializeLowersTheRevision(t *testing.T) {
	for _, asked := range []string{`"2026-07-28"`, `"2031-01-01"`, `"nonsense"`, `""`} {
		t.Run(asked, func(t *testing.T) {
			both(t, func(t *testing.T, _ *desk, p peer) {
				if got := initialize(t, p, asked, allCaps); got != protocol.Revision20251125 {
					t.Fatalf("negotiated %s", got)
				}
				for _, tool := range []string{"steps", "native"} {
					x := p.call(protocol.MethodCallTool, fmt.Sprintf(`{"name":%q,"arguments":{"n":3}}`, tool), says(`{"word":"w"}`))
					checkOld(t, x)
					if got := text(t, x); got != "w w w" || len(x.asks) != 3 {
						t.Errorf("%s: %d asks, %q", tool, len(x.asks), got)
					}
				}
			})
		})
	}
}

// A client that sends the header of the revision that it asks for is an older
// one all the same.
func TestInitializeWithModernHeader(t *testing.T) {
	d := newDesk(t)
	p := overHTTP(t, d.server, nil)
	p.header = map[string][]string{"Mcp-Protocol-Version": {protocol.Revision20260728}}
	if got := initialize(t, p, `"2026-07-28"`, allCaps); got != protocol.Revision20251125 {
		t.Fatalf("negotiated %s", got)
	}
	x := p.call(protocol.MethodCallTool, `{"name":"steps","arguments":{"n":2}}`, says(`{"word":"w"}`))
	if got := text(t, x); got != "w w" || len(x.asks) != 2 {
		t.Errorf("%d asks, %q", len(x.asks), got)
	}
}

// After initialize on one connection, a request that says that it is modern is
// served as one, for a migrated handler and for one that uses the SDK's own
// fields, and the session stays what it was.
func TestModernAfterInitialize(t *testing.T) {
	d := newDesk(t)
	p := overPipes(t, d.server)
	initialize(t, p, `"2025-11-25"`, allCaps)
	for range 2 {
		x := p.call(protocol.MethodCallTool, `{"name":"steps","arguments":{"n":2}}`, says(`{"word":"old"}`))
		checkOld(t, x)
		if got := text(t, x); got != "old old" || len(x.asks) != 2 {
			t.Errorf("%d asks, %q", len(x.asks), got)
		}
		for _, call := range []struct{ method, members string }{
			{protocol.MethodCallTool, `"name":"steps","arguments":{"n":2}`},
			{protocol.MethodCallTool, `"name":"native","arguments":{"n":2}`},
			{protocol.MethodCallTool, `"name":"plain","arguments":{}`},
			{protocol.MethodGetPrompt, `"name":"handover","arguments":{"shift":"s"}`},
			{protocol.MethodReadResource, `"uri":"desk://payroll"`},
		} {
			all := rounds(t, call.method, call.members, allCaps, says(`{"word":"new"}`), p)
			checkComplete(t, all[len(all)-1])
			if asks := strings.Contains(call.members, "plain"); asks == (len(all) > 1) {
				t.Errorf("%s: %d results", call.members, len(all))
			}
		}
		// The capabilities are the request's, not initialize's.
		if x := p.call(protocol.MethodCallTool, modern(`"name":"steps","arguments":{"n":1}`, noCaps), nil); x.Error == nil || x.Error.Code != protocol.CodeMissingClientCapability {
			t.Errorf("capabilities of initialize used: %s", x.text)
		}
	}
}

// A handler that kept the session of an older peer's request cannot ask over it
// in a modern one (rule 1), and can in another of that peer.
func TestModernNeverAskedLive(t *testing.T) {
	d := newDesk(t)
	p := overPipes(t, d.server)
	initialize(t, p, `"2025-11-25"`, allCaps)
	if got := text(t, p.call(protocol.MethodCallTool, `{"name":"keep","arguments":{}}`, nil)); got != "kept" {
		t.Fatalf("result %q", got)
	}
	x := p.call(protocol.MethodCallTool, modern(`"name":"stolen","arguments":{}`, allCaps), nil)
	if x.Error == nil || len(d.done()) != 0 {
		t.Errorf("asked over a live session: %s", x.text)
	}
	if got := text(t, p.call(protocol.MethodCallTool, `{"name":"stolen","arguments":{}}`, says(`{"word":"w"}`))); got != "stolen: w" {
		t.Errorf("result %q", got)
	}
}

// server/discover decides nothing: an initialize that follows it is the first.
func TestDiscoverThenInitialize(t *testing.T) {
	d := newDesk(t)
	p := overPipes(t, d.server)
	var discovered struct{ SupportedVersions []string }
	r := asRound(t, p.call("server/discover", modern(`"x":0`, allCaps), nil))
	checkComplete(t, r)
	if json.Unmarshal(r.Result, &discovered); !slices.Equal(discovered.SupportedVersions, mcp.SupportedProtocolVersions()) {
		t.Errorf("discovered %q", discovered.SupportedVersions)
	}
	if got := initialize(t, p, `"2025-11-25"`, allCaps); got != protocol.Revision20251125 {
		t.Fatalf("negotiated %s", got)
	}
	x := p.call(protocol.MethodCallTool, `{"name":"steps","arguments":{"n":2}}`, says(`{"word":"w"}`))
	if got := text(t, x); got != "w w" || len(x.asks) != 2 {
		t.Errorf("%d asks, %q", len(x.asks), got)
	}
}

// A request that names no revision, on a connection where nobody initialised,
// belongs to neither era (rule 20).
func TestUnnamedRequest(t *testing.T) {
	d := newDesk(t)
	p := overPipes(t, d.server)
	checkComplete(t, asRound(t, p.call(protocol.MethodCallTool, modern(`"name":"plain","arguments":{}`, allCaps), nil)))
	for _, method := range []string{"tools/list", protocol.MethodCallTool} {
		x := p.call(method, `{"name":"steps","arguments":{"n":1}}`, nil)
		if x.Error == nil || x.Error.Code != protocol.CodeInvalidParams {
			t.Errorf("%s: %s", method, x.text)
		}
	}
}

// Rule 29: a revision that is not served is refused with those that are.
func TestUnsupportedVersion(t *testing.T) {
	both(t, func(t *testing.T, _ *desk, p peer) {
		for _, version := range []string{"2027-01-01", "2026-01-01", "nonsense"} {
			params := strings.Replace(modern(`"name":"steps","arguments":{"n":1}`, allCaps), protocol.Revision20260728, version, 1)
			x := p.call(protocol.MethodCallTool, params, nil)
			var data struct {
				Supported []string
				Requested string
			}
			if x.Error == nil || x.Error.Code != protocol.CodeUnsupportedProtocolVersion || json.Unmarshal(x.Error.Data, &data) != nil {
				t.Fatalf("%s: %s", version, x.text)
			}
			if data.Requested != version || slices.Contains(data.Supported, version) || !slices.Contains(data.Supported, protocol.Revision20260728) {
				t.Errorf("%s: %s", version, x.Error.Data)
			}
		}
		x := p.call(protocol.MethodCallTool, `{"name":"plain","arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":5}}`, nil)
		if x.Error == nil {
			t.Errorf("a version that is a number: %s", x.text)
		}
	})
}
