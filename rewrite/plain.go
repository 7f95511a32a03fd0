package rewrite

import (
	"go/types"
	"slices"
)

// plain reports whether values of type t are data through and through: JSON
// shows all of them, and two that are equal have the same JSON.
func plain(t types.Type) bool { return plainVia(t, nil) }

func plainVia(t types.Type, seen []types.Type) bool {
	if slices.ContainsFunc(seen, func(s types.Type) bool { return types.Identical(s, t) }) {
		return false // recursive data may have no end
	}
	seen = append(seen, t)
	if named, ok := types.Unalias(t).(*types.Named); ok {
		if marshals(named) {
			return true
		}
		if hasMethod(types.NewPointer(named), "MarshalJSON") || hasMethod(types.NewPointer(named), "MarshalText") {
			return false // who knows what it shows
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsBoolean|types.IsInteger|types.IsFloat|types.IsString) != 0
	case *types.Pointer:
		return plainVia(u.Elem(), seen)
	case *types.Slice:
		return plainVia(u.Elem(), seen)
	case *types.Array:
		return plainVia(u.Elem(), seen)
	case *types.Map:
		return isStringOrInteger(u.Key()) && plainVia(u.Elem(), seen)
	case *types.Struct:
		for i := range u.NumFields() {
			if !u.Field(i).Exported() || u.Field(i).Embedded() || tagHides(u.Tag(i)) || !plainVia(u.Field(i).Type(), seen) {
				return false
			}
		}
		return u.NumFields() > 0
	}
	return false
}

func isStringOrInteger(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsString|types.IsInteger) != 0
}

// marshals reports whether a type of the standard library says itself how it
// looks in JSON and comes back from it, as time.Time does. Other types' own
// methods may drop what matters.
func marshals(named *types.Named) bool {
	obj := named.Obj()
	if obj.Pkg() == nil {
		return false
	}
	switch obj.Pkg().Path() + "." + obj.Name() {
	case "time.Time", "math/big.Int", "net/netip.Addr", "encoding/json.Number", "encoding/json.RawMessage":
		return true
	}
	return false
}
