package canon

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A member of an object: its decoded name, the form of its value and where it
// was written.
type member struct {
	name  []byte
	value []byte
	pos   int
}

// order sorts the members of an object and refuses duplicates.
//
// Names are sorted by UTF-16 code units. Names that are equal but for case
// follow, in the order in which they were written, the place of the least of
// them; see the package comment for why their order counts.
func order(members []member) ([]member, error) {
	slices.SortStableFunc(members, func(a, b member) int { return compareUTF16(a.name, b.name) })
	for i := 1; i < len(members); i++ {
		if a, b := members[i-1], members[i]; bytes.Equal(a.name, b.name) {
			return nil, &Error{ErrDuplicate, b.pos}
		}
	}

	folded := make(map[string]bool, len(members))
	for _, m := range members {
		folded[fold(m.name)] = true
	}
	if len(folded) == len(members) {
		return members, nil // the usual case
	}
	groups := make(map[string][]member)
	for _, m := range members {
		f := fold(m.name)
		groups[f] = append(groups[f], m)
	}
	sorted := make([]member, 0, len(members))
	for _, m := range members {
		f := fold(m.name)
		group := groups[f]
		delete(groups, f) // the group stands at its first member only
		slices.SortFunc(group, func(a, b member) int { return cmp.Compare(a.pos, b.pos) })
		sorted = append(sorted, group...)
	}
	return sorted, nil
}

// compareUTF16 compares two strings by their UTF-16 code units (RFC 8785,
// section 3.2.3). The order differs from that of UTF-8 only where a character
// beyond the basic plane, whose first unit is a surrogate, meets one from U+E000 on.
func compareUTF16(a, b []byte) int {
	for len(a) > 0 && len(b) > 0 {
		ra, na := utf8.DecodeRune(a)
		rb, nb := utf8.DecodeRune(b)
		if ra != rb {
			if c := cmp.Compare(firstUnit(ra), firstUnit(rb)); c != 0 {
				return c
			}
			return cmp.Compare(ra, rb)
		}
		a, b = a[na:], b[nb:]
	}
	return cmp.Compare(len(a), len(b))
}

// firstUnit returns the first UTF-16 code unit of r.
func firstUnit(r rune) rune {
	if r < 0x10000 {
		return r
	}
	return 0xD800 + (r-0x10000)>>10
}

// fold maps the names that some Go decoder may match to one struct field to one
// string: those equal in upper or in lower case and, with them, those equal under
// the simple folding of encoding/json.
func fold(name []byte) string {
	return strings.Map(foldRune, string(name))
}

func foldRune(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }
