package script_test

import (
	"runtime"
	"testing"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAHandleKeepsNoObjectInMemory checks that a script can keep the handle of a deleted object
// without keeping the object.
func TestAHandleKeepsNoObjectInMemory(t *testing.T) {
	h := costRig(t)
	require.Empty(t, h.line(`local n = p.heat p.own.n = n`))
	was := weak.Make(h.host.World().FindName("p").(*HotProbe))
	require.Empty(t, h.line(`p:delete()`))
	h.host.Tick(0)
	runtime.GC()
	assert.Nil(t, was.Value())
	h.steps(
		step{`p.id > 0`, `true`},
		step{`p.heat`, `error: console:1: object ` + h.line("p.id") + ` has been deleted`},
	)
}

// TestAReadOfAMemberIsAReadOfNow checks members whose values change between two reads at the same
// place, in objects of different classes.
func TestAReadOfAMemberIsAReadOfNow(t *testing.T) {
	h := costRig(t)
	h.steps(
		step{`q = new "Probe" { dataBlock = find "D", name = "q" } b = addBot "Bo"
			function seen(o) return o.name, o.position end`, ``},
		step{`for _, o in ipairs { p, q } do echo(seen(o)) end`, "p\t0 0 0\nq\t0 0 0"},
		step{`p.position = vec(1, 2, 3) q.name = "r"`, ``},
		step{`for _, o in ipairs { p, q } do echo(seen(o)) end`, "p\t1 2 3\nr\t0 0 0"},
		step{`v = p.position p.position = vec(4, 5, 6) echo(v, v.x + v.y + v.z, p.position)`, "1 2 3\t6\t4 5 6"},
		step{`echo(b.name) b.name = "Jo" echo(b.name)`, "Bo\nJo"},
	)
}
