package gosdk_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	mrtr "github.com/mrtr-migrate/mrtr-migrate/shim/gosdk"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// live calls a tool of an old session and answers each live question with result.
func (p *peer) live(name string, result any) (r round) {
	p.t.Helper()
	p.id++
	p.send(map[string]any{"jsonrpc": "2.0", "id": p.id, "method": protocol.MethodCallTool, "params": map[string]any{"name": name, "arguments": nothing{}}})
	for {
		m := p.receive()
		if m.Method == "" {
			r.message = m
			if err := json.Unmarshal(m.Result, &r); err != nil {
				p.t.Fatal(err)
			}
			return r
		}
		p.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result})
	}
}

// TestAnswersAsTheSessionGivesThem gives one answer to the session's own blocking
// call on an old peer and to the shim on a modern one, and compares what the
// handler sees: the answer with its defaults, or the text of the error. The three
// differences are those that the blocking call let through (the closed table).
func TestAnswersAsTheSessionGivesThem(t *testing.T) {
	const form = `{"type":"object","properties":{
		"name":{"type":"string","minLength":2},
		"count":{"type":"integer","default":3},
		"size":{"type":"string","enum":["s","m"],"default":"m"},
		"tags":{"type":"array","items":{"type":"string","enum":["a","b"]}},
		"sure":{"type":"boolean","default":true}},"required":["name"]}`
	const optional = `{"type":"object","properties":{"note":{"type":"string","default":"none"}}}`
	const closed = `{"type":"object","properties":{"ok":{"type":"boolean"}},"additionalProperties":false}`
	const nested = `{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string"}}}}}`
	tests := []struct {
		schema, answer string
		differs        bool
	}{
		{form, `{"action":"accept","content":{"name":"xy"}}`, false},
		{form, `{"action":"accept","content":{"name":"xy","count":4,"size":"s","tags":["a"],"sure":false}}`, false},
		{form, `{"action":"accept","content":{"name":"xy","count":4.0}}`, false},
		{form, `{"action":"accept","content":{"name":"xy","count":4.5}}`, false},
		{form, `{"action":"accept","content":{"name":"xy","count":"4"}}`, false},
		{form, `{"action":"accept","content":{"name":"xy","count":null}}`, false},
		{form, `{"action":"accept","content":{"name":"x"}}`, false},
		{form, `{"action":"accept","content":{"name":"xy","size":"l"}}`, false},
		{form, `{"action":"accept","content":{"name":"xy","tags":["c"]}}`, false},
		{form, `{"action":"accept","content":{"name":"xy","extra":{"a":[1,null]}}}`, false},
		{form, `{"action":"accept","content":{}}`, false},
		{form, `{"action":"decline"}`, false},
		{form, `{"action":"decline","content":{"name":1}}`, false},
		{form, `{"action":"cancel","content":null}`, false},
		{optional, `{"action":"accept"}`, false},
		{optional, `{"action":"accept","content":null}`, false},
		{optional, `{"action":"accept","content":{}}`, false},
		{optional, `{"action":"accept","content":{"note":"<a & b>"}}`, false},
		{closed, `{"action":"accept","content":{"ok":true}}`, false},
		{closed, `{"action":"accept","content":{"ok":true,"more":1}}`, false},
		{nested, `{"action":"accept","content":{"a":{}}}`, false},
		{nested, `{"action":"decline"}`, false},
		{``, `{"action":"accept","content":{"x":1e3}}`, false},
		{``, `{"action":"accept"}`, false},
		{``, `{"action":"accept","content":{"x":1},"_meta":{"a":"b"}}`, false},

		{form, `{"action":"accept"}`, true},
		{form, `{"action":"accept","content":null}`, true},
		{form, `{"action":"maybe"}`, true},
	}
	for _, tt := range tests {
		t.Run(tt.schema+tt.answer, func(t *testing.T) {
			params := &mcp.ElicitParams{Message: "?"}
			if tt.schema != "" {
				params.RequestedSchema = json.RawMessage(tt.schema)
			}
			see := func(res *mcp.ElicitResult, err error) (string, error) {
				if err != nil {
					return "error " + err.Error(), nil
				}
				raw, err := json.Marshal(res)
				return string(raw), err
			}
			old := mcp.NewServer(&mcp.Implementation{Name: "old", Version: "1"}, nil)
			//lint:ignore MRTR001 the old call is what is compared with
			addTool(old, "tool", func(ctx context.Context, s *mcp.ServerSession) (string, error) { return see(s.Elicit(ctx, params)) })
			p := connect(t, old)
			p.initialize(protocol.Revision20251125)
			want := p.live("tool", json.RawMessage(tt.answer)).text()

			migrated := newServer(t, nil)
			addTool(migrated, "tool", func(ctx context.Context, s *mcp.ServerSession) (string, error) {
				return see(mrtr.Elicit(ctx, s, "k", params))
			})
			_, last := connect(t, migrated).play("tool", func(string, json.RawMessage) any { return json.RawMessage(tt.answer) })
			if got := last.text(); got == "" || (got == want) == tt.differs {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
		})
	}
}
