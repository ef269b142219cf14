package bind

import (
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
)

// Describe lists the members of an object: its fields with their values, then its methods.
func Describe(a Call, o sim.Object) string {
	x, p, i := a.Binding(), NewPrinter(), o.Ident()
	fields, methods := x.env.MembersOf(o)
	a.Charge(GameCost * (len(fields) + len(methods)))
	lines := []string{fmt.Sprintf("%s id %d", i, i.ID())}
	for _, name := range fields {
		lines = append(lines, fmt.Sprintf("  %s = %s", name, p.Line(FieldValue(x, o, name))))
	}
	for _, f := range methods {
		_, text, _ := strings.Cut(f.Signature(), ":")
		lines = append(lines, "  :"+text)
	}
	a.Charge(p.Cost)
	return strings.Join(lines, "\n")
}

// FieldValue returns the value of a member from MembersOf. It does not create the table own.
func FieldValue(x *Binding, o sim.Object, name string) lua.LValue {
	if name == "own" && x.Own[o.Ident().ID()] == nil {
		return x.Mod.State.Lua().CreateTable(0, 0)
	}
	if get := x.property(o, name); get != nil {
		return get(o)
	}
	if f := o.Ident().Class().Lookup(name); f != nil {
		return x.fromField(f, o)
	}
	return lua.LNil
}
