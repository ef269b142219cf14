package script

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
)

// maxNames is the maximum number of keys, including deleted ones, in a table of options or fields.
// No legitimate table has more.
const maxNames = 1000

// named fails if a table of options or fields is too large to read. Otherwise it charges for
// reading it.
func (a Args) named(t *lua.LTable) {
	if n := breadth(t); n > maxNames {
		a.Fail("a table of %d keys is too large, %d are possible", n, maxNames)
	}
	a.Charge(4 * breadth(t))
}

// options returns argument i, a table with no keys but the known ones. Unknown keys are an error,
// so that a typing error is not silently ignored.
func (a Args) options(i int, known ...string) *lua.LTable {
	t := a.Table(i)
	a.named(t)
	wrong := ""
	t.ForEach(func(k, _ lua.LValue) {
		for _, name := range known {
			if k == lua.LString(name) {
				return
			}
		}
		wrong = textOf(k)
	})
	switch near := sim.Nearest(wrong, known); {
	case wrong == "":
	case near != "":
		a.Fail("unknown option %q, did you mean %q?", wrong, near)
	default:
		a.Fail("unknown option %q: there are %s", wrong, strings.Join(known, ", "))
	}
	return t
}
