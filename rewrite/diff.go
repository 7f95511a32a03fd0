package rewrite

import (
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// A FileChange is one file before and after.
type FileChange struct {
	Path   string // absolute
	Before []byte // nil for a file that does not exist yet
	After  []byte
}

// Diff returns the change as a unified diff, with paths below root, or "" when
// nothing changes. Its output is what `patch -p1` and `git apply` read.
func (c FileChange) Diff(root string) string {
	name := c.Path
	if rel, err := filepath.Rel(root, c.Path); err == nil && filepath.IsLocal(rel) {
		name = rel
	}
	name = filepath.ToSlash(name)
	before := "a/" + name
	if c.Before == nil {
		before = "/dev/null"
	}
	text, err := udiff.ToUnified(before, "b/"+name, string(c.Before), lineEdits(string(c.Before), string(c.After)), udiff.DefaultContextLines)
	if err != nil {
		return "" // the edits were made from this very text
	}
	return text
}

// lineEdits returns the edits by lines that turn before into after. The
// library gives up on a good answer beyond some fifty changes, so lines that
// both texts have exactly once, in the same order, are taken as fixed first
// and only the text between them is compared.
func lineEdits(before, after string) []udiff.Edit {
	old, new := strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n")
	var edits []udiff.Edit
	offset, i, j := 0, 0, 0
	compare := func(toI, toJ int) {
		a, b := strings.Join(old[i:toI], ""), strings.Join(new[j:toJ], "")
		for _, e := range udiff.Lines(a, b) {
			edits = append(edits, udiff.Edit{Start: offset + e.Start, End: offset + e.End, New: e.New})
		}
		offset += len(a)
		i, j = toI, toJ
	}
	for _, fixed := range anchors(old, new) {
		compare(fixed[0], fixed[1])
		offset += len(old[i])
		i, j = i+1, j+1
	}
	compare(len(old), len(new))
	return edits
}

// anchors returns the indexes of lines that occur once in both texts, the
// longest run of them that is in the same order in both.
func anchors(old, new []string) [][2]int {
	type place struct{ old, new, times int }
	places := make(map[string]*place)
	for i, line := range old {
		if p := places[line]; p != nil {
			p.times = 3
		} else {
			places[line] = &place{old: i, new: -1, times: 1}
		}
	}
	for j, line := range new {
		if p := places[line]; p != nil {
			p.new = j
			p.times++
		}
	}
	var found [][2]int
	for _, line := range old {
		if p := places[line]; p.times == 2 && p.new >= 0 {
			found = append(found, [2]int{p.old, p.new})
		}
	}
	return increasing(found)
}

// increasing returns a longest subsequence whose second numbers increase
// (patience sorting).
func increasing(pairs [][2]int) [][2]int {
	var tops []int // indexes into pairs
	back := make([]int, len(pairs))
	for i, p := range pairs {
		at := sort.Search(len(tops), func(k int) bool { return pairs[tops[k]][1] >= p[1] })
		back[i] = -1
		if at > 0 {
			back[i] = tops[at-1]
		}
		if at == len(tops) {
			tops = append(tops, i)
		} else {
			tops[at] = i
		}
	}
	if len(tops) == 0 {
		return nil
	}
	var out [][2]int
	for i := tops[len(tops)-1]; i >= 0; i = back[i] {
		out = append(out, pairs[i])
	}
	slices.Reverse(out)
	return out
}
