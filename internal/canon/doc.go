// Package canon writes JSON in one canonical form without losing anything of
// its value, so that a digest of the form stands for the value.
//
// The form is that of RFC 8785 (JSON Canonicalization Scheme): no insignificant
// space, members sorted by the UTF-16 code units of their names, the shortest
// escaping of strings, no Unicode normalisation. It departs from the RFC where
// the RFC would let two values that a Go program tells apart share a form, or
// would leave open which value a Go program sees:
//
//   - Numbers are exact decimals and never pass through a float64. RFC 8785
//     rounds 9007199254740993 to 9007199254740992, and an attacker could have one
//     account approved and another one used. 1, 1.0 and 1e0 are one number, and
//     so are 0 and -0. On numbers that a float64 holds exactly as written, the
//     form is that of the RFC.
//   - Names that differ only in case keep the order in which they were written
//     and stand together. encoding/json matches the names of struct fields without
//     regard to case and the last match wins, so their order is part of what a
//     handler sees.
//   - A name that occurs twice in one object, after its escapes are decoded, is
//     refused. So are invalid UTF-8, escaped lone surrogates, nesting deeper than
//     [MaxDepth], input longer than [MaxSize], numbers with more than [MaxDigits]
//     significant digits or an exponent beyond [MaxExponent].
//
// Every error is an [*Error]. It tells what was wrong and where, and never
// repeats any of the input, which may hold a user's answer.
package canon
