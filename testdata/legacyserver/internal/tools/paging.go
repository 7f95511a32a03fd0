package tools

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// answerTime is how long the person on call has before the deputy is called.
const answerTime = 2 * time.Minute

type pageInput struct {
	Why string `json:"why" jsonschema:"what is wrong"`
}

// pageOnCall asks whether the person at the client takes the incident. If no
// answer comes in time, the deputy is called out.
func (d *desk) pageOnCall(ctx context.Context, req *mcp.CallToolRequest, in pageInput) (*mcp.CallToolResult, any, error) {
	answers := make(chan *mcp.ElicitResult, 1)
	go func() {
		defer close(answers)
		res, err := req.Session.Elicit(ctx, &mcp.ElicitParams{
			Message:         fmt.Sprintf("Are you on it? %s", in.Why),
			RequestedSchema: yesNo("I am on it"),
		})
		if err != nil {
			slog.Warn("could not ask who is on call", "error", err)
			return
		}
		answers <- res
	}()

	timer := time.NewTimer(answerTime)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	case <-timer.C:
		if err := d.records.Page("deputy", in.Why); err != nil {
			return nil, nil, err
		}
		return say("No answer in time. The deputy is called out."), nil, nil
	case res, ok := <-answers:
		switch {
		case !ok:
			return nil, nil, errors.New("nobody could be asked")
		case res.Action == "accept" && res.Content["confirm"] == true:
			if err := d.records.Page("on-call", in.Why); err != nil {
				return nil, nil, err
			}
			return say("You are on it."), nil, nil
		default:
			return say("You are not on it. Nobody was called."), nil, nil
		}
	}
}
