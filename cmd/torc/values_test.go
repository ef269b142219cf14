package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
)

// oddities are unusual values that a script can compute.
var oddities = []string{
	`0/0`, `1/0`, `-1/0`, `-0.0`, `1e308`, `-1e308`, `5e-324`, `2^53`, `2^31`, `-1`, `0`, `1`, `3.7`, `65536`, `-65536`, `""`, `"x"`, `("x"):rep(70000)`, `"\0\255\27"`,
	`true`, `false`, `nil`, `vec(0, 0, 0)`, `vec(0/0, 0, 0)`, `vec(1/0, -1/0, 0)`, `vec(1e308, -1e308, 1e308)`, `vec(65536, 65536, 65536)`, `vec(1e-300, 0, 0)`,
	`rot(0, 0, 0)`, `rot(0/0, 1/0, 0)`, `rot(1e308, -1e308, 1e308)`, `{}`, `{ 1, 2 }`, `print`, `o`, `other`, `gone`, `missionGroup`, `clientGroup`, `"absurd"`, `find "LightArmor"`, `tag "x"`,
}

// TestUnusualScriptValues sets fields and calls methods of the game with unusual values. The game
// accepts each value or refuses it with an error. Nothing panics, hangs or becomes NaN, and clients
// see every accepted value.
func TestUnusualScriptValues(t *testing.T) {
	t.Parallel()
	b := newTable(t, 5, "ctf")
	b.run(time.Second)
	ann := b.join("Ann", 2)
	rng := rand.New(rand.NewPCG(1, 7))
	odd := func() string { return oddities[rng.IntN(len(oddities))] }
	stride, tries := testenv.Length(47, 1), 0
	try := func(lua string) {
		t.Helper()
		if tries++; tries%stride != 0 {
			return
		}
		_, err := b.console.Exec(lua)
		if err != nil {
			assert.NotContains(t, err.Error(), "runtime error", lua)
			assert.NotContains(t, err.Error(), "BUG", lua)
			assert.NotContains(t, err.Error(), "panic", lua)
		}
	}
	b.say(`gone = new "Marker" {} gone:delete() other = new "Player" { dataBlock = "LightArmor" }`)
	classes := b.host.World().Classes()
	for _, c := range classes.List() {
		if c.Kind == sim.BlockClass && !c.Abstract {
			for i, f := range c.AllFields() {
				for n, v := range oddities {
					try(fmt.Sprintf("o = datablock %q \"Odd%d\" { %s = %s }", c.Name, i*100+n, f.Name, v))
					try(fmt.Sprintf("o.%s = %s", f.Name, odd()))
				}
			}
		}
		if c.Abstract || c.Kind != sim.NetClass {
			continue
		}
		b.say(fmt.Sprintf(`ok, o = pcall(new, %q, { dataBlock = ({ Player = "LightArmor", Vehicle = "Tank", Turret = "PlasmaTurret", Item = "FlagItem", Flag = "FlagItem",
			StaticShape = "InventoryStation", Projectile = "DiscShot", Trigger = "StationTrigger" })[%q] })`, c.Name, c.Name))
		for _, f := range c.AllFields() {
			for _, v := range oddities {
				try(fmt.Sprintf("if ok then o.%s = %s end", f.Name, v))
				try(fmt.Sprintf("x = new %q { %s = %s }", c.Name, f.Name, v))
			}
		}
		for p := c; p != nil; p = p.ParentClass() {
			for _, m := range p.Methods {
				for range 60 {
					args := make([]string, rng.IntN(6))
					for i := range args {
						args[i] = odd()
					}
					try(fmt.Sprintf("if ok and isObject(o) then o:%s(%s) end", m.Name, strings.Join(args, ", ")))
				}
			}
		}
		b.run(100 * time.Millisecond)
	}
	for _, f := range classes.Functions() {
		for range 300 {
			args := make([]string, rng.IntN(7))
			for i := range args {
				args[i] = odd()
			}
			try(fmt.Sprintf("%s(%s)", f.Name, strings.Join(args, ", ")))
		}
	}
	b.run(3 * time.Second)
	for _, h := range []*half{b.half, ann} {
		h.host.World().Each(nil, func(o sim.Object) bool {
			for _, f := range o.Ident().Class().AllFields() {
				if v := f.Get(o); f.Kind != sim.KindObject {
					assert.NoError(t, f.Set(o, v), o.Ident())
				}
			}
			return true
		})
	}
	require.NotNil(t, ann.host.Server())
	assert.Empty(t, ann.log)
}
