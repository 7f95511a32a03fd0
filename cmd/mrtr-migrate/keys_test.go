package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/mrtr-migrate/mrtr-migrate/shim/state"
)

// TestKeysNew goes from the command's output to a ring, as an operator does.
func TestKeysNew(t *testing.T) {
	var secrets []string
	for range 2 {
		var out bytes.Buffer
		root := newRootCommand()
		root.SetArgs([]string{"keys", "new"})
		root.SetOut(&out)
		if err := root.Execute(); err != nil {
			t.Fatal(err)
		}
		secret, ok := strings.CutSuffix(out.String(), "\n")
		if !ok || strings.ContainsAny(secret, " ,\n") {
			t.Fatalf("the output is %d bytes and not one secret on a line", out.Len())
		}
		secrets = append(secrets, secret)
	}
	if secrets[0] == secrets[1] {
		t.Error("the same secret twice")
	}

	t.Setenv(state.EnvKeys, "")
	if _, err := state.RingFromEnvironment(); !errors.Is(err, state.ErrNoKey) {
		t.Errorf("without keys: %v, want ErrNoKey", err)
	}
	t.Setenv(state.EnvKeys, strings.Join(secrets, ","))
	if _, err := state.RingFromEnvironment(); err != nil {
		t.Errorf("the secrets make no ring: %v", err)
	}
}

func TestKeysTakeNoArguments(t *testing.T) {
	for _, args := range [][]string{{"keys", "new", "extra"}, {"keys", "old"}, {"keys", "new", "--bits=8"}} {
		var out bytes.Buffer
		root := newRootCommand()
		root.SetArgs(args)
		root.SetOut(&out)
		if err := root.Execute(); err == nil {
			t.Errorf("%v is accepted and prints %d bytes", args, out.Len())
		}
	}
}
