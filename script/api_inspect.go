package script

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// inspectLib has the functions that print values for people.
func inspectLib() vm.Lib {
	return bind.Chapter("Values as text", []bind.Row{
		bind.Def("dump", "value: any, [depth: integer]", vm.Both, "Prints a value with its contents: tables in Lua syntax, up to 4 or depth levels; every field and method of an object. It runs no metamethods.", func(a bind.Call) int { printLines(a, contents(a)); return 0 }),
		bind.Def("inspect", "value: any, [depth: integer] -> string", vm.Both, "Returns the text that dump prints.", func(a bind.Call) int { return a.Text(contents(a)) }),
	})
}

// contents returns argument 1 with its contents, as text for people.
func contents(a bind.Call) string {
	v, depth := a.Any(1), bind.PrintDepth
	if a.Has(2) {
		depth = a.IntIn(2, 1, maxPrintDepth)
	}
	if u, ok := v.(*lua.LUserData); ok {
		if o := a.Binding().Lookup(u); o != nil {
			return bind.Describe(a, o)
		}
	}
	p := bind.NewPrinter()
	text := p.Lines(v, depth)
	a.Charge(p.Cost)
	return text
}

// maxPrintDepth is the largest depth of dump and bind.
const maxPrintDepth = 16
