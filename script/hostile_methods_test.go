package script_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
)

// hostile are arguments that most methods do not accept.
var hostile = []string{
	`nil`, `true`, `0`, `-1`, `0.5`, `1e300`, `-1e300`, `2^53`, `0/0`, `1/0`, `-1/0`, `""`, `"x"`, `"0"`, `("x"):rep(70000)`, `{}`, `print`,
	`vec(0, 0, 0)`, `vec(1e300, -1e300, 1e300)`, `vec(0/0, 0, 0)`, `rot(0, 0, 0)`, `rot(1e300, 1e300, 1e300)`, `rot(1/0, 0, 0)`, `tag "t"`,
	`me`, `other`, `dead`, `set`, `clientGroup`, `block`, `missionGroup`, `import "base"`, `coroutine.create(print)`,
}

// TestNoArgumentBreaksAMethod checks that the methods and functions of the game accept an argument
// or return an error. NaN and infinity never reach the world.
func TestNoArgumentBreaksAMethod(t *testing.T) {
	h := newHalf(t, 1, true).load()
	w := h.host.World()
	h.line(`set, dead = new "SimSet" {}, new "ScriptObject" {} dead:delete() block = datablock "ItemData" "B" {}`)
	for _, c := range w.Classes().List() {
		if c.Abstract || c.Kind != sim.NetClass {
			continue
		}
		fields := ""
		if c.DataBlock != "" {
			h.line(fmt.Sprintf(`block = datablock %q "B%s" {}`, c.DataBlock, c.Name))
			fields = "dataBlock = block"
		}
		remake := fmt.Sprintf(`me, other = new %q { %s }, new %q { %s }`, c.Name, fields, c.Name, fields)
		for of := c; of != nil; of = of.ParentClass() {
			for _, m := range of.Methods {
				require.Empty(t, h.line(remake))
				h.tryAll("me:"+m.Name, of.Name+":"+m.Name+": ")
				h.line(`for _, o in ipairs { me, other } do if isObject(o) then o:delete() end end`)
				h.host.Tick(0)
			}
		}
	}
	for _, f := range w.Classes().Functions() {
		h.tryAll(f.Name, f.Name+": ")
	}
	h.host.Tick(0)
	assert.Empty(t, h.log)
	assert.Equal(t, "2", h.line("1 + 1"))
}

// tryAll calls a function with hostile arguments in each place, then checks the world.
func (h *half) tryAll(call, name string) {
	h.t.Helper()
	stride, n := testenv.Length(59, 1), 0
	for _, v := range hostile {
		for _, args := range []string{v, "nil, " + v, "0, " + v, "me, vec(0, 0, 1), " + v, "nil, nil, 1, " + v, v + "," + v + "," + v + "," + v + "," + v + "," + v} {
			if n++; n%stride != 0 {
				continue
			}
			line := "return " + call + "(" + args + ")"
			got := h.line(line)
			require.NotContains(h.t, got, "internal error", line)
			require.NotContains(h.t, got, "BUG", line)
			if text, failed := strings.CutPrefix(got, "error: "); failed && !strings.Contains(text, "has been deleted") {
				require.True(h.t, strings.HasPrefix(text, "console:1: "+name), "%s\n%s", line, got)
				require.NotContains(h.t, got, "\n", line)
				require.Less(h.t, len(got), 600, line)
			}
		}
	}
	h.host.Tick(0)
	h.host.World().Each(nil, func(o sim.Object) bool {
		if p, ok := o.(sim.Placer); ok {
			at := p.Place()
			for _, n := range []float64{at.Position.X, at.Position.Y, at.Position.Z, at.Velocity.X, at.Velocity.Y, at.Velocity.Z, at.Rotation.Yaw, at.Rotation.Pitch, at.Rotation.Roll} {
				require.False(h.t, math.IsNaN(n) || math.IsInf(n, 0), "%s after %s", o.Ident(), call)
			}
		}
		return true
	})
}
