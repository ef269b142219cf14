package main

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
)

// These tests run known exploits of multiplayer games. None of them gains an advantage.

// cheatingHost is a client with its own clock and a modified world.
type cheatingHost struct {
	*engine.Host
	clock  func(tick int) int // client ticks in a server tick; nil: one
	tamper func()             // changes the client's world before each tick
	tick   int
}

func (c *cheatingHost) Tick(now netcore.Time) {
	n := 1
	if c.clock != nil {
		n = c.clock(c.tick)
	}
	c.tick++
	for range n {
		if c.tamper != nil {
			c.tamper()
		}
		c.Host.Tick(now)
	}
}

// attachCheat gives Ann's client a modified clock and world.
func (b *table) attachCheat(c *half, clock func(int) int, tamper func()) {
	b.net.Attach(netcore.SimAddr(2), &cheatingHost{Host: c.host, clock: clock, tamper: tamper})
}

func times(n int) func(int) int { return func(int) int { return n } }

// bursts returns a clock that stops for still ticks and then catches up.
func bursts(still int) func(int) int {
	return func(tick int) int {
		if tick%(still+1) == still {
			return still + 1
		}
		return 0
	}
}

// runs and flies are usual moves. raves sets every input out of its range, which must not give an
// advantage.
var runs, flies, raves = sim.Move{Y: sim.MoveFull}, sim.Move{Y: sim.MoveFull, Triggers: 1<<sim.JumpTrigger | 1<<sim.JetTrigger}, sim.Move{X: 127, Y: 127, Z: 127, Roll: -32768, Triggers: 0xff}

// runway starts capture the flag on level ground without obstacles. Ann stands there.
func runway(t *testing.T) (b *table, ann *half) {
	b, ann, _ = camp(t)
	b.say(`for o in objects "TerrainBlock" do o:delete() end put(a, vec(3000, 0, 0))`)
	b.run(time.Second)
	return b, ann
}

// body is Ann's player on the server. own is Ann's ghost of it.
func (b *table) body() sim.Object { return b.host.Connections()[0].Control.Object() }

func (h *half) own() sim.Object {
	if s := h.host.Server(); s != nil {
		return s.Control.Object()
	}
	return nil
}

func at(t testing.TB, o sim.Object) sim.Vec3 { return field(t, o, "position").Vec() }

// ticks is the number of server ticks, moves the number of Ann's moves.
func (b *table) ticks() int { return int(b.now / engine.TickTime) }
func (b *table) moves() int { return b.host.Connections()[0].Control.Stats.Moves }

// minute is the number of ticks that a player runs: one minute in the full test.
var minute = testenv.Length(600, 1875)

// way returns how far Ann gets in that time, summed tick by tick.
func (b *table) way() (metres float64) {
	for range minute {
		before := at(b.t, b.body())
		b.tick()
		metres += at(b.t, b.body()).Sub(before).Len()
	}
	return metres
}

// clocks are manipulated client clocks. Each has the number of packets that carry a move.
var clocks = []struct {
	name  string
	clock func(tick int) int
	sends int
	move  sim.Move
}{
	{"runs twice as fast", times(2), 3, runs},
	{"runs ten times as fast", times(10), 3, runs},
	{"runs ten times as fast and sends the whole window", times(10), 0, runs},
	{"runs a hundred times as fast", times(100), 3, runs},
	{"runs in bursts of 8 moves", bursts(7), 3, runs},
	{"runs in bursts of 100 moves", bursts(99), 0, runs},
	{"flies ten times as fast", times(10), 0, flies},
	{"flies a hundred times as fast", times(100), 3, flies},
	{"flies in bursts of 8 moves", bursts(7), 3, flies},
	{"flies in bursts of 30 moves", bursts(29), 0, flies},
	{"does what moves cannot", nil, 3, raves},
}

// TestFastClocksGainNothing sends more moves than ticks, at several rates and rhythms. In a minute
// the player gets at most 2 % farther than an honest player, with all keys held or sometimes
// released.
func TestFastClocksGainNothing(t *testing.T) {
	t.Parallel()
	run := func(clock func(int) int, sends int, move func(tick int) sim.Move) float64 {
		b, ann := runway(t)
		ann.host.Settings.Moves = sends
		ann.host.SetMoves(func(*engine.Connection) sim.Move { return move(b.ticks()) })
		b.attachCheat(ann, clock, nil)
		before := b.moves()
		way := b.way()
		assert.LessOrEqual(t, b.moves()-before, minute*101/100+8, "what is done of them")
		require.Empty(t, b.log)
		return way
	}
	holds := func(m sim.Move) func(int) sim.Move { return func(int) sim.Move { return m } }
	taps := func(m sim.Move) func(int) sim.Move {
		return func(tick int) sim.Move {
			if tick%8 == 0 {
				return sim.Move{}
			}
			return m
		}
	}
	flight := max(run(nil, 3, holds(flies)), run(nil, 3, taps(flies)))
	honest := map[sim.Move]float64{runs: run(nil, 3, holds(runs)), flies: flight, raves: flight}
	for _, c := range testenv.Every(6, clocks) {
		got := run(c.clock, c.sends, holds(c.move))
		t.Logf("%s: %.1f m, an honest one %.1f m", c.name, got, honest[c.move])
		assert.LessOrEqual(t, got, 1.02*honest[c.move], c.name)
	}
}

// wishes are changes that a modified client makes to its own world.
var wishes = map[string]struct {
	field string
	value func(was sim.Value, tick int) sim.Value
}{
	"teleports":      {"position", func(was sim.Value, _ int) sim.Value { return sim.Vec(was.Vec().Add(sim.Vec3{Y: 40})) }},
	"far away":       {"position", func(sim.Value, int) sim.Value { return sim.Vec(sim.Vec3{X: 65000, Y: 65000, Z: 65000}) }},
	"speed":          {"velocity", func(sim.Value, int) sim.Value { return sim.Vec(sim.Vec3{Y: 4000}) }},
	"energy":         {"energy", func(sim.Value, int) sim.Value { return sim.Number(100000) }},
	"never hurt":     {"damageLevel", func(sim.Value, int) sim.Value { return sim.Number(0) }},
	"another team":   {"team", func(sim.Value, int) sim.Value { return sim.Number(2) }},
	"another armor":  {"dataBlock", func(sim.Value, int) sim.Value { return sim.String("HeavyArmor") }},
	"another weapon": {"image0", func(sim.Value, int) sim.Value { return sim.String("Mortar") }},
	"a second one":   {"image1", func(sim.Value, int) sim.Value { return sim.String("Chaingun") }},
	"leaps":          {"leaps", func(_ sim.Value, tick int) sim.Value { return sim.Number(float64(tick % 16)) }},
	"alive for ever": {"destroyed", func(sim.Value, int) sim.Value { return sim.Bool(false) }},
	"burns for ever": {"jetting", func(sim.Value, int) sim.Value { return sim.Bool(true) }},
}

// TestClientStateDoesNotReachServer changes the client's own player in every tick. The server
// ignores the changes, and the client gains nothing.
func TestClientStateDoesNotReachServer(t *testing.T) {
	t.Parallel()
	fields := []string{"damageLevel", "team", "dataBlock", "image0", "image1", "leaps", "destroyed", "mount", "shapeName"}
	fly := func(tamper func(ann *half, tick int)) (way float64, is []sim.Value) {
		b, ann := runway(t)
		ann.host.SetMoves(func(*engine.Connection) sim.Move { return flies })
		b.attachCheat(ann, nil, func() { tamper(ann, b.ticks()) })
		for range testenv.Length(150, 400) {
			before := at(t, b.body())
			b.tick()
			way += at(t, b.body()).Sub(before).Len()
		}
		for _, name := range fields {
			is = append(is, field(t, b.body(), name))
		}
		require.Empty(t, b.log)
		b.attachCheat(ann, nil, nil)
		ann.host.SetMoves(nil)
		b.run(5 * time.Second)
		require.NotNil(t, ann.own(), "nobody is stuck")
		return way, is
	}
	honest, are := fly(func(*half, int) {})
	for _, name := range testenv.EveryKey(6, wishes) {
		w := wishes[name]
		t.Run(name, func(t *testing.T) {
			way, is := fly(func(ann *half, tick int) {
				if o := ann.own(); o != nil {
					f := o.Ident().Class().Lookup(w.field)
					require.NoError(t, f.Set(o, w.value(f.Get(o), tick)))
				}
			})
			t.Logf("%.1f m, an honest one %.1f m", way, honest)
			assert.LessOrEqual(t, way, 1.02*honest)
			assert.Equal(t, are, is)
		})
	}
}

// tricks are attempts to cheat in ctf: the initial state, the client's console line, and the
// expected state one second later.
var tricks = []struct{ name, stands, says, then, want string }{
	{"buys from afar", ``, `key use`, `a.dataBlock.name, of("Ann").controlObject == a`, "\"LightArmor\"\ttrue"},
	{
		"buys at a station whose trigger is gone", `for o in objects "StaticShape" do if o.team == 1 and o.dataBlock.name == "InventoryStation" then s = o end end
		put(a, s.position) schedule(200, function() for o in objects "Trigger" do o:delete() end put(a, vec(0, 0, 100)) end)`,
		`schedule(500, key, "use")`, `a.dataBlock.name, of("Ann").controlObject == a`, "\"LightArmor\"\ttrue",
	},
	{"takes what it does not have", ``, "key slot4\nkey slot9\nkey slot-1\nkey hold", `a:mountedImage(0).name`, `"DiscLauncher"`},
	{"chooses what there is not", ``, "say /loadout order\nsay /loadout of\nsay /loadout __index\nkey use", `a.dataBlock.name`, `"LightArmor"`},
	{"takes a flag by saying so", ``, "commandToServer(\"FlagTaken\", 2)\nkey take\nkey flag", `flag(2).carrier, flag(2).home`, "nil\ttrue"},
	{"sits by saying so", ``, `commandToServer("mountObject", server.controlObject, 0) commandToServer("Mount") key "mount"`, `a.mount`, `nil`},
	{"says that it is somewhere", `p = a.position`, `commandToServer("setTransform", vec(0, 0, 500)) commandToServer("Player", "setTransform", vec(0, 0, 0))`, `(a.position - p):length() < 1`, `true`},
	{"drops a flag that it does not have", `put(b, flag(1).position)`, `schedule(300, key, "drop")`, `flag(1).carrier == b`, `true`},
	{"acts when dead", `a:damage(nil, a.position, 1000, "laser")`, "key slot2\nkey use\nkey drop", `a:mountedImage(0).name, a.dataBlock.name, of("Ann").controlObject == a`, "\"DiscLauncher\"\t\"LightArmor\"\ttrue"},
	{"comes again at once by changing sides", `addBot "Odd" schedule(100, function() for c in clientGroup:each() do if c.isBot then c:disconnect() end end
		a:damage(nil, a.position, 1000, "laser") end)`, `schedule(600, say, "/switch")`, `of("Ann").controlObject == a`, `true`},
	{"says what others believe", ``, `say "/team \"\\n\\x1b[2JServer: all is lost\""`, `a.team`, `1`},
}

// TestCTFExploitsFail tries exploits of ctf. None of them gives a player an unfair gain.
func TestCTFExploitsFail(t *testing.T) {
	t.Parallel()
	for _, c := range testenv.Every(4, tricks) {
		t.Run(c.name, func(t *testing.T) {
			b, ann, _ := camp(t)
			cat := b.join("Cat", 4) // in Ann's team
			b.say(c.stands)
			for _, line := range strings.Split(c.says, "\n") {
				_, err := ann.console.Exec(line)
				require.NoError(t, err)
			}
			b.run(time.Second)
			assert.Equal(t, c.want, b.say(c.then))
			for _, line := range cat.lines() {
				assert.Equal(t, console.Clean(line), line)
			}
			for _, line := range b.log {
				assert.Contains(t, line, "unknown command")
			}
		})
	}
}

// TestWeaponChangesGainNoShots changes weapons between shots. The player fires no more discs than
// the rate of fire allows.
func TestWeaponChangesGainNoShots(t *testing.T) {
	t.Parallel()
	b, ann := runway(t)
	ann.host.SetMoves(func(*engine.Connection) sim.Move { return sim.Move{Triggers: 1 << sim.FireTrigger} })
	began := b.now
	for range testenv.Length(20, 40) {
		ann.say(`key slot3`) // the laser, without enough energy to fire
		b.say(`a:setEnergy(0)`)
		b.run(100 * time.Millisecond)
		ann.say(`key slot1`)
		b.run(100 * time.Millisecond)
	}
	left, err := strconv.ParseFloat(b.say(`a:imageAmmo(0)`), 64)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, left, 15-1-(b.now-began).Seconds()/1.25)
	assert.Less(t, left, 14.0)
	assert.Empty(t, b.log)
}

// TestOnlyPlayersVote checks that clients that have not finished joining cannot vote. They can
// chat.
func TestOnlyPlayersVote(t *testing.T) {
	t.Parallel()
	b, ann, bob := camp(t)
	var crowd []*half
	for n := uint16(4); n < 9; n++ {
		c := newHalf(t, uint64(n)<<8, false, onlyBase(t))
		require.Empty(t, c.scripts.LoadMods("base"))
		c.say(`override(clientCmd, "MissionStartPhase2", function() end)`)
		b.net.Attach(netcore.SimAddr(n), c.host)
		b.net.Link(netcore.SimAddr(n), netcore.SimAddr(1), netcore.LinkParams{}, netcore.LinkParams{})
		require.NoError(t, c.host.Dialer.Connect("x:1", engine.ConnectArgs{Name: string(rune('A' + n))}))
		crowd = append(crowd, c)
	}
	b.run(time.Second)
	ann.say(`say "/vote kick Bob"`)
	b.run(time.Second)
	for _, c := range crowd {
		c.say(`say "/yes"`)
		c.say(`commandToServer("CastVote", true)`)
	}
	b.run(time.Second)
	assert.NotNil(t, bob.host.Server())
	bob.say(`say "/no"`)
	b.run(time.Second)
	assert.Contains(t, ann.lines(), "The vote has failed, 1 to 1.")
	assert.Empty(t, b.log)
}
