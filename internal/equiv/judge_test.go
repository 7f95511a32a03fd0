package equiv

import (
	"slices"
	"testing"
)

// answered gives questions the indices of their answers.
func answered(questions []Question, indices ...int) []Question {
	for i := range questions {
		questions[i].Answer = indices[i]
	}
	return questions
}

// modern spreads questions over rounds, one each.
func modern(questions ...Question) []Question {
	for i := range questions {
		questions[i].Round, questions[i].batched = i+1, true
	}
	return questions
}

func TestJudge(t *testing.T) {
	refused := Script{Answers: []Answer{
		Accept(map[string]any{"n": 1}).Voided(RefusedAskedAgain), Accept(map[string]any{"n": 2}),
	}}
	refusedForGood := Script{Answers: []Answer{
		Accept(nil).Voided(RefusedAskedAgain), Accept(nil).Voided(RefusedAskedAgain),
		Accept(nil).Voided(RefusedAskedAgain), Accept(nil).Voided(RefusedAskedAgain),
	}}
	rewordedFirst := Script{Answers: []Answer{
		Accept(nil).About("v").Voided(RewordedAskedAgain), Accept(nil).About("b").Voided(RewordedAskedAgain),
		Accept(nil).About("v"), Accept(nil).About("b"),
	}}
	reworded := Script{Answers: []Answer{Decline().Voided(RewordedAskedAgain), Accept(nil)}}
	plain := Script{Answers: []Answer{Accept(nil), Accept(nil)}}
	fails := Script{Answers: []Answer{Accept(nil), Fail(-1, "no")}}
	failOpen := Script{Answers: []Answer{Fail(-1, "no")}, FailOpen: true}
	failOpenAlone := Script{FailOpen: true}
	effectFirst := Script{Answers: []Answer{Accept(nil)}, EffectFirst: true}
	manual := Script{Answers: []Answer{Accept(nil)}, Manual: true}

	// Each case: what the original did, what was seen, and by which rules it
	// is allowed. A zero is a difference that no rule allows.
	tests := []struct {
		name    string
		script  Script
		base    *Transcript
		got     *Transcript
		subject Subject
		rules   []Rule
	}{
		{
			"asked again with the reason", refused,
			transcript("2", answered([]Question{q("n?")}, 1)),
			transcript("2", answered(modern(q("n?"), q("n? (too small)")), 0, 1)),
			Subject{Era: Modern, Rewritten: true}, []Rule{RefusedAskedAgain},
		}, {
			"asked again on the old revision", refused,
			transcript("2", answered([]Question{q("n?")}, 1)),
			transcript("2", answered([]Question{q("n?"), q("n? (too small)")}, 0, 1)),
			Subject{Era: Legacy, Rewritten: true}, []Rule{0},
		}, {
			"asked something else instead", refused,
			transcript("2", answered([]Question{q("n?")}, 1)),
			transcript("2", answered(modern(q("n?"), q("m?")), 0, 1)),
			Subject{Era: Modern, Rewritten: true}, []Rule{0, 0},
		}, {
			"asked again although the answer counts", plain,
			transcript("2", answered([]Question{q("n?")}, 0)),
			transcript("2", answered(modern(q("n?"), q("n? (too small)")), 0, 1)),
			Subject{Era: Modern, Rewritten: true}, []Rule{0},
		}, {
			"asked again twice", refusedForGood,
			transcript("e", answered([]Question{q("n?")}, 0)),
			transcript("e", answered(modern(q("n?"), q("n? r"), q("n? r")), 0, 1, 2)),
			Subject{Era: Modern, Rewritten: true}, []Rule{RefusedAskedAgain, RefusedAskedAgain},
		}, {
			"asked again three times", refusedForGood,
			transcript("e", answered([]Question{q("n?")}, 0)),
			transcript("e", answered(modern(q("n?"), q("n? r"), q("n? r"), q("n? r")), 0, 1, 2, 3)),
			Subject{Era: Modern, Rewritten: true}, []Rule{RefusedAskedAgain, RefusedAskedAgain, 0},
		}, {
			"reworded", reworded,
			transcript("1", answered([]Question{q("v1?")}, 1), "x"),
			transcript("1", answered(modern(q("v1?"), q("v2?")), 0, 1), "x"),
			Subject{Era: Modern, Rewritten: true}, []Rule{RewordedAskedAgain},
		}, {
			"reworded, but the first answer was taken", reworded,
			transcript("1", answered([]Question{q("v1?")}, 1), "x"),
			transcript("0", answered(modern(q("v1?")), 0)),
			Subject{Era: Modern, Rewritten: true}, []Rule{0, 0, 0},
		}, {
			"reworded, the first answer taken, to the same end", reworded,
			transcript("1", answered([]Question{q("v1?")}, 1), "x"),
			transcript("1", answered(modern(q("v1?")), 0), "x"),
			Subject{Era: Modern, Rewritten: true}, []Rule{0},
		}, {
			"the first reworded, the second asked again too", rewordedFirst,
			transcript("1", answered([]Question{q("v1?"), q("b?")}, 2, 3), "x"),
			transcript("1", answered(modern(q("v1?"), q("b?"), q("v2?"), q("b?")), 0, 1, 2, 3), "x"),
			Subject{Era: Modern, Rewritten: true}, []Rule{RewordedAskedAgain, RewordedAskedAgain},
		}, {
			"the first reworded, the old answer to the second kept", rewordedFirst,
			transcript("1", answered([]Question{q("v1?"), q("b?")}, 2, 3), "x"),
			transcript("1", answered(modern(q("v1?"), q("b?"), q("v2?")), 0, 1, 2), "x"),
			Subject{Era: Modern, Rewritten: true}, []Rule{RewordedAskedAgain, 0},
		}, {
			"only the second asked again", rewordedFirst,
			transcript("1", answered([]Question{q("v1?"), q("b?")}, 2, 3), "x"),
			transcript("1", answered(modern(q("v1?"), q("b?"), q("b?")), 0, 1, 3), "x"),
			Subject{Era: Modern, Rewritten: true}, []Rule{0, 0, 0},
		}, {
			"not reworded, asked again all the same", reworded,
			transcript("1", answered([]Question{q("v1?")}, 1), "x"),
			transcript("1", answered(modern(q("v1?"), q("v1?")), 0, 1), "x"),
			Subject{Era: Modern, Rewritten: true}, []Rule{0, 0},
		}, {
			"the client fails", fails,
			transcript("e", []Question{{Kind: "a", Params: "{}", Answer: 0}, {Kind: "b", Params: "{}", Answer: 1, Effects: 1}}, "before", "after"),
			&Transcript{
				Questions: modern(Question{Kind: "a", Params: "{}", Answer: 0}, Question{Kind: "b", Params: "{}", Answer: 1}),
				Result:    Result{Outcome: Unanswered}, Effects: []string{"before"},
			},
			Subject{Era: Modern, Rewritten: true}, []Rule{ErrorUnanswered},
		}, {
			"the client fails, and the effect runs", fails,
			transcript("e", []Question{{Kind: "a", Params: "{}", Answer: 0}, {Kind: "b", Params: "{}", Answer: 1, Effects: 1}}, "before", "after"),
			&Transcript{
				Questions: modern(Question{Kind: "a", Params: "{}", Answer: 0}, Question{Kind: "b", Params: "{}", Answer: 1}),
				Result:    Result{Outcome: Unanswered}, Effects: []string{"before", "after"},
			},
			Subject{Era: Modern, Rewritten: true}, []Rule{ErrorUnanswered, 0},
		}, {
			"nobody failed, yet unanswered", plain,
			transcript("1", answered([]Question{q("n?")}, 0)),
			&Transcript{Questions: answered(modern(q("n?")), 0), Result: Result{Outcome: Unanswered}},
			Subject{Era: Modern, Rewritten: true}, []Rule{0},
		}, {
			"fail-open closed", failOpen,
			transcript("done", answered([]Question{q("go?")}, 0), "x"),
			transcript(`{"isError":true}`, answered([]Question{q("go?")}, 0)),
			Subject{Era: Legacy, Rewritten: true}, []Rule{FailOpenClosed},
		}, {
			"fail-open closed, nothing asked", failOpenAlone,
			transcript("done", nil, "x"),
			transcript(`{"isError":true}`, nil),
			Subject{Era: Modern, Rewritten: true}, []Rule{FailOpenClosed},
		}, {
			"fail-open, fails but does it", failOpen,
			transcript("done", answered([]Question{q("go?")}, 0), "x"),
			transcript(`{"isError":true}`, answered([]Question{q("go?")}, 0), "x"),
			Subject{Era: Legacy, Rewritten: true}, []Rule{FailOpenClosed, 0},
		}, {
			"fail-open still, as the original", failOpen,
			transcript("{}", answered([]Question{q("go?")}, 0), "x"),
			transcript("{}", answered([]Question{q("go?")}, 0), "x"),
			Subject{Era: Legacy, Rewritten: true}, []Rule{FailOpenClosed, 0, 0},
		}, {
			"fail-open closed in the original", failOpen,
			transcript("done", answered([]Question{q("go?")}, 0), "x"),
			transcript(`{"isError":true}`, answered([]Question{q("go?")}, 0)),
			Subject{Era: Legacy}, []Rule{0, 0},
		}, {
			"first effect again", effectFirst,
			transcript("1", []Question{{Kind: "a", Params: "{}", Effects: 1}}, "new", "then"),
			&Transcript{
				Questions: modern(Question{Kind: "a", Params: "{}"}), Result: Result{Outcome: Returned, Body: "1"},
				Effects: []string{"new", "new", "then"},
				Sends:   []Send{{Round: 1, Effects: []string{"new"}}, {Round: 1, Again: true, Effects: []string{"new"}}, {Round: 2, Effects: []string{"then"}}},
			},
			Subject{Era: Modern, Fault: FirstLost, Rewritten: true}, []Rule{FirstEffectAgain},
		}, {
			"a later effect again", effectFirst,
			transcript("1", []Question{{Kind: "a", Params: "{}", Effects: 1}}, "new", "then"),
			&Transcript{
				Questions: modern(Question{Kind: "a", Params: "{}"}), Result: Result{Outcome: Returned, Body: "1"},
				Effects: []string{"new", "new", "then"},
				Sends:   []Send{{Round: 1, Effects: []string{"new"}}, {Round: 2, Effects: []string{"new", "then"}}},
			},
			Subject{Era: Modern, Rewritten: true}, []Rule{0},
		}, {
			"last round again", plain,
			transcript("1", answered([]Question{q("n?")}, 0), "x"),
			&Transcript{
				Questions: answered(modern(q("n?")), 0), Result: Result{Outcome: Returned, Body: "1"},
				Effects: []string{"x", "x"}, Repeats: []Result{{Outcome: Returned, Body: "1"}},
				Sends: []Send{{Round: 1}, {Round: 2, Effects: []string{"x"}}, {Round: 2, Again: true, Effects: []string{"x"}}},
			},
			Subject{Era: Modern, Fault: LastLost, Rewritten: true}, []Rule{LastRoundAgain},
		}, {
			"last round again does something new", plain,
			transcript("1", answered([]Question{q("n?")}, 0), "x"),
			&Transcript{
				Questions: answered(modern(q("n?")), 0), Result: Result{Outcome: Returned, Body: "1"},
				Effects: []string{"x", "y"}, Repeats: []Result{{Outcome: Returned, Body: "1"}},
				Sends: []Send{{Round: 1}, {Round: 2, Effects: []string{"x"}}, {Round: 2, Again: true, Effects: []string{"y"}}},
			},
			Subject{Era: Modern, Fault: LastLost, Rewritten: true}, []Rule{0},
		}, {
			"left to a person", manual,
			transcript("1", answered([]Question{q("n?")}, 0), "x"),
			transcript(`{"isError":true}`, nil),
			Subject{Era: Modern, Rewritten: true}, []Rule{NotRewritten},
		}, {
			"left to a person, with an effect", manual,
			transcript("1", answered([]Question{q("n?")}, 0), "x"),
			transcript(`{"isError":true}`, nil, "x"),
			Subject{Era: Modern, Rewritten: true}, []Rule{NotRewritten, 0},
		}, {
			"left to a person, on the old revision", manual,
			transcript("1", answered([]Question{q("n?")}, 0), "x"),
			transcript(`{"isError":true}`, nil),
			Subject{Era: Legacy, Rewritten: true}, []Rule{0, 0, 0},
		}, {
			"a rule broken", plain,
			transcript("1", nil),
			&Transcript{Result: Result{Outcome: Returned, Body: "1"}, Breaches: []Breach{{Rule: "rule 19"}}},
			Subject{Era: Modern, Rewritten: true}, []Rule{0},
		}, {
			"no answer in the script", plain,
			transcript("1", nil),
			&Transcript{Result: Result{Outcome: Returned, Body: "1"}, Stuck: &Question{}},
			Subject{Era: Legacy, Rewritten: true}, []Rule{0},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			diffs, err := Judge(&test.script, &Baseline{Full: test.base, Settled: test.base}, test.subject, test.got)
			if err != nil {
				t.Fatal(err)
			}
			var rules []Rule
			for _, d := range diffs {
				rules = append(rules, d.Rule)
			}
			if !slices.Equal(rules, test.rules) {
				t.Errorf("rules %v, want %v; differences:", rules, test.rules)
				for _, d := range diffs {
					t.Errorf("%s", d)
				}
			}
			if want := !slices.Contains(test.rules, 0); Proven(diffs) != want {
				t.Errorf("Proven = %v, want %v", !want, want)
			}
		})
	}
}

func TestSettled(t *testing.T) {
	void := Accept(map[string]any{"n": 1}).Voided(RefusedAskedAgain)
	for _, test := range []struct {
		name    string
		answers []Answer
		left    int
	}{
		{"nothing void", []Answer{Accept(nil), Decline()}, 2},
		{"void, then one that counts", []Answer{void, Accept(nil)}, 1},
		{"void for good", []Answer{void, void, void}, 3},
		{"void, then an answer to another question", []Answer{void.About("a"), Accept(nil).About("b")}, 2},
	} {
		if got := (&Script{Answers: test.answers}).settled(); len(got.Answers) != test.left {
			t.Errorf("%s: %d answers left, want %d", test.name, len(got.Answers), test.left)
		}
	}
}
