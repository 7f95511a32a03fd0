package consent

import (
	"context"
	"errors"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// person is an Asker that always gives the same answer.
type person struct {
	answer *mcp.ElicitResult
	err    error
	asked  string
}

func (p *person) Elicit(_ context.Context, params *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	p.asked = params.Message
	return p.answer, p.err
}

func TestGiven(t *testing.T) {
	tests := []struct {
		name    string
		person  person
		want    bool
		wantErr bool
	}{
		{"agrees", person{answer: &mcp.ElicitResult{Action: "accept", Content: map[string]any{"agree": true}}}, true, false},
		{"accepts but does not agree", person{answer: &mcp.ElicitResult{Action: "accept", Content: map[string]any{"agree": false}}}, false, false},
		{"declines", person{answer: &mcp.ElicitResult{Action: "decline"}}, false, false},
		{"cannot be asked", person{err: errors.New("gone")}, false, true},
	}
	gate := Gate{House: "Desk"}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := gate.Given(context.Background(), &test.person, "Suspend bob")
			if got != test.want || (err != nil) != test.wantErr {
				t.Errorf("Given = %v, %v; want %v, error %v", got, err, test.want, test.wantErr)
			}
			if test.person.asked != "Desk: Suspend bob?" {
				t.Errorf("asked %q", test.person.asked)
			}
		})
	}
}
