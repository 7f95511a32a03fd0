package legacyadapter_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// both runs a test with a fresh desk over pipes and over HTTP.
func both(t *testing.T, test func(t *testing.T, d *desk, p peer)) {
	t.Run("pipes", func(t *testing.T) {
		d := newDesk(t)
		test(t, d, overPipes(t, d.server))
	})
	t.Run("http", func(t *testing.T) {
		d := newDesk(t)
		test(t, d, overHTTP(t, d.server, nil))
	})
}

// checkAsked asserts what every result that asks has, and has not (rules 2 to
// 4 and 19, and source.md 2.1).
func checkAsked(t *testing.T, r round) {
	t.Helper()
	for name := range r.members {
		if !slices.Contains([]string{"resultType", "inputRequests", "requestState", "_meta"}, name) {
			t.Errorf("an input_required result has %q: %s", name, r.text)
		}
	}
	if r.ResultType != protocol.ResultInputRequired {
		t.Errorf("resultType %q", r.ResultType)
	}
	if len(r.InputRequests) == 0 && r.RequestState == nil {
		t.Errorf("neither requests nor state: %s", r.text)
	}
	for key, q := range r.InputRequests {
		if key == "" || q.Params == nil || !slices.Contains([]string{protocol.MethodElicit, protocol.MethodCreateMessage, protocol.MethodListRoots}, q.Method) {
			t.Errorf("request %q: %s", key, r.text)
		}
	}
}

// checkComplete asserts what every finished result of a modern request has.
func checkComplete(t *testing.T, r round) {
	t.Helper()
	if r.ResultType != protocol.ResultComplete {
		t.Errorf("resultType %q: %s", r.ResultType, r.text)
	}
	for _, name := range []string{"inputRequests", "requestState"} {
		if _, ok := r.members[name]; ok {
			t.Errorf("a complete result has %q: %s", name, r.text)
		}
	}
}

// Rules 1, 2, 3, 4, 12 and 19: four questions in a row end four rounds, nothing
// is asked over the connection, and the last result is complete.
func TestModernRounds(t *testing.T) {
	both(t, func(t *testing.T, d *desk, p peer) {
		var asked []string
		all := rounds(t, protocol.MethodCallTool, `"name":"steps","arguments":{"n":4}`, allCaps, func(ask frame) string {
			asked = append(asked, question(ask))
			return fmt.Sprintf(`{"action":"accept","content":{"word":"w%d"}}`, len(asked))
		}, p)
		if len(all) != 5 {
			t.Fatalf("%d results, want 5", len(all))
		}
		for _, r := range all[:4] {
			checkAsked(t, r)
		}
		checkComplete(t, all[4])
		want := []string{"Step 0 after []?", "Step 1 after [w1]?", "Step 2 after [w1 w2]?", "Step 3 after [w1 w2 w3]?"}
		if !slices.Equal(asked, want) {
			t.Errorf("asked %q", asked)
		}
		if got := all[4].Content[0].Text; got != "w1 w2 w3 w4" {
			t.Errorf("result %q", got)
		}
		if done := d.done(); !slices.Equal(done, []string{"steps w1 w2 w3 w4"}) {
			t.Errorf("effects %q", done)
		}
	})
}

// The three methods, the three kinds of question, and both styles.
func TestModernKinds(t *testing.T) {
	tests := []struct{ method, members, answer, want string }{
		{protocol.MethodCallTool, `"name":"blocking","arguments":{}`, `{"action":"accept","content":{"word":"w"}}`, `"text":"w w"`},
		{protocol.MethodGetPrompt, `"name":"handover","arguments":{"shift":"night"}`, `{"action":"accept","content":{"word":"w"}}`, `"text":"handover w"`},
		{protocol.MethodReadResource, `"uri":"desk://payroll"`, `{"action":"accept","content":{"word":"w"}}`, `"text":"payroll w"`},
		{protocol.MethodCallTool, `"name":"link","arguments":{}`, `{"action":"accept"}`, `"text":"signed in: accept"`},
		{protocol.MethodCallTool, `"name":"sample","arguments":{}`, `{"role":"assistant","model":"m","content":{"type":"text","text":"short"}}`, `"text":"short"`},
		{protocol.MethodCallTool, `"name":"roots","arguments":{}`, `{"roots":[{"uri":"file:///a"}]}`, `"text":"1 roots"`},
		{protocol.MethodCallTool, `"name":"confirm","arguments":{"what":"x"}`, `{"action":"decline"}`, `"text":"left x: decline"`},
		{protocol.MethodCallTool, `"name":"confirm","arguments":{"what":"x"}`, `{"action":"cancel"}`, `"text":"left x: cancel"`},
		{protocol.MethodCallTool, `"name":"native","arguments":{"n":2}`, `{"action":"accept","content":{"word":"w"}}`, `"text":"w w"`},
	}
	for _, tt := range tests {
		t.Run(tt.members, func(t *testing.T) {
			both(t, func(t *testing.T, _ *desk, p peer) {
				all := rounds(t, tt.method, tt.members, allCaps, func(frame) string { return tt.answer }, p)
				if len(all) < 2 {
					t.Fatalf("not asked: %s", all[0].text)
				}
				if !strings.Contains(tt.members, "native") { // the SDK's own type adds content: null
					checkAsked(t, all[0])
				}
				last := all[len(all)-1]
				checkComplete(t, last)
				if !strings.Contains(last.text, tt.want) {
					t.Errorf("result %s, want %s", last.text, tt.want)
				}
			})
		})
	}
}

// Rules 2 and 19: other methods carry a resultType and never ask.
func TestModernOtherMethods(t *testing.T) {
	both(t, func(t *testing.T, _ *desk, p peer) {
		for _, method := range []string{"server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list"} {
			r := asRound(t, p.call(method, modern(`"cursor":""`, allCaps), nil))
			checkComplete(t, r)
		}
		x := p.call("completion/complete", modern(`"ref":{"type":"ref/prompt","name":"handover"},"argument":{"name":"shift","value":"n"}`, allCaps), nil)
		if x.Error == nil || strings.Contains(x.text, protocol.ResultInputRequired) {
			t.Errorf("an ask in another method: %s", x.text)
		}
	})
}

// Rule 11, the server's side: a result that needs no state has none, and a
// state that is sent where none was given is refused.
func TestModernStateOnlyWhereNeeded(t *testing.T) {
	both(t, func(t *testing.T, _ *desk, p peer) {
		checkComplete(t, asRound(t, p.call(protocol.MethodCallTool, modern(`"name":"plain","arguments":{}`, noCaps), nil)))
		x := p.call(protocol.MethodCallTool, modern(`"name":"plain","arguments":{},"requestState":"made up"`, noCaps), nil)
		checkInvalidState(t, x)
	})
}

func checkInvalidState(t *testing.T, x exchange) {
	t.Helper()
	if x.Error == nil || x.Error.Code != protocol.CodeInvalidParams || x.Error.Message != protocol.InvalidStateMessage ||
		string(x.Error.Data) != `{"reason":"invalid_request_state"}` {
		t.Fatalf("not refused as a bad state: %s", x.text)
	}
	if x.status != 0 && x.status != http.StatusBadRequest {
		t.Errorf("status %d", x.status)
	}
}

// Rule 5: a state is believed only as it was given, for what it was given.
func TestModernTamperedState(t *testing.T) {
	const members = `"name":"confirm","arguments":{"what":"x"}`
	tests := []struct {
		name string
		bend func(state string) (members, text string)
	}{
		{"a bit flipped", func(s string) (string, string) { return members, `"` + s[:20] + flip(s[20]) + s[21:] + `"` }},
		{"cut short", func(s string) (string, string) { return members, `"` + s[:len(s)-1] + `"` }},
		{"longer", func(s string) (string, string) { return members, `"` + s + `A"` }},
		{"empty", func(string) (string, string) { return members, `""` }},
		{"a number", func(string) (string, string) { return members, `7` }},
		{"other arguments", func(s string) (string, string) { return `"name":"confirm","arguments":{"what":"y"}`, `"` + s + `"` }},
		{"another tool", func(s string) (string, string) { return `"name":"steps","arguments":{"what":"x"}`, `"` + s + `"` }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			both(t, func(t *testing.T, d *desk, p peer) {
				first := asRound(t, p.call(protocol.MethodCallTool, modern(members, allCaps), nil))
				answered := first.retry("", says(`{"word":"w"}`))
				responses, _, _ := strings.Cut(answered, `,"requestState"`)
				bent, state := tt.bend(*first.RequestState)
				x := p.call(protocol.MethodCallTool, modern(bent+responses+`,"requestState":`+state, allCaps), nil)
				checkInvalidState(t, x)
				if done := d.done(); len(done) != 0 {
					t.Errorf("effects %q", done)
				}
				// As it was given, it is believed; so is another way to
				// write the same arguments.
				x = p.call(protocol.MethodCallTool, modern(`"arguments":{ "what" : "\u0078" },"name":"confirm"`+answered, allCaps), nil)
				if got := text(t, x); got != "did x: w" {
					t.Errorf("result %q", got)
				}
			})
		})
	}
}

func flip(b byte) string {
	if b == 'A' {
		return "B"
	}
	return "A"
}

// A first call that carries an answer to a question that nobody asked gets the
// question.
func TestModernForgedAnswer(t *testing.T) {
	both(t, func(t *testing.T, d *desk, p peer) {
		first := asRound(t, p.call(protocol.MethodCallTool, modern(`"name":"confirm","arguments":{"what":"x"}`, allCaps), nil))
		var key string
		for key = range first.InputRequests {
		}
		for _, meta := range []string{"", `"io.github.mrtr-migrate/inputResponses":"{}",`} {
			params := modern(fmt.Sprintf(`"name":"confirm","arguments":{"what":"x"},"inputResponses":{%q:{"action":"accept","content":{"word":"w"}}}`, key), allCaps)
			params = strings.Replace(params, `"_meta":{`, `"_meta":{`+meta, 1)
			checkAsked(t, asRound(t, p.call(protocol.MethodCallTool, params, nil)))
		}
		if done := d.done(); len(done) != 0 {
			t.Errorf("effects %q", done)
		}
	})
}

// Rules 8 and 21: what the request's own capabilities do not cover does not
// leave, and is an error that says what is missing.
func TestModernCapabilities(t *testing.T) {
	tests := []struct {
		tool, capabilities string
		missing            string // "" when it is asked
	}{
		{"confirm", allCaps, ""},
		{"confirm", formOnly, ""},
		{"confirm", `{"elicitation":{}}`, ""},
		{"confirm", noCaps, `{"elicitation":{"form":{}}}`},
		{"confirm", `{"elicitation":{"url":{}}}`, `{"elicitation":{"form":{}}}`},
		{"link", `{"elicitation":{"url":{}}}`, ""},
		{"link", formOnly, `{"elicitation":{"url":{}}}`},
		{"link", `{"elicitation":{}}`, `{"elicitation":{"url":{}}}`},
		{"sample", `{"sampling":{}}`, ""},
		{"sample", formOnly, `{"sampling":{}}`},
		{"roots", `{"roots":{}}`, ""},
		{"roots", formOnly, `{"roots":{}}`},
	}
	for _, tt := range tests {
		t.Run(tt.tool+" "+tt.capabilities, func(t *testing.T) {
			both(t, func(t *testing.T, d *desk, p peer) {
				members := fmt.Sprintf(`"name":%q,"arguments":{"what":"x"}`, tt.tool)
				// An earlier request that declared everything changes nothing
				// (rule 22).
				checkAsked(t, asRound(t, p.call(protocol.MethodCallTool, modern(members, allCaps), nil)))
				x := p.call(protocol.MethodCallTool, modern(members, tt.capabilities), nil)
				if tt.missing == "" {
					checkAsked(t, asRound(t, x))
					return
				}
				var data struct{ RequiredCapabilities json.RawMessage }
				if x.Error == nil || x.Error.Code != protocol.CodeMissingClientCapability || json.Unmarshal(x.Error.Data, &data) != nil {
					t.Fatalf("not refused: %s", x.text)
				}
				if string(data.RequiredCapabilities) != tt.missing {
					t.Errorf("missing %s, want %s", data.RequiredCapabilities, tt.missing)
				}
				if x.status != 0 && x.status != http.StatusBadRequest {
					t.Errorf("status %d", x.status)
				}
			})
		})
	}
	both(t, func(t *testing.T, _ *desk, p peer) { // a fallback is left alone
		if got := text(t, p.call(protocol.MethodCallTool, modern(`"name":"fallback","arguments":{}`, noCaps), nil)); got != "the default" {
			t.Errorf("fallback %q", got)
		}
	})
}

// Rule 16: entries that nobody asked for are ignored, whatever their shape.
// The SDK alone refuses the request for each of these.
func TestModernUnexpectedEntries(t *testing.T) {
	for _, extra := range []string{`{}`, `5`, `null`, `[1]`, `"x"`, `{"action":"accept"}`, `{"roots":[],"action":"decline"}`, `{"n":9007199254740993}`} {
		both(t, func(t *testing.T, _ *desk, p peer) {
			first := asRound(t, p.call(protocol.MethodCallTool, modern(`"name":"confirm","arguments":{"what":"x"}`, allCaps), nil))
			members := first.retry(`"name":"confirm","arguments":{"what":"x"}`, says(`{"word":"w"}`))
			members = strings.Replace(members, `"inputResponses":{`, `"inputResponses":{"never asked":`+extra+`,`, 1)
			if got := text(t, p.call(protocol.MethodCallTool, modern(members, allCaps), nil)); got != "did x: w" {
				t.Errorf("with %s: %q", extra, got)
			}
		})
	}
}

// Rule 17: an answer that is missing is asked for again. What the answer's
// schema does not allow is too, and is not an approval.
func TestModernMissingAnswer(t *testing.T) {
	const members = `"name":"confirm","arguments":{"what":"x"}`
	for name, said := range map[string]string{
		"none at all": "", "null": `null`, "no action": `{}`, "an unknown action": `{"action":"maybe","content":{"word":"w"}}`,
		"no content": `{"action":"accept"}`, "content of another type": `{"action":"accept","content":{"word":5}}`,
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, d *desk, p peer) {
				first := asRound(t, p.call(protocol.MethodCallTool, modern(members, allCaps), nil))
				again := asRound(t, p.call(protocol.MethodCallTool, modern(first.retry(members, func(frame) string { return said }), allCaps), nil))
				checkAsked(t, again)
				for key := range first.InputRequests {
					if _, ok := again.InputRequests[key]; !ok {
						t.Errorf("%q is not asked again: %s", key, again.text)
					}
				}
				if done := d.done(); len(done) != 0 {
					t.Errorf("effects %q", done)
				}
				last := p.call(protocol.MethodCallTool, modern(again.retry(members, says(`{"word":"w"}`)), allCaps), nil)
				if got := text(t, last); got != "did x: w" {
					t.Errorf("result %q", got)
				}
			})
		})
	}
}

// Rule 13: of two calls at once, neither takes the other's state or answers.
func TestModernCrossedCalls(t *testing.T) {
	both(t, func(t *testing.T, d *desk, p peer) {
		const x, y = `"name":"confirm","arguments":{"what":"x"}`, `"name":"confirm","arguments":{"what":"y"}`
		forX := asRound(t, p.call(protocol.MethodCallTool, modern(x, allCaps), nil))
		forY := asRound(t, p.call(protocol.MethodCallTool, modern(y, allCaps), nil))
		checkInvalidState(t, p.call(protocol.MethodCallTool, modern(forY.retry(x, says(`{"word":"w"}`)), allCaps), nil))
		checkInvalidState(t, p.call(protocol.MethodCallTool, modern(forX.retry(y, says(`{"word":"w"}`)), allCaps), nil))
		if done := d.done(); len(done) != 0 {
			t.Fatalf("effects %q", done)
		}
		for members, r := range map[string]round{x: forX, y: forY} {
			if got := text(t, p.call(protocol.MethodCallTool, modern(r.retry(members, says(`{"word":"w"}`)), allCaps), nil)); !strings.HasPrefix(got, "did") {
				t.Errorf("result %q", got)
			}
		}
	})
}

// Two instances that share a key and nothing else serve the rounds in turn, one
// of them over another transport, and none of it sticks.
func TestModernInstances(t *testing.T) {
	ring := newRing(t)
	one, two, three := newDeskWith(t, ring), newDeskWith(t, ring), newDeskWith(t, ring)
	peers := []peer{overHTTP(t, one.server, nil), overHTTP(t, two.server, nil), overPipes(t, three.server)}
	all := rounds(t, protocol.MethodCallTool, `"name":"steps","arguments":{"n":5}`, allCaps, says(`{"word":"w"}`), peers...)
	if got := all[len(all)-1].Content[0].Text; len(all) != 6 || got != "w w w w w" {
		t.Errorf("%d results, the last %q", len(all), got)
	}
	if total := len(one.done()) + len(two.done()) + len(three.done()); total != 1 {
		t.Errorf("%d effects", total)
	}

	stranger := newDesk(t)
	first := asRound(t, peers[0].call(protocol.MethodCallTool, modern(`"name":"steps","arguments":{"n":1}`, allCaps), nil))
	checkInvalidState(t, overHTTP(t, stranger.server, nil).call(protocol.MethodCallTool,
		modern(first.retry(`"name":"steps","arguments":{"n":1}`, says(`{"word":"w"}`)), allCaps), nil))
}

// Rule 41: the same round sent twice, also to two instances, gets the same
// question twice, and either result leads on.
func TestModernDuplicateRound(t *testing.T) {
	ring := newRing(t)
	one, two := newDeskWith(t, ring), newDeskWith(t, ring)
	a, b := overHTTP(t, one.server, nil), overHTTP(t, two.server, nil)
	const members = `"name":"steps","arguments":{"n":2}`
	first := asRound(t, a.call(protocol.MethodCallTool, modern(members, allCaps), nil))
	second := modern(first.retry(members, says(`{"word":"w"}`)), allCaps)
	r1, r2 := asRound(t, a.call(protocol.MethodCallTool, second, nil)), asRound(t, b.call(protocol.MethodCallTool, second, nil))
	if string(r1.members["inputRequests"]) != string(r2.members["inputRequests"]) {
		t.Errorf("asked %s and %s", r1.members["inputRequests"], r2.members["inputRequests"])
	}
	for _, r := range []round{r1, r2} {
		if got := text(t, b.call(protocol.MethodCallTool, modern(r.retry(members, says(`{"word":"w"}`)), allCaps), nil)); got != "w w" {
			t.Errorf("result %q", got)
		}
	}
}
