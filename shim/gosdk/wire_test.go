package gosdk_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	mrtr "github.com/mrtr-migrate/mrtr-migrate/shim/gosdk"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

var yesNo = json.RawMessage(`{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}`)

type nothing struct{}

type done struct {
	Done string `json:"done"`
}

// confirmed adds a tool that asks before its effect, in the explicit style.
func confirmed(s *mcp.Server, effects *int) {
	mcp.AddTool(s, &mcp.Tool{Name: "confirm"}, func(ctx context.Context, req *mcp.CallToolRequest, _ nothing) (*mcp.CallToolResult, done, error) {
		res, err := mrtr.Elicit(ctx, req.Session, "confirm", &mcp.ElicitParams{Message: "Go on?", RequestedSchema: yesNo})
		if mrtr.Pending(ctx) {
			return mrtr.InputRequired(ctx), done{}, nil
		}
		if err != nil {
			return nil, done{}, err
		}
		if res.Action != "accept" || res.Content["ok"] != true {
			return nil, done{Done: res.Action}, nil
		}
		*effects++
		return nil, done{Done: "yes"}, nil
	})
}

func TestExplicitRoundOnTheWire(t *testing.T) {
	var effects int
	s := newServer(t, nil)
	confirmed(s, &effects)
	p := connect(t, s)

	first := p.tool("confirm", nothing{})
	if first.ResultType != protocol.ResultInputRequired || first.State == nil || len(first.Requests) != 1 {
		t.Fatalf("first round: %s", first.Result)
	}
	q := first.Requests["confirm"]
	if q.Method != protocol.MethodElicit {
		t.Errorf("method = %q", q.Method)
	}
	var params struct{ Mode, Message string }
	json.Unmarshal(q.Params, &params)
	if params.Mode != "form" || params.Message != "Go on?" {
		t.Errorf("params = %s", q.Params)
	}
	for name := range first.members {
		if !strings.Contains(" resultType inputRequests requestState _meta ", " "+name+" ") {
			t.Errorf("member %q on an input_required result", name)
		}
	}
	if effects != 0 {
		t.Fatal("the effect ran before the answer")
	}
	second := p.tool("confirm", nothing{}, first.answer(accept(map[string]any{"ok": true})))
	if second.ResultType != protocol.ResultComplete || effects != 1 || !strings.Contains(second.text(), "yes") {
		t.Errorf("second round: %s, %d effects", second.Result, effects)
	}
}
