package equiv

import "strings"

// maxAskedAgain is how often a question may be asked again because its answer
// was refused.
const maxAskedAgain = 2

// askedAgain takes out the questions that were asked again because an answer
// did not count, in the script's own words. That they are asked again is not
// only allowed: an answer that must not count, and did, is a difference.
func (j *judge) askedAgain(got *Transcript) {
	a := &repeats{script: j.script, questions: got.Questions, origin: make(map[int]int)}
	for i, q := range got.Questions {
		if q.Answer < 0 || j.script.Answers[q.Answer].Void == 0 {
			continue
		}
		answer := j.script.Answers[q.Answer]
		next, ok := a.next(i, answer)
		switch {
		case ok && a.allowed(next, answer.Void):
			j.allow(QuestionExtra, "", got.Questions[next].String(), answer.Void, "the answer was %s", answer.label())
		case ok:
			delete(a.origin, next) // once too often: it stays in the comparison
		case j.script.followed(q.Answer) && got.Result.Outcome != Unanswered:
			j.diffs = append(j.diffs, Difference{Kind: QuestionMissing, Want: "asked again: " + q.String()})
		}
	}
	var kept []Question
	for i, q := range got.Questions {
		if _, again := a.origin[i]; !again {
			kept = append(kept, q)
		}
	}
	got.Questions = kept
}

// repeats finds which questions of a run repeat which.
type repeats struct {
	script    *Script
	questions []Question
	origin    map[int]int // a question asked again -> the first of its kind
}

// first returns the question of which the one at i is a repetition, i itself
// if it is none.
func (r *repeats) first(i int) int {
	if o, ok := r.origin[i]; ok {
		return o
	}
	return i
}

// next finds the question that repeats the one at i, whose answer was void,
// and notes it as that.
func (r *repeats) next(i int, void Answer) (int, bool) {
	first := r.first(i)
	for k := i + 1; k < len(r.questions); k++ {
		if _, taken := r.origin[k]; taken || !r.repeat(first, k, void) {
			continue
		}
		r.origin[k] = first
		return k, true
	}
	return 0, false
}

// repeat reports whether the question at k is the one at first once more. The
// script tells them apart by what its answers are meant for.
func (r *repeats) repeat(first, k int, void Answer) bool {
	q, next := r.questions[first], r.questions[k]
	if next.form() != q.form() {
		return false
	}
	if next.Answer >= 0 {
		if a := r.script.Answers[next.Answer]; a.Kind != void.Kind || a.To != void.To {
			return false
		}
	}
	if void.Void != RewordedAskedAgain {
		return strings.Contains(next.Text(), q.Text())
	}
	// What has not changed itself is asked again only after something that has:
	// its answer was given in the light of that.
	return next.Text() != q.Text() || r.reworded(first, k)
}

// reworded reports whether a question before the one at first was asked again
// between that and the one at k.
func (r *repeats) reworded(first, k int) bool {
	for again, origin := range r.origin {
		if origin < first && again > first && again < k {
			return true
		}
	}
	return false
}

// allowed reports whether the question at k may be asked again once more.
func (r *repeats) allowed(k int, rule Rule) bool {
	if rule == RewordedAskedAgain {
		return true
	}
	times := 0
	for _, origin := range r.origin {
		if origin == r.origin[k] {
			times++
		}
	}
	return times <= maxAskedAgain
}
