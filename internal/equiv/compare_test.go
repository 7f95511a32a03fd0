package equiv

import (
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// q builds a question put while the call was open.
func q(message string) Question {
	return Question{Kind: "elicitation/create", Params: string(mustJSON(map[string]string{"message": message})), Round: 1}
}

// batched puts questions into one round of a modern client.
func batched(round int, questions ...Question) []Question {
	for i := range questions {
		questions[i].Round, questions[i].batched = round, true
	}
	return questions
}

func transcript(result string, questions []Question, effects ...string) *Transcript {
	return &Transcript{
		Questions: questions,
		Result:    Result{Outcome: Returned, Body: result},
		Effects:   effects,
	}
}

// kinds lists what differs.
func kinds(diffs []Difference) []DifferenceKind {
	list := []DifferenceKind{}
	for _, d := range diffs {
		list = append(list, d.Kind)
	}
	return list
}

func TestCompare(t *testing.T) {
	ab := []Question{q("a?"), q("b?")}
	tests := []struct {
		name      string
		want, got *Transcript
		masks     []string
		diffs     []DifferenceKind
	}{
		{"equal", transcript("{}", ab, "x", "y"), transcript("{}", ab, "x", "y"), nil, nil},
		{"equal, in two rounds", transcript("{}", ab), transcript("{}", slices.Concat(batched(1, q("a?")), batched(2, q("b?")))), nil, nil},
		{"batched, other order", transcript("{}", ab), transcript("{}", batched(1, q("b?"), q("a?"))), nil, nil},
		{"asked live, other order", transcript("{}", ab), transcript("{}", []Question{q("b?"), q("a?")}), nil, []DifferenceKind{QuestionMoved}},
		{"two rounds, other order", transcript("{}", ab), transcript("{}", slices.Concat(batched(1, q("b?")), batched(2, q("a?")))), nil, []DifferenceKind{QuestionMoved}},
		{"question missing", transcript("{}", ab), transcript("{}", ab[:1]), nil, []DifferenceKind{QuestionMissing}},
		{"question repeated", transcript("{}", ab), transcript("{}", []Question{q("a?"), q("a?"), q("b?")}), nil, []DifferenceKind{QuestionExtra}},
		{"question too many", transcript("{}", ab), transcript("{}", append(slices.Clone(ab), q("c?"))), nil, []DifferenceKind{QuestionExtra}},
		{"question reworded", transcript("{}", ab), transcript("{}", []Question{q("a?"), q("B?")}), nil, []DifferenceKind{QuestionChanged}},
		{"result", transcript(`{"a":1}`, ab), transcript(`{"a":2}`, ab), nil, []DifferenceKind{ResultChanged}},
		{"error for result", transcript(`{}`, ab), &Transcript{Questions: ab, Result: Result{Outcome: Refused, Body: "{}"}}, nil, []DifferenceKind{ResultChanged}},
		{"effect missing", transcript("{}", ab, "x", "y"), transcript("{}", ab, "y"), nil, []DifferenceKind{EffectMissing}},
		{"effect repeated", transcript("{}", ab, "x", "y"), transcript("{}", ab, "x", "x", "y"), nil, []DifferenceKind{EffectRepeated}},
		{"effect too many", transcript("{}", ab, "x"), transcript("{}", ab, "x", "z"), nil, []DifferenceKind{EffectExtra}},
		{"effect changed", transcript("{}", ab, "x", "y"), transcript("{}", ab, "x", "z"), nil, []DifferenceKind{EffectChanged}},
		{"effects swapped", transcript("{}", ab, "x", "y"), transcript("{}", ab, "y", "x"), nil, []DifferenceKind{EffectMoved}},
		{"masked", transcript(`{"id":"m-1"}`, ab, "new m-1"), transcript(`{"id":"m-7"}`, ab, "new m-7"), []string{`m-\d`}, nil},
		{"masked, but too many", transcript("{}", ab, "new m-1"), transcript("{}", ab, "new m-7", "new m-8"), []string{`m-\d`}, []DifferenceKind{EffectRepeated}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			diffs, err := Compare(test.want, test.got, test.masks)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(kinds(diffs), slices.Clip(append([]DifferenceKind{}, test.diffs...))) {
				t.Errorf("got %v, want kinds %v", diffs, test.diffs)
			}
			if Proven(diffs) != (len(test.diffs) == 0) {
				t.Errorf("Proven = %v with %v", Proven(diffs), diffs)
			}
		})
	}
}

// Two lists of effects compare as equal exactly if they are.
func TestCompareEffectsExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		effect := rapid.SampledFrom([]string{"a", "b", "c"})
		want := rapid.SliceOfN(effect, 0, 6).Draw(t, "want")
		got := rapid.SliceOfN(effect, 0, 6).Draw(t, "got")
		diffs, err := Compare(transcript("{}", nil, want...), transcript("{}", nil, got...), nil)
		if err != nil {
			t.Fatal(err)
		}
		if (len(diffs) == 0) != slices.Equal(want, got) {
			t.Errorf("%q and %q: %v", want, got, diffs)
		}
	})
}

func TestNormalise(t *testing.T) {
	legacy := newQuestion("elicitation/create", json.RawMessage(`{"mode":"form","message":"a?","requestedSchema":{"type":"object","properties":{}},"_meta":{"progressToken":1}}`))
	modern := newQuestion("elicitation/create", json.RawMessage(`{"requestedSchema":{"properties":{},"type":"object"},"message":"a?"}`))
	if legacy.String() != modern.String() {
		t.Errorf("%s is not %s", legacy, modern)
	}
	url := newQuestion("elicitation/create", json.RawMessage(`{"mode":"url","message":"a?","requestedSchema":{"type":"object","properties":{}}}`))
	if url.String() == modern.String() {
		t.Error("a URL question compares as a form")
	}
	if a, b := newQuestion("roots/list", nil), newQuestion("roots/list", json.RawMessage(`{}`)); a.String() != b.String() {
		t.Errorf("%s is not %s", a, b)
	}

	plain := newResult(&Message{Result: json.RawMessage(`{"content":[],"n":9007199254740993}`)})
	stamped := newResult(&Message{Result: json.RawMessage(`{"n":9007199254740993,"resultType":"complete","ttlMs":5,"_meta":{"io.modelcontextprotocol/serverInfo":{}},"content":[]}`)})
	if plain != stamped {
		t.Errorf("%s is not %s", plain, stamped)
	}
	if near := newResult(&Message{Result: json.RawMessage(`{"content":[],"n":9007199254740992}`)}); near == plain {
		t.Error("two numbers compare as equal that differ in the last digit")
	}
}
