package main

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
)

// vanishings are ways to remove or change Ann's control object (a) or her vehicle (v). t is a
// turret, c a camera.
var vanishings = map[string]string{
	"deleted":             `a:delete()`,
	"killed":              `a:damage(nil, a.position, 10000, "laser")`,
	"let go":              `ann:setControlObject(nil)`,
	"put elsewhere":       `a:setTransform(vec(3000, 3000, 100), rot(0, 0, 0))`,
	"driving":             `v:mountObject(a, 0)`,
	"drives what goes":    `v:mountObject(a, 0) schedule(math.random(300), function() v:delete() end)`,
	"drives what blows":   `v:mountObject(a, 0) schedule(math.random(300), function() v:damage(nil, v.position, 10000, "disc") end)`,
	"drives, and is gone": `v:mountObject(a, 0) schedule(math.random(300), function() if isObject(a) then a:delete() end end)`,
	"put off":             `v:mountObject(a, 0) schedule(math.random(300), function() if a.mount == v then v:unmountObject(a) end end)`,
	"both go":             `v:mountObject(a, 0) schedule(math.random(300), function() v:delete() if isObject(a) then a:delete() end end)`,
	"is the vehicle":      `ann:setControlObject(v) schedule(math.random(300), function() v:delete() end)`,
	"is the turret":       `ann:setControlObject(t) schedule(math.random(300), function() t:delete() end)`,
	"is a camera":         `ann:setControlObject(c) schedule(math.random(300), function() c:delete() end)`,
	"is a camera's":       `c.mode = "orbit" c.orbit = a ann:setControlObject(c) schedule(math.random(300), function() if isObject(a) then a:delete() end end)`,
	"is another's":        `bob:setControlObject(a)`,
	"begun anew":          `ann:resetGhosting()  schedule(math.random(300), function() ann:activateGhosting() end)`,
	"the next mission":    `loadMission "ridge"`,
	"two missions":        `loadMission "ridge" schedule(math.random(500), function() loadMission "valley" end)`,
	"another block":       `a.dataBlock = "HeavyArmor"`,
	"another number":      `LightArmor = find "LightArmor" LightArmor.maxForwardSpeed = 3 + math.random() * 10 LightArmor.size = vec(1, 1, 2)`,
	"on its own head":     `pcall(a.mountObject, a, a, 0) v:mountObject(a, 0) pcall(a.mountObject, a, v, 0)`,
}

// TestNoPlayerIsStuck removes or changes a client's control object at any moment on a link with
// packet loss. Soon the client controls the object that the server assigned, and both agree on its
// exact position.
func TestNoPlayerIsStuck(t *testing.T) {
	t.Parallel()
	for _, name := range testenv.EveryKey(6, vanishings) {
		line := vanishings[name]
		t.Run(name, func(t *testing.T) {
			b, ann, _ := camp(t)
			link := netcore.LinkParams{Delay: 60 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.1}
			b.net.Link(netcore.SimAddr(2), netcore.SimAddr(1), link, link)
			rng, moves := rand.New(rand.NewPCG(1, 8)), true
			var m sim.Move
			ann.host.SetMoves(func(*engine.Connection) sim.Move {
				if rng.IntN(12) == 0 {
					m = sim.Move{X: int8(rng.IntN(33) - 16), Y: int8(rng.IntN(33) - 16), Yaw: int16(rng.IntN(2001) - 1000), Triggers: uint8(rng.IntN(64))}
				}
				if !moves {
					return sim.Move{}
				}
				return m
			})
			for range testenv.Length(1, 3) {
				b.say(`ann, bob = of("Ann"), of("Bob")`)
				b.say(`_, a = of("Ann") if not a then a = new "Player" { dataBlock = "LightArmor", position = vec(0, 0, 100) } ann:setControlObject(a) end
					v = new "Vehicle" { dataBlock = "Scout", position = a.position + vec(3, 0, 3) }
					t = new "Turret" { dataBlock = "PlasmaTurret", position = a.position + vec(0, 9, 0) }
					c = new "Camera" { position = a.position }`)
				b.run(time.Duration(rng.IntN(1000)) * time.Millisecond)
				b.say(`if isObject(a) and not a:isDestroyed() and isObject(v) then ` + line + ` end`)
				b.run(time.Duration(rng.IntN(3000)) * time.Millisecond)
				b.say(`bob:setControlObject(nil)`)
				b.say(`if not ann.controlObject or ann.controlObject:isMemberOfClass("Camera") then
					z = new "Player" { dataBlock = "LightArmor", position = vec(0, 0, 100) } ann:setControlObject(z) end`)
			}
			b.say(`for o in objects "Turret" do o:delete() end`) // no turret shoots from here on
			b.run(6 * time.Second)
			moves = false
			b.run(6 * time.Second)
			is, own := b.body(), ann.own()
			require.NotNil(t, is)
			require.NotNil(t, own)
			assert.Equal(t, is.Ident().Class().Name, own.Ident().Class().Name)
			assert.InDelta(t, 0, at(t, is).Sub(at(t, own)).Len(), 0.004)
			made := ann.host.Server().Control.Stats.Made
			b.run(time.Second)
			assert.InDelta(t, 31, ann.host.Server().Control.Stats.Made-made, 2, "it goes on")
			assert.Empty(t, b.log)
			assert.Empty(t, ann.log)
		})
	}
}
