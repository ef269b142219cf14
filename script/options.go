package script

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
)

// maxNames is how many keys a table of options or fields may have had: more are no names that somebody wrote.
const maxNames = 1000

// named fails if a table of options or fields is too large to be gone through, else pays for that.
func (a Args) named(t *lua.LTable) {
	if n := breadth(t); n > maxNames {
		a.Fail("a table of %d keys is too large, %d are possible", n, maxNames)
	}
	a.Charge(4 * breadth(t))
}

// options is argument i, a table that has no other keys than these: a slip in
// a name is an error, not an option that does nothing.
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
