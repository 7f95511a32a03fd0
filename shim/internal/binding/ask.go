package binding

import (
	"context"
	"encoding/json"

	"github.com/mrtr-migrate/mrtr-migrate/shim"
)

// An Asker is one of the two ways to ask: Ask or AskBlocking of a continuation.
type Asker func(context.Context, shim.Ask) (json.RawMessage, error)

// Put asks one question and decodes its answer. With an error there is no result:
// whoever ignores the error must not find an empty answer.
func Put[R any](ctx context.Context, ask Asker, kind shim.Kind, key string, params any, facts []any) (*R, error) {
	return PutDecoded(ctx, ask, kind, key, params, facts, func(raw json.RawMessage) (*R, error) {
		res := new(R)
		if err := json.Unmarshal(raw, res); err != nil {
			return nil, err
		}
		return res, nil
	})
}

// PutDecoded is [Put] with a decoder of its own. An answer that it cannot read is
// no answer.
func PutDecoded[R any](ctx context.Context, ask Asker, kind shim.Kind, key string, params any, facts []any, decode func(json.RawMessage) (*R, error)) (*R, error) {
	a := shim.Ask{Key: key, Kind: kind, Check: func(raw json.RawMessage) error {
		_, err := decode(raw)
		return err
	}}
	// What JSON cannot carry is left to the engine to refuse, so that it is a
	// fault and not an error that a handler may pass over.
	a.Params = Marshal(params)
	for _, f := range facts {
		raw, err := shim.Plain(f)
		if err != nil {
			raw = json.RawMessage("!")
		}
		a.Facts = append(a.Facts, raw)
	}
	raw, err := ask(ctx, a)
	if err != nil {
		return nil, err
	}
	return decode(raw)
}

// Marshal returns the JSON of v, or a text that is none.
func Marshal(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("!")
	}
	return raw
}
