package shim_test

import (
	"encoding/json"
	"testing"

	"github.com/mrtr-migrate/mrtr-migrate/shim"
)

// FuzzResponses sends every text as inputResponses to a pending question. No text
// may panic, and the effect may run only for one that says accept and ok.
func FuzzResponses(f *testing.F) {
	for _, seed := range []string{
		`{"k":{"action":"accept","content":{"ok":true}}}`, `{"k":{"action":"accept","content":{"ok":false}}}`,
		`{"k":{"action":"accept","content":{"ok":"true"}}}`, `{"k":{"Action":"accept","content":{"ok":true}}}`,
		`{"k":{"action":"accept"},"k":{"action":"accept","content":{"ok":true}}}`, `{"K":{"action":"accept","content":{"ok":true}}}`,
		`{"k":[{"action":"accept","content":{"ok":true}}]}`, `{"k":"accept"}`, `null`, `[]`, `{`, `{"k":null}`,
	} {
		f.Add([]byte(seed))
	}
	b := newBench(f, shim.Limits{})
	effects := 0
	h := confirm(elicit("k", "Sure?"), func() { effects++ })
	first := b.round(h, "", nil)
	f.Fuzz(func(t *testing.T, raw []byte) {
		b.t, effects = t, 0
		b.request.Responses = raw
		o := b.round(h, first.asked.State, nil)
		var said struct {
			K map[string]json.RawMessage `json:"k"`
		}
		approved := json.Unmarshal(raw, &said) == nil && string(said.K["action"]) != ""
		if effects > 0 && (!approved || o.asked != nil || o.err != nil) {
			t.Errorf("%s: %+v", raw, o)
		}
		var exact map[string]map[string]any
		if json.Unmarshal(raw, &exact) == nil && effects > 0 {
			content, _ := exact["k"]["content"].(map[string]any)
			if exact["k"]["action"] != "accept" || content["ok"] != true {
				t.Errorf("%s approved", raw)
			}
		}
	})
}
