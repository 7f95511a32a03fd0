package state

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/subtle"
	"errors"
)

const (
	keySize       = 32
	nonceSize     = 24 // of XAES-256-GCM
	nonceHalf     = 12 // of either half of it
	tagSize       = 16
	cipherMinimum = nonceSize + tagSize
)

// xaes is XAES-256-GCM (c2sp.org/XAES-256-GCM): AES-256-GCM under a key derived
// from the first half of a 192-bit nonce, with the second half as its nonce. The
// nonce can be random for any number of messages.
type xaes struct {
	block cipher.Block
	k1    [aes.BlockSize]byte // subkey K1 of CMAC (NIST SP 800-38B)
}

func newXAES(key []byte) (*xaes, error) {
	if len(key) != keySize {
		return nil, errors.New("mrtr: XAES-256-GCM needs a key of 32 bytes")
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	x := &xaes{block: block}
	var l [aes.BlockSize]byte
	block.Encrypt(l[:], l[:])
	carry := byte(0)
	for i := len(l) - 1; i >= 0; i-- {
		x.k1[i] = l[i]<<1 | carry
		carry = l[i] >> 7
	}
	x.k1[len(l)-1] ^= carry * 0b10000111
	return x, nil
}

// inner returns AES-256-GCM under the key that the first half of a nonce
// selects. It draws the second half itself when it seals and puts it before the
// ciphertext, which makes (first half || sealed) the nonce and the ciphertext of
// XAES-256-GCM.
func (x *xaes) inner(first []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(x.derive(first))
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// derive is the KDF of NIST SP 800-108r1 in counter mode over CMAC: two blocks,
// each of a 16-bit counter, the label 'X', a zero byte and the half nonce.
func (x *xaes) derive(first []byte) []byte {
	key := make([]byte, keySize)
	for i := range 2 {
		half := key[i*aes.BlockSize : (i+1)*aes.BlockSize]
		half[1] = byte(i + 1)
		half[2] = 'X'
		copy(half[4:], first)
		subtle.XORBytes(half, half, x.k1[:])
		x.block.Encrypt(half, half)
	}
	return key
}

// seal appends nonce, ciphertext and tag to dst.
func (x *xaes) seal(dst, plaintext, additional []byte) ([]byte, error) {
	var first [nonceHalf]byte
	rand.Read(first[:]) // never fails: it ends the program instead
	aead, err := x.inner(first[:])
	if err != nil {
		return nil, err
	}
	dst = append(dst, first[:]...)
	return aead.Seal(dst, nil, plaintext, additional), nil
}

// open returns the plaintext of nonce, ciphertext and tag.
func (x *xaes) open(sealed, additional []byte) ([]byte, error) {
	if len(sealed) < cipherMinimum {
		return nil, errors.New("mrtr: ciphertext too short")
	}
	aead, err := x.inner(sealed[:nonceHalf])
	if err != nil {
		return nil, err
	}
	return aead.Open(nil, nil, sealed[nonceHalf:], additional)
}
