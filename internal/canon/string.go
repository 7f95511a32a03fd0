package canon

import (
	"unicode/utf16"
	"unicode/utf8"
)

// str reads a string and returns what it stands for, its escapes decoded.
func (p *parser) str() ([]byte, error) {
	p.pos++ // the opening quote
	var out []byte
	for {
		start := p.pos
		for p.pos < len(p.src) && plain[p.src[p.pos]] {
			p.pos++
		}
		out = append(out, p.src[start:p.pos]...)
		switch c := p.peek(); {
		case c == '"':
			p.pos++
			return out, nil
		case c == '\\':
			r, err := p.escape()
			if err != nil {
				return nil, err
			}
			out = utf8.AppendRune(out, r)
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRune(p.src[p.pos:])
			if r == utf8.RuneError && n == 1 {
				return nil, p.fail(ErrUTF8)
			}
			out = append(out, p.src[p.pos:p.pos+n]...)
			p.pos += n
		default: // the end of the text, or a control character
			return nil, p.fail(ErrSyntax)
		}
	}
}

// plain holds the bytes that stand for themselves within a string and need no
// look at their neighbours.
var plain = func() (t [256]bool) {
	for c := 0x20; c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// escape reads one escape sequence, or the two that make a surrogate pair.
func (p *parser) escape() (rune, error) {
	start := p.pos
	p.pos++ // the backslash
	c := p.peek()
	p.pos++
	switch c {
	case '"', '\\', '/':
		return rune(c), nil
	case 'b':
		return '\b', nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'u':
		r, ok := p.hex4()
		if ok && utf16.IsSurrogate(r) {
			return p.pair(r, start)
		}
		if ok {
			return r, nil
		}
	}
	p.pos = start
	return 0, p.fail(ErrSyntax)
}

// pair reads the second half of a surrogate pair, whose first half began at
// start.
func (p *parser) pair(high rune, start int) (rune, error) {
	if p.peek() == '\\' && p.pos+1 < len(p.src) && p.src[p.pos+1] == 'u' {
		p.pos += 2
		low, ok := p.hex4()
		if !ok {
			return 0, p.fail(ErrSyntax)
		}
		if r := utf16.DecodeRune(high, low); r != utf8.RuneError {
			return r, nil
		}
	}
	p.pos = start
	return 0, p.fail(ErrSurrogate)
}

func (p *parser) hex4() (rune, bool) {
	if len(p.src)-p.pos < 4 {
		return 0, false
	}
	var r rune
	for _, c := range p.src[p.pos : p.pos+4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	p.pos += 4
	return r, true
}

// appendString writes s as RFC 8785, section 3.2.2.2 has it: two-character
// escapes where JSON has them, \u00xx for the other control characters, and
// everything else as it is, U+2028 and / included.
func appendString(dst, s []byte) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c >= 0x20:
			dst = append(dst, c)
		case c == '\b':
			dst = append(dst, `\b`...)
		case c == '\t':
			dst = append(dst, `\t`...)
		case c == '\n':
			dst = append(dst, `\n`...)
		case c == '\f':
			dst = append(dst, `\f`...)
		case c == '\r':
			dst = append(dst, `\r`...)
		default:
			dst = append(dst, `\u00`...)
			dst = append(dst, hex[c>>4], hex[c&15])
		}
	}
	return append(dst, '"')
}
