package shim_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/mrtr-migrate/mrtr-migrate/shim"
)

func TestKey(t *testing.T) {
	type point struct{ X, Y int }
	type sealed struct{ x int }
	distinct := []string{
		shim.Key("k"), shim.Key("k", "a"), shim.Key("k", "b"), shim.Key("l", "a"), shim.Key("k", "a", "b"), shim.Key("k", "ab"),
		shim.Key("k", 1), shim.Key("k", "1"), shim.Key("k", nil), shim.Key("k", []string{"a", "b"}), shim.Key("k", point{1, 2}), shim.Key("k", point{2, 1}),
		shim.Key("k", struct{}{}), shim.Key("k", map[string]int{}, 1),
	}
	for _, key := range distinct {
		if len(key) > 2+22 || strings.ContainsFunc(key, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_.-", r))
		}) {
			t.Errorf("key %q", key)
		}
	}
	sorted := slices.Sorted(slices.Values(distinct))
	if len(slices.Compact(sorted)) != len(distinct) {
		t.Errorf("keys meet: %q", sorted)
	}
	if shim.Key("k", map[string]int{"a": 1, "b": 2}) != shim.Key("k", map[string]int{"b": 2, "a": 1}) || shim.Key("k", 1) != shim.Key("k", 1.0) {
		t.Error("one identity has two keys")
	}
	// Values that JSON does not show would all be one.
	for _, v := range []any{func() {}, make(chan int), sealed{1}, &sealed{2}, "\xff", `\\` + "\xfe", []string{"a", "\xff"}, []any{func() {}}} {
		if key := shim.Key("k", v); key != "k.!" {
			t.Errorf("%T: %q", v, key)
		}
	}
	for _, v := range []any{"\ufffd", `\ufffd`, `\\ufffd`} {
		if key := shim.Key("k", v); key == "k.!" {
			t.Errorf("%q is valid text", v)
		}
	}
}

func TestAt(t *testing.T) {
	b := newBench(t, shim.Limits{})
	var keys []string
	helper := func(ctx context.Context, c *shim.Continuation) {
		c.Ask(ctx, elicit("confirm", "?"))
	}
	h := func(ctx context.Context, c *shim.Continuation) {
		long := ctx
		for range 50 {
			long = shim.At(long, "recursion")
		}
		longer := shim.At(long, "recursion")
		for _, ctx := range []context.Context{ctx, shim.At(ctx, "old"), shim.At(shim.At(ctx, "new"), "disk", 1), shim.At(shim.At(ctx, "new"), "disk", 2), long, longer} {
			helper(ctx, c)
			if c.Pending() {
				return
			}
		}
	}
	keys, last := b.play(h, func(string, string) any { return yes() })
	if last.err != nil || len(keys) != 6 {
		t.Fatalf("%q: %+v", keys, last)
	}
	if keys[0] != "confirm" || keys[1] != "old.confirm" || keys[2] != "new."+shim.Key("disk", 1)+".confirm" || keys[2] == keys[3] || keys[4] == keys[5] {
		t.Errorf("%q", keys)
	}
	for _, k := range keys {
		if len(k) > 64 {
			t.Errorf("%d bytes: %q", len(k), k)
		}
	}
	// A path without an identity is refused even where it is long.
	o := b.round(func(ctx context.Context, c *shim.Continuation) {
		for range 50 {
			ctx = shim.At(ctx, "recursion", func() {})
		}
		helper(ctx, c)
	}, "", nil)
	wantFault(t, o.err, shim.CodeKey)
}

func TestOccurrences(t *testing.T) {
	b := newBench(t, shim.Limits{})
	h := func(ctx context.Context, c *shim.Continuation) {
		for _, q := range []string{"one", "two", "three"} {
			if c.Ask(ctx, elicit("k", q)); c.Pending() {
				return
			}
		}
	}
	keys, last := b.play(h, func(string, string) any { return yes() })
	if last.err != nil || !slices.Equal(keys, []string{"k", "k.2", "k.3"}) {
		t.Errorf("%q: %+v", keys, last)
	}
	o := b.round(func(ctx context.Context, c *shim.Continuation) {
		c.AskAll(ctx, elicit("k.2", "a"), elicit("k", "b"), elicit("k", "c"))
	}, "", nil)
	if f := wantFault(t, o.err, shim.CodeDuplicateKey); f.Key != "k.2" {
		t.Error(f)
	}
}
