package canon

// Limits of [Canonical].
const (
	// MaxDepth is the number of arrays and objects that may be open at once.
	MaxDepth = 64
	// MaxSize is the length of the input in bytes.
	MaxSize = 1 << 20
	// MaxDigits is the number of significant digits of a number.
	MaxDigits = 512
	// MaxExponent is the largest absolute exponent of a number in scientific
	// notation: 9.99e9999 has a form, 10e9999 has none.
	MaxExponent = 9999
)

// Canonical returns the canonical form of the one JSON value in raw. The
// result is newly allocated. Any error is an [*Error].
//
// Canonical is idempotent. Two texts have the same form exactly if they hold
// the same value, as the package comment defines sameness.
func Canonical(raw []byte) ([]byte, error) {
	return Within(raw, MaxDepth, MaxSize)
}

// Within is [Canonical] with other limits of depth and of size in bytes. A
// limit of zero or less refuses everything that the limit counts.
func Within(raw []byte, depth, size int) ([]byte, error) {
	if len(raw) > size {
		return nil, &Error{ErrSize, size}
	}
	p := parser{src: raw, depth: depth}
	p.space()
	out, err := p.value(make([]byte, 0, len(raw)))
	if err != nil {
		return nil, err
	}
	p.space()
	if p.pos < len(p.src) {
		return nil, p.fail(ErrSyntax)
	}
	return out, nil
}

// A parser reads src once, left to right. Its methods append the canonical
// form of what they read to a buffer and return the buffer.
type parser struct {
	src   []byte
	pos   int
	depth int // how many more arrays and objects may be opened
}

func (p *parser) fail(kind error) error { return &Error{kind, p.pos} }

// peek returns the next byte, or 0 at the end of the text. No JSON token
// starts with a zero byte.
func (p *parser) peek() byte {
	if p.pos < len(p.src) {
		return p.src[p.pos]
	}
	return 0
}

func (p *parser) space() {
	for {
		switch p.peek() {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

func (p *parser) value(dst []byte) ([]byte, error) {
	switch c := p.peek(); {
	case c == '{':
		return p.nested(dst, p.object)
	case c == '[':
		return p.nested(dst, p.array)
	case c == '"':
		s, err := p.str()
		if err != nil {
			return nil, err
		}
		return appendString(dst, s), nil
	case c == '-' || '0' <= c && c <= '9':
		return p.number(dst)
	case c == 't':
		return p.word(dst, "true")
	case c == 'f':
		return p.word(dst, "false")
	case c == 'n':
		return p.word(dst, "null")
	}
	return nil, p.fail(ErrSyntax)
}

func (p *parser) word(dst []byte, w string) ([]byte, error) {
	if len(p.src)-p.pos < len(w) || string(p.src[p.pos:p.pos+len(w)]) != w {
		return nil, p.fail(ErrSyntax)
	}
	p.pos += len(w)
	return append(dst, w...), nil
}

// nested reads an array or an object, one level deeper.
func (p *parser) nested(dst []byte, read func([]byte) ([]byte, error)) ([]byte, error) {
	if p.depth <= 0 {
		return nil, p.fail(ErrDepth)
	}
	p.depth--
	p.pos++ // the opening bracket
	dst, err := read(dst)
	p.depth++
	return dst, err
}

func (p *parser) array(dst []byte) ([]byte, error) {
	dst = append(dst, '[')
	p.space()
	if p.peek() == ']' {
		p.pos++
		return append(dst, ']'), nil
	}
	for {
		var err error
		if dst, err = p.value(dst); err != nil {
			return nil, err
		}
		more, err := p.next(']')
		if err != nil {
			return nil, err
		}
		if !more {
			return append(dst, ']'), nil
		}
		dst = append(dst, ',')
	}
}

// next reads what follows an element: a comma, and then there is more, or the
// closing bracket.
func (p *parser) next(closing byte) (more bool, err error) {
	p.space()
	switch p.peek() {
	case ',':
		p.pos++
		p.space()
		return true, nil
	case closing:
		p.pos++
		return false, nil
	}
	return false, p.fail(ErrSyntax)
}

func (p *parser) object(dst []byte) ([]byte, error) {
	var members []member
	p.space()
	for more := p.peek() != '}'; more; {
		m := member{pos: p.pos}
		if p.peek() != '"' {
			return nil, p.fail(ErrSyntax)
		}
		var err error
		if m.name, err = p.str(); err != nil {
			return nil, err
		}
		p.space()
		if p.peek() != ':' {
			return nil, p.fail(ErrSyntax)
		}
		p.pos++
		p.space()
		if m.value, err = p.value(nil); err != nil {
			return nil, err
		}
		members = append(members, m)
		if more, err = p.next('}'); err != nil {
			return nil, err
		}
	}
	if len(members) == 0 {
		p.pos++ // the bracket that ended the loop before it began
		return append(dst, "{}"...), nil
	}
	members, err := order(members)
	if err != nil {
		return nil, err
	}
	for i, m := range members {
		dst = append(dst, "{,"[min(i, 1)])
		dst = appendString(dst, m.name)
		dst = append(dst, ':')
		dst = append(dst, m.value...)
	}
	return append(dst, '}'), nil
}
