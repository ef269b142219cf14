package script

import (
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
)

// describe lists the members of an object: its fields with their values, then its methods.
func describe(a Call, o sim.Object) string {
	x, p, i := a.Binding(), newPrinter(), o.Ident()
	fields, methods := x.env.membersOf(o)
	a.Charge(gameCost * (len(fields) + len(methods)))
	lines := []string{fmt.Sprintf("%s id %d", i, i.ID())}
	for _, name := range fields {
		lines = append(lines, fmt.Sprintf("  %s = %s", name, p.Line(fieldValue(x, o, name))))
	}
	for _, f := range methods {
		_, text, _ := strings.Cut(f.Signature(), ":")
		lines = append(lines, "  :"+text)
	}
	a.Charge(p.Cost)
	return strings.Join(lines, "\n")
}

// fieldValue returns the value of a member from membersOf. It does not create the table own.
func fieldValue(x *Binding, o sim.Object, name string) lua.LValue {
	if name == "own" && x.own[o.Ident().ID()] == nil {
		return x.mod.State.Lua().CreateTable(0, 0)
	}
	if v, ok := x.property(o, name); ok {
		return v
	}
	if f := o.Ident().Class().Lookup(name); f != nil {
		return x.fromField(f, o)
	}
	return lua.LNil
}
