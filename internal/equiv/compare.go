package equiv

import (
	"fmt"
	"regexp"
	"slices"
)

// DifferenceKind says in what two transcripts differ.
type DifferenceKind string

const (
	QuestionMissing DifferenceKind = "question missing"
	QuestionExtra   DifferenceKind = "question too many"
	QuestionChanged DifferenceKind = "question changed"
	QuestionMoved   DifferenceKind = "question out of order"
	ResultChanged   DifferenceKind = "result changed"
	EffectMissing   DifferenceKind = "effect missing"
	EffectExtra     DifferenceKind = "effect too many"
	EffectRepeated  DifferenceKind = "effect repeated"
	EffectChanged   DifferenceKind = "effect changed"
	EffectMoved     DifferenceKind = "effect out of order"
	RuleBroken      DifferenceKind = "rule broken"
	NoAnswer        DifferenceKind = "question without an answer in the script"
)

// Difference is one point in which a transcript is not what it should be.
type Difference struct {
	Kind DifferenceKind
	// Want and Got are the two sides, empty where one has nothing.
	Want, Got string
	// Rule is the rule of the closed table that allows the difference, zero if
	// none does. Reason says why the rule applies here.
	Rule   Rule
	Reason string
}

// Allowed reports whether a rule allows the difference.
func (d Difference) Allowed() bool { return d.Rule != 0 }

func (d Difference) String() string {
	s := string(d.Kind)
	switch {
	case d.Want != "" && d.Got != "":
		s += fmt.Sprintf("\n\twant %s\n\tgot  %s", d.Want, d.Got)
	case d.Want != "":
		s += ": " + d.Want
	case d.Got != "":
		s += ": " + d.Got
	}
	if d.Allowed() {
		s += fmt.Sprintf("\n\tallowed (%s): %s", d.Rule, d.Reason)
	}
	return s
}

// Compare returns the differences of two transcripts: their questions in
// order, their results, their effects in order. It allows none. Questions of
// one round count in any order. What the masks match is not compared.
func Compare(want, got *Transcript, masks []string) ([]Difference, error) {
	mask, err := newMask(masks)
	if err != nil {
		return nil, err
	}
	return compare(want, got, mask), nil
}

func compare(want, got *Transcript, mask mask) []Difference {
	var diffs []Difference
	wantQuestions := texts(want.Questions, mask)
	diffs = append(diffs, sequence(wantQuestions, unbatch(wantQuestions, got.Questions, mask), sequenceKinds{
		missing: QuestionMissing, extra: QuestionExtra, repeated: QuestionExtra, changed: QuestionChanged, moved: QuestionMoved,
	})...)
	if w, g := mask.apply(want.Result.String()), mask.apply(got.Result.String()); w != g {
		diffs = append(diffs, Difference{Kind: ResultChanged, Want: w, Got: g})
	}
	diffs = append(diffs, sequence(mask.applyAll(want.Effects), mask.applyAll(got.Effects), sequenceKinds{
		missing: EffectMissing, extra: EffectExtra, repeated: EffectRepeated, changed: EffectChanged, moved: EffectMoved,
	})...)
	return diffs
}

// mask hides the parts of texts that are not compared.
type mask []*regexp.Regexp

func newMask(patterns []string) (mask, error) {
	var m mask
	for _, p := range patterns {
		re, err := regexp.Compile(p)
		if err != nil {
			return nil, fmt.Errorf("mask: %w", err)
		}
		m = append(m, re)
	}
	return m, nil
}

func (m mask) apply(s string) string {
	for _, re := range m {
		s = re.ReplaceAllLiteralString(s, "…")
	}
	return s
}

func (m mask) applyAll(list []string) []string {
	masked := make([]string, len(list))
	for i, s := range list {
		masked[i] = m.apply(s)
	}
	return masked
}

func texts(questions []Question, mask mask) []string {
	list := make([]string, len(questions))
	for i, q := range questions {
		list[i] = mask.apply(q.String())
	}
	return list
}

// unbatch returns the questions that were got as a sequence to compare with
// want: those that came in one round are put into the order that they have in
// want, if they are the same ones.
func unbatch(want []string, got []Question, mask mask) []string {
	list := texts(got, mask)
	for start := 0; start < len(got); {
		end := start + 1
		for end < len(got) && got[end].Round == got[start].Round {
			end++
		}
		if batch := list[start:end]; end <= len(want) {
			a, b := slices.Sorted(slices.Values(batch)), slices.Sorted(slices.Values(want[start:end]))
			// Asked while the call was open, all have round 1 and their order
			// is their own; put into order, they would compare as equal.
			if slices.Equal(a, b) && got[start].batched {
				copy(batch, want[start:end])
			}
		}
		start = end
	}
	return list
}

// sequenceKinds names the ways in which a sequence can differ.
type sequenceKinds struct {
	missing, extra, repeated, changed, moved DifferenceKind
}

// sequence compares two sequences along their longest common subsequence.
func sequence(want, got []string, kinds sequenceKinds) []Difference {
	var missing, extra []string
	var diffs []Difference
	flush := func() {
		// What is missing and what is too many in the same place is a change.
		for len(missing) > 0 && len(extra) > 0 && !slices.Contains(extra, missing[0]) && !slices.Contains(want, extra[0]) {
			diffs = append(diffs, Difference{Kind: kinds.changed, Want: missing[0], Got: extra[0]})
			missing, extra = missing[1:], extra[1:]
		}
		for _, m := range missing {
			diffs = append(diffs, Difference{Kind: kinds.missing, Want: m})
		}
		for _, e := range extra {
			kind := kinds.extra
			if slices.Contains(want, e) {
				kind = kinds.repeated
			}
			diffs = append(diffs, Difference{Kind: kind, Got: e})
		}
		missing, extra = nil, nil
	}
	common := commonLengths(want, got)
	for i, j := 0, 0; i < len(want) || j < len(got); {
		switch {
		case i < len(want) && j < len(got) && want[i] == got[j]:
			flush()
			i, j = i+1, j+1
		case j == len(got) || i < len(want) && common[i+1][j] >= common[i][j+1]:
			missing = append(missing, want[i])
			i++
		default:
			extra = append(extra, got[j])
			j++
		}
	}
	flush()
	return pairMoves(diffs, kinds)
}

// commonLengths returns, for each pair of suffixes, the length of their
// longest common subsequence.
func commonLengths(a, b []string) [][]int {
	lengths := make([][]int, len(a)+1)
	for i := range lengths {
		lengths[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				lengths[i][j] = lengths[i+1][j+1] + 1
			} else {
				lengths[i][j] = max(lengths[i+1][j], lengths[i][j+1])
			}
		}
	}
	return lengths
}

// pairMoves turns what is missing in one place and too many in another into
// one difference.
func pairMoves(diffs []Difference, kinds sequenceKinds) []Difference {
	for i := range diffs {
		if diffs[i].Kind != kinds.missing {
			continue
		}
		for j := range diffs {
			if (diffs[j].Kind == kinds.extra || diffs[j].Kind == kinds.repeated) && diffs[j].Got == diffs[i].Want {
				diffs[i].Kind, diffs[i].Got = kinds.moved, diffs[i].Want
				return pairMoves(slices.Delete(diffs, j, j+1), kinds)
			}
		}
	}
	return diffs
}
