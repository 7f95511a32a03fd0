// Package state makes and verifies requestState: the token in which a server
// without memory hands its client everything it needs to go on with an operation
// in the next round, here or in another instance.
//
// The client keeps the token and sends it back. It is hostile until proven
// otherwise (rule 5 of the revision), so a token is encrypted and authenticated,
// and bound to the caller, the request, a time and a round (rule 6). There is one
// cipher, no algorithm to negotiate, and no way to have a token without a key.
//
// A token can be used more than once within its life (rule 7): at-most-once needs
// a store, which is not this package's. A journalled answer cannot be changed by
// sending a token twice, since its successor is another token.
//
// # Wire form
//
//	"mm1." || base64url, unpadded, strict ( H || N || C || T )
//
//	H   6  version 0x01 || suite 0x01 || kid[4]
//	       kid = SHA-256("mrtr-migrate/v1/kid\x00" || seal key)[0:4]
//	N  24  random nonce of XAES-256-GCM (c2sp.org/XAES-256-GCM): the first 12 bytes
//	       select the key, the last 12 are the nonce under it
//	C   .  ciphertext
//	T  16  tag
//
// The additional data are
//
//	"mrtr-migrate/requestState\x00" || H || u16 len || audience || u16 len || realm
//
// # Plaintext
//
// All integers are big endian. Times are milliseconds since 1970.
//
//	offset size
//	   0    16  operation, constant over all rounds
//	  16    16  token, random
//	  32     8  issued at
//	  40     8  expires at: the earlier of issued at + TTL and deadline
//	  48     8  deadline, carried forward, never extended
//	  56     2  round that the token asks for, from 1
//	  58     2  flags: bit 0 bound to a principal, bit 3 effects recorded; bits 1
//	            (single use) and 2 (external journal) are reserved, a token with
//	            these or any other bit is refused
//	  60    16  HMAC-SHA256(bind key, "principal\x00" || principal)[0:16]
//	  76    32  digest of the request
//	 108    16  fingerprint of the handler
//	 124     4  length of the body
//	 128     .  body:
//	         1  rounds so far that ended without a question
//	         1  0, or 25 and then trace id [16], span id [8], flags [1]
//	         2  number of pending questions, each
//	              key length [1], key, digest of the question [16],
//	              repetitions after invalid answers [1]
//	         2  number of journal entries, each
//	              kind [1]: 1 answer, 2 effect, 3 fact
//	              key length [1], key, digest of the question [16],
//	              value length [4], value as JSON
//
// The layout has one spelling of everything: decoding accepts only what encoding
// writes. An empty token takes 180 bytes, 244 characters on the wire.
//
// It is not compressed: the state mixes what an attacker chooses with what a
// server knows, and the length would tell. The principal is in it as a keyed tag
// only.
//
// # Keys
//
// An operator's secret is never used itself. HKDF-SHA256 without a salt and with
// the info "mrtr-migrate/v1/" and a purpose gives each key of 32 bytes: "seal" and
// "bind" here; "idem" and "rng" are reserved for idempotency keys and for the
// randomness of handlers. A [Ring] holds several secrets for rotation.
//
// # Verification
//
// [Sealer.Open] checks, in this order: length, prefix, strict base64url, version
// and suite, key, authentication, layout, issued at (not beyond the skew),
// deadline, expiry, round, handler, request, principal. Every failure is an
// [*InvalidError] with one constant text; its reason is for logs. What follows in
// a server, in order, is its own authorization, single use where it has a store,
// and then replay.
package state
