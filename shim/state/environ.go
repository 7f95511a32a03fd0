package state

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"slices"
	"strings"
)

// EnvKeys is the environment variable that holds a server's secrets: one or
// more, separated by commas, each at least 32 bytes in unpadded base64url. The
// first one seals, all of them open.
const EnvKeys = "MRTR_STATE_KEYS"

// RingFromEnvironment returns the ring that [EnvKeys] describes, and [ErrNoKey]
// if the variable is not set or blank. No error repeats any of its value.
func RingFromEnvironment() (*Ring, error) {
	value := os.Getenv(EnvKeys)
	if strings.TrimSpace(value) == "" {
		return nil, ErrNoKey
	}
	var keys []Key
	for i, text := range strings.Split(value, ",") {
		secret, err := decodeStrict(strings.TrimSpace(text))
		if err != nil || len(secret) == 0 {
			return nil, fmt.Errorf("mrtr: secret %d of %s is not unpadded base64url: make one with `mrtr-migrate keys new`", i+1, EnvKeys)
		}
		if len(secret) < MinSecret {
			return nil, fmt.Errorf("mrtr: secret %d of %s has %d bytes, at least %d are needed: make one with `mrtr-migrate keys new`", i+1, EnvKeys, len(secret), MinSecret)
		}
		if j := slices.IndexFunc(keys, func(k Key) bool { return bytes.Equal(k.Secret, secret) }); j >= 0 {
			return nil, fmt.Errorf("mrtr: secrets %d and %d of %s are the same: leave one out", j+1, i+1, EnvKeys)
		}
		keys = append(keys, Key{Secret: secret})
	}
	return NewRing(keys...)
}

// decodeStrict decodes unpadded base64url in the only spelling that encoding
// gives. The decoder of the standard library alone skips line breaks and, but for
// its strict mode, spare bits.
func decodeStrict(text string) ([]byte, error) {
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return nil, err
	}
	if base64.RawURLEncoding.EncodeToString(data) != text {
		return nil, base64.CorruptInputError(0)
	}
	return data, nil
}
