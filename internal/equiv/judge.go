package equiv

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// Rule is a reason for which a rewritten handler may differ from its original.
// The package documentation lists them all.
type Rule uint8

const (
	RefusedAskedAgain Rule = iota + 1
	EmptyAskedAgain
	ErrorUnanswered
	RewordedAskedAgain
	FirstEffectAgain

	// FailOpenClosed is what the rewrite is for.
	FailOpenClosed
	// LastRoundAgain is what a server without a store does not promise.
	LastRoundAgain
	// CapabilityCode is what the new revision demands instead of a tool's own
	// words: a missing capability that ends a request is error -32021, which
	// names the capability (rule 21).
	CapabilityCode
	// NotRewritten is a handler that was left to a person.
	NotRewritten
)

func (r Rule) String() string {
	switch r {
	case RefusedAskedAgain:
		return "1, refused content is asked again"
	case EmptyAskedAgain:
		return "2, an accept without content is asked again"
	case ErrorUnanswered:
		return "3, a client's error has no channel"
	case RewordedAskedAgain:
		return "4, a reworded question is asked again"
	case FirstEffectAgain:
		return "5, an effect before the first question is at least once"
	case FailOpenClosed:
		return "MRTR010, fail-open is closed"
	case LastRoundAgain:
		return "no store, the last round runs again"
	case CapabilityCode:
		return "-32021, a missing capability has a code of its own"
	case NotRewritten:
		return "left to a person"
	default:
		return "none"
	}
}

// Baseline is what the original did, played by a client of 2025-11-25.
type Baseline struct {
	// Full is the script as it stands.
	Full *Transcript
	// Settled is the script without the answers that the new revision asks for
	// again; the same as Full if there are none.
	Settled *Transcript
}

// Record plays a script against the original.
func Record(ctx context.Context, original *Fleet, script *Script) (*Baseline, error) {
	full, err := Play(ctx, original, Legacy, script, None, nil)
	if err != nil {
		return nil, err
	}
	b := &Baseline{Full: full, Settled: full}
	if settled := script.settled(); len(settled.Answers) < len(script.Answers) {
		if b.Settled, err = Play(ctx, original, Legacy, settled, None, nil); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// Subject says how a transcript came about.
type Subject struct {
	Era       Era
	Fault     Fault
	Rewritten bool // false for the original itself
}

// Judge returns in what a transcript differs from what the original did,
// allowed or not. The run proves the handler only if all are allowed.
func Judge(script *Script, base *Baseline, subject Subject, got *Transcript) ([]Difference, error) {
	mask, err := newMask(script.Masks)
	if err != nil {
		return nil, err
	}
	j := &judge{script: script, subject: subject, mask: mask}
	want, rest := clone(base.Full), clone(got)
	if subject.Era.modern() {
		want = clone(base.Settled)
	}
	if subject.Rewritten {
		j.manual(want, rest)
		j.failOpen(want, rest)
	}
	if subject.Era.modern() {
		j.capability(want, rest)
		j.unanswered(want, rest)
		j.askedAgain(rest)
		j.firstEffects(want, rest)
		j.lastEffects(rest)
	}
	j.diffs = append(j.diffs, compare(want, rest, mask)...)
	for _, b := range got.Breaches {
		j.diffs = append(j.diffs, Difference{Kind: RuleBroken, Got: b.String()})
	}
	if got.Stuck != nil {
		j.diffs = append(j.diffs, Difference{Kind: NoAnswer, Got: got.Stuck.String()})
	}
	return j.diffs, nil
}

// Proven reports whether all differences are allowed.
func Proven(diffs []Difference) bool {
	return !slices.ContainsFunc(diffs, func(d Difference) bool { return !d.Allowed() })
}

// judge takes the allowed differences out of a transcript before the rest is
// compared.
type judge struct {
	script  *Script
	subject Subject
	mask    mask
	diffs   []Difference
}

func (j *judge) allow(kind DifferenceKind, want, got string, rule Rule, format string, args ...any) {
	j.diffs = append(j.diffs, Difference{
		Kind: kind, Want: want, Got: got, Rule: rule, Reason: fmt.Sprintf(format, args...),
	})
}

// manual: a handler that was left to a person fails on the new revision, and
// does nothing.
func (j *judge) manual(want, got *Transcript) {
	if !j.script.Manual || !j.subject.Era.modern() || !got.Result.Failed() {
		return
	}
	j.allow(ResultChanged, want.Result.String(), got.Result.String(), NotRewritten, "the handler was not rewritten, and says so")
	want.Questions, want.Effects, want.Result = nil, nil, got.Result
}

// failOpen: where the original went on although its question failed, the
// rewritten handler must fail and do nothing further. Doing what the original
// did is the difference here.
func (j *judge) failOpen(want, got *Transcript) {
	if !j.script.FailOpen {
		return
	}
	before := 0
	if n := len(want.Questions); n > 0 {
		before = min(want.Questions[n-1].Effects, len(want.Effects))
	}
	for _, e := range want.Effects[before:] {
		j.allow(EffectMissing, e, "", FailOpenClosed, "the question failed, so what it guards must not run")
	}
	want.Effects = want.Effects[:before]
	if got.Result.Failed() {
		want.Result = got.Result
	} else {
		want.Result = Result{Outcome: Refused, Body: "an error, since the question failed"}
	}
}

// capability: where the client cannot be asked and the original failed for
// that, the new revision has an error code.
func (j *judge) capability(want, got *Transcript) {
	if j.script.Capabilities == nil || got.Result.Outcome != Refused || !want.Result.Failed() {
		return
	}
	var e struct {
		Code int `json:"code"`
		Data struct {
			Required map[string]json.RawMessage `json:"requiredCapabilities"`
		} `json:"data"`
	}
	var declared map[string]json.RawMessage
	if json.Unmarshal([]byte(got.Result.Body), &e) != nil || e.Code != protocol.CodeMissingClientCapability ||
		json.Unmarshal(j.script.Capabilities, &declared) != nil {
		return
	}
	missing := false
	for name := range e.Data.Required {
		if _, ok := declared[name]; !ok {
			missing = true
		}
	}
	if !missing {
		return
	}
	j.allow(ResultChanged, want.Result.String(), got.Result.String(), CapabilityCode, "the client did not declare what is asked for")
	want.Result = got.Result
}

// unanswered: where the client fails, the operation ends there.
func (j *judge) unanswered(want, got *Transcript) {
	if got.Result.Outcome != Unanswered || got.Stuck != nil {
		return
	}
	for i, q := range want.Questions {
		if q.Answer < 0 || j.script.Answers[q.Answer].Failure == nil {
			continue
		}
		j.allow(ResultChanged, want.Result.String(), got.Result.String(), ErrorUnanswered,
			"the client failed with %q", j.script.Answers[q.Answer].Failure.Message)
		want.Questions = want.Questions[:i+1]
		want.Effects = want.Effects[:min(q.Effects, len(want.Effects))]
		want.Result = got.Result
		return
	}
}

// firstEffects takes out what a first request did whose response was not used.
func (j *judge) firstEffects(want, got *Transcript) {
	endedAtOnce := got.Rounds() == 1 && got.Result.Outcome != Unanswered
	if !j.script.EffectFirst || len(got.Sends) < 2 || endedAtOnce {
		return
	}
	first, second := got.Sends[0], got.Sends[1]
	if first.Round != 1 || second.Round != 1 || !second.Again || len(first.Effects) == 0 {
		return
	}
	// Only what the original too does before its first question.
	if len(want.Questions) == 0 {
		return
	}
	n := want.Questions[0].Effects
	if n > len(want.Effects) || !slices.Equal(j.mask.applyAll(first.Effects), j.mask.applyAll(want.Effects[:n])) {
		return
	}
	for _, e := range first.Effects {
		j.allow(EffectRepeated, "", e, FirstEffectAgain, "the first request was sent again")
	}
	got.Effects = got.Effects[len(first.Effects):]
}

// lastEffects takes out what the last round did when it was sent again.
func (j *judge) lastEffects(got *Transcript) {
	if len(got.Repeats) == 0 || len(got.Sends) < 2 {
		return
	}
	last, before := got.Sends[len(got.Sends)-1], got.Sends[len(got.Sends)-2]
	if !last.Again || last.Round != before.Round {
		return
	}
	for _, r := range got.Repeats {
		if w, g := j.mask.apply(got.Result.String()), j.mask.apply(r.String()); w != g {
			j.allow(ResultChanged, w, g, LastRoundAgain, "the last round was sent again")
		}
	}
	// Nothing new may happen then, only the same to the same thing once more.
	// Its details may be others: the handler finds what it did the first time.
	var done []string
	for _, e := range before.Effects {
		done = append(done, subject(j.mask.apply(e)))
	}
	for _, e := range last.Effects {
		if !slices.Contains(done, subject(j.mask.apply(e))) {
			return
		}
	}
	for _, e := range last.Effects {
		j.allow(EffectRepeated, "", e, LastRoundAgain, "the last round was sent again")
	}
	got.Effects = got.Effects[:len(got.Effects)-len(last.Effects)]
}

// subject returns what an effect does and to what: its first two words.
func subject(effect string) string {
	words := strings.Fields(effect)
	return strings.Join(words[:min(2, len(words))], " ")
}

// clone copies a transcript as deep as judging changes it.
func clone(t *Transcript) *Transcript {
	c := *t
	c.Questions = slices.Clone(t.Questions)
	c.Effects = slices.Clone(t.Effects)
	return &c
}
