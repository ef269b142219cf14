package sim

import "reflect"

// Part returns the part of o that is a T: o itself, or a struct that it embeds, at any depth. T is
// a pointer to a struct, or an interface. So a Go class can derive from another one: the fields and
// the code of the parent find their struct in the object of the derived class. ok is false if o is
// nil or has no such part.
func Part[T any](o Object) (part T, ok bool) {
	if part, ok = o.(T); ok || o == nil {
		return part, ok
	}
	want := reflect.TypeFor[T]()
	if want.Kind() != reflect.Pointer {
		return part, false
	}
	v := reflect.ValueOf(o)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return part, false
	}
	if v = embedded(v.Elem(), want.Elem()); !v.IsValid() {
		return part, false
	}
	return v.Addr().Interface().(T), true
}

// whole returns the object of which o is a part: itself, unless a class derives from that of o.
func whole(o Object) Object {
	if all := o.Ident().self; all != nil {
		return all
	}
	return o
}

// embedded returns the struct of a type that v embeds, or the zero Value. It does not look behind
// embedded pointers: a struct behind a pointer can be missing.
func embedded(v reflect.Value, want reflect.Type) reflect.Value {
	if v.Kind() != reflect.Struct {
		return reflect.Value{}
	}
	for i := range v.NumField() {
		if !v.Type().Field(i).Anonymous {
			continue
		}
		if f := v.Field(i); f.Type() == want && f.CanInterface() {
			return f
		} else if f = embedded(f, want); f.IsValid() {
			return f
		}
	}
	return reflect.Value{}
}
