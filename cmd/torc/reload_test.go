package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
)

// drama makes rare events frequent: every half second a player is moved to the enemy flag, moved
// home with it, or killed.
const drama = `
function onTick(tick)
  if tick % 16 ~= 0 then return end
  local step, clients = tick / 16, {}
  for client in clientGroup:each() do clients[#clients + 1] = client end
  local player = clients[math.floor(step / 3) % #clients + 1].controlObject
  if not player or player:isDestroyed() then return end
  if step % 3 == 0 then
    local other = clients[math.floor(step / 3 + 3) % #clients + 1].controlObject
    if other then other:damage(player, other.position, 1000, "disc") end
  elseif flags then
    for flag in objects "Flag" do
      if (flag.team == player.team) == (step % 3 == 2) then player:setTransform(flag.position, player.rotation) end
    end
  end
end`

// perform runs a mod with six bots and the drama for a number of ticks, and calls each before each
// tick. It returns the output, the state of all players after each eighth tick, and the points of
// ctf.
func perform(t testing.TB, seed uint64, mod string, ticks int, each func(b *table, tick int)) string {
	b := newTable(t, seed, mod)
	b.say(referee)
	b.say(fmt.Sprint("flags = ", mod == "ctf"))
	b.say(drama)
	if mod == "ctf" {
		b.say("ctf.warmup = 1")
	}
	b.addBots(6)
	var told strings.Builder
	for tick := range ticks {
		each(b, tick)
		b.tick()
		for _, line := range b.lines() {
			fmt.Fprintf(&told, "%d %s\n", tick, line)
		}
		if tick%8 == 0 {
			b.each("ShapeBase", func(o sim.Object) {
				fmt.Fprintf(&told, "%d %d %v %v\n", tick, o.Ident().ID(), field(t, o, "position").Vec(), field(t, o, "damageLevel"))
			})
		}
	}
	if mod == "ctf" {
		fmt.Fprintf(&told, "%s\n", b.say("score()"))
	}
	require.Empty(t, b.log)
	return told.String()
}

// TestReloadKeepsMatchIdentical compares a match with a match whose mods are reloaded again and
// again: before every eighth tick, or before each in the long form. Both are identical in points,
// flags, respawn timers and the plans of bots.
func TestReloadKeepsMatchIdentical(t *testing.T) {
	t.Parallel()
	ticks, pause := testenv.Length(96, 400), testenv.Length(8, 1)
	for seed := range testenv.Seeds(t, 1, 3) {
		for mod, want := range map[string]string{"ctf": "captured", "deathmatch": ""} {
			t.Run(fmt.Sprint(mod, " ", seed), func(t *testing.T) {
				plain := perform(t, seed, mod, ticks, func(*table, int) {})
				assert.Contains(t, plain, want)
				reloaded := perform(t, seed, mod, ticks, func(b *table, tick int) {
					if tick%pause > 0 {
						return
					}
					require.NoError(t, b.scripts.ReloadNow(mod), "tick %d", tick)
					if tick%(5*pause) == 0 {
						require.NoError(t, b.scripts.ReloadNow("base"), "tick %d", tick)
					}
				})
				sameText(t, plain, reloaded)
			})
		}
	}
}

// sameText compares long texts by their first different line.
func sameText(t *testing.T, want, got string) {
	t.Helper()
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			require.Equal(t, strings.Join(a[max(0, i-3):min(len(a), i+3)], "\n"), strings.Join(b[max(0, i-3):min(len(b), i+3)], "\n"), "line %d", i)
		}
	}
	require.Len(t, b, len(a))
}

// TestReloadKeepsPlayerInGame reloads ctf while a player is dead. The player respawns on time and
// keeps the connection, the score and the screen.
func TestReloadKeepsPlayerInGame(t *testing.T) {
	t.Parallel()
	b := newTable(t, 1, "ctf")
	b.say("ctf.warmup = 1")
	c := b.join("Ann", 2)
	b.run(3 * time.Second)
	ann := `(function() for c in clientGroup:each() do return c end end)()`
	score := `import("ctf").match().phase`
	assert.Equal(t, `"running"`, b.say(score))
	b.say(`find(` + ann + `.id).controlObject:damage(nil, vec(0, 0, 0), 1000, "impact")`)
	b.run(2 * time.Second)
	dead := `(` + ann + `).controlObject:isDestroyed()`
	require.Equal(t, "true", b.say(dead))
	for range 10 {
		assert.Contains(t, b.say("mod reload ctf"), "ctf 1.0.0 reloaded")
		b.run(100 * time.Millisecond)
	}
	require.Equal(t, "true", b.say(dead))
	b.run(1500 * time.Millisecond)
	require.Equal(t, "false", b.say(dead))
	assert.Equal(t, `"running"`, b.say(score))
	assert.NotNil(t, c.host.Server())
	assert.Contains(t, c.say("hud"), "Red 0 : 0 Blue")
	assert.Empty(t, b.log)
}

// TestReloadKeepsScheduledCalls reloads ctf while a turret is rebuilt, a vehicle respawns and a
// vote runs. All of them go on after the reload.
func TestReloadKeepsScheduledCalls(t *testing.T) {
	t.Parallel()
	b := newTable(t, 1, "ctf")
	b.run(time.Second)
	count := func(class string) (n int) {
		b.each(class, func(o sim.Object) {
			if field(t, o, "damageLevel").Number() == 0 {
				n++
			}
		})
		return n
	}
	turrets, vehicles := count("Turret"), count("Vehicle")
	require.NotZero(t, turrets)
	require.NotZero(t, vehicles)
	b.say(`for _, class in ipairs { "Turret", "Vehicle" } do for o in objects(class) do o:damage(nil, o.position, 10000, "disc") end end`)
	b.run(3 * time.Second)
	require.Zero(t, count("Turret")+count("Vehicle"))
	b.say("mod reload ctf")
	b.run(65 * time.Second)
	assert.Equal(t, turrets, count("Turret"))
	assert.Equal(t, vehicles, count("Vehicle"))
}

// BenchmarkReloadInAMatch measures the time between two ticks that a reload takes in a full game.
func BenchmarkReloadInAMatch(bench *testing.B) {
	b := newTable(bench, 1, "ctf")
	b.addBots(64)
	b.run(20 * time.Second)
	for bench.Loop() {
		require.NoError(bench, b.scripts.ReloadNow("ctf"))
	}
}
