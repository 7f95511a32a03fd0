package canon

import "strconv"

// number reads a number and appends its form: the layout of ECMAScript's
// Number::toString, which RFC 8785 prescribes, over the exact digits instead of
// those of the nearest float64. The layout writes out at most 21 digits of an
// integer and 6 zeros of a fraction, so that a short text with a huge exponent
// stays short.
func (p *parser) number(dst []byte) ([]byte, error) {
	start := p.pos
	negative := p.peek() == '-'
	if negative {
		p.pos++
	}
	whole := p.digits()
	if len(whole) == 0 || whole[0] == '0' && len(whole) > 1 {
		return nil, p.fail(ErrSyntax)
	}
	var fraction []byte
	if p.peek() == '.' {
		p.pos++
		if fraction = p.digits(); len(fraction) == 0 {
			return nil, p.fail(ErrSyntax)
		}
	}
	exponent, ok := p.exponent()
	if !ok {
		return nil, p.fail(ErrSyntax)
	}

	// The value is 0.d1d2d3… × 10^point, with neither d1 nor the last digit zero.
	point := exponent + int64(len(whole))
	digits := make([]byte, 0, len(whole)+len(fraction))
	digits = append(append(digits, whole...), fraction...)
	for len(digits) > 0 && digits[0] == '0' {
		digits, point = digits[1:], point-1
	}
	for len(digits) > 0 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	if len(digits) == 0 {
		return append(dst, '0'), nil // of either sign and any exponent
	}
	if len(digits) > MaxDigits || point-1 > MaxExponent || point-1 < -MaxExponent {
		return nil, &Error{ErrNumber, start}
	}
	if negative {
		dst = append(dst, '-')
	}
	return appendDecimal(dst, digits, int(point)), nil
}

func (p *parser) digits() []byte {
	start := p.pos
	for c := p.peek(); '0' <= c && c <= '9'; c = p.peek() {
		p.pos++
	}
	return p.src[start:p.pos]
}

// exponent reads the exponent part, which may be missing. Its absolute value is
// capped: beyond the cap no text that fits into memory has digits enough to bring
// the number back within [MaxExponent].
func (p *parser) exponent() (int64, bool) {
	if c := p.peek(); c != 'e' && c != 'E' {
		return 0, true
	}
	p.pos++
	sign := int64(1)
	switch p.peek() {
	case '-':
		sign = -1
		p.pos++
	case '+':
		p.pos++
	}
	digits := p.digits()
	const limit = 1 << 40
	n := int64(0)
	for _, c := range digits {
		n = min(n*10+int64(c-'0'), limit)
	}
	return sign * n, len(digits) > 0
}

// appendDecimal writes 0.digits × 10^point.
func appendDecimal(dst, digits []byte, point int) []byte {
	k := len(digits)
	switch {
	case k <= point && point <= 21:
		dst = append(dst, digits...)
		return appendZeros(dst, point-k)
	case 0 < point && point <= 21:
		dst = append(dst, digits[:point]...)
		dst = append(dst, '.')
		return append(dst, digits[point:]...)
	case -6 < point && point <= 0:
		dst = append(dst, "0."...)
		dst = appendZeros(dst, -point)
		return append(dst, digits...)
	}
	dst = append(dst, digits[0])
	if k > 1 {
		dst = append(dst, '.')
		dst = append(dst, digits[1:]...)
	}
	dst = append(dst, 'e')
	if point > 0 {
		dst = append(dst, '+')
	}
	return strconv.AppendInt(dst, int64(point-1), 10)
}

func appendZeros(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, '0')
	}
	return dst
}
