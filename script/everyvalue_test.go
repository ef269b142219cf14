package script_test

import (
	"maps"
	"math"
	"slices"
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
	"github.com/torc-engine/torc/netcore/netsim"
)

// everyValue returns values of every kind that a side can send: extreme numbers, unsafe texts, and
// objects of its world.
func everyValue(h *half) []sim.Value {
	inf := math.Inf(1)
	values := []sim.Value{
		sim.Nil(), sim.Bool(true), sim.Bool(false),
		sim.Vec(sim.Vec3{}), sim.Vec(sim.Vec3{X: math.NaN(), Y: inf, Z: -1e308}),
		sim.Rotation(sim.Rot{}), sim.Rotation(sim.Rot{Yaw: inf, Pitch: math.NaN(), Roll: 1e308}),
	}
	for _, n := range []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 1 << 31, 1 << 53, 1e308, -1e308, math.NaN(), inf, -inf} {
		values = append(values, sim.Number(n))
	}
	for _, text := range unsafeTexts() {
		values = append(values, sim.String(text))
		if len(text) <= 1024 {
			values = append(values, sim.Tag(text))
		}
	}
	for _, class := range []string{"Player", "Flag", "ItemData", "PlayerData", "ShapeBase"} {
		id, _ := strconv.Atoi(h.line(`(function() for o in objects "` + class + `" do return o.id end end)()`))
		values = append(values, sim.Handle(sim.ID(id)))
	}
	h.line(`mine = new "Item" { dataBlock = find "Ball" }`)
	id, _ := strconv.Atoi(h.line(`mine.id`))
	return append(values, sim.Handle(sim.ID(id)), sim.Handle(1<<30)) // one that the peer does not have, and none
}

// unsafeTexts returns texts that a handler can mistake for something else, and the names of keys,
// kinds of votes and objects.
func unsafeTexts() []string {
	return []string{
		"", " ", "x", "%1 %2 %9", "%1%1%1%1%1%1%1%1", "/", "//", "/commands", "/team", "/vote kick Honest", "nil", "0", "-1", "1e999",
		"\x00", "\xff\xfe", "\x1b[2J\r\n", "\u202eadmin\u200b", "é\xcc", "*** Server: hello", "__index", "serverCmd", "client",
		"map", "kick", "Honest", "use", "drop", "scores", "slot1", "slot9", "vote yes", "Ball", "Armor",
		strings.Repeat("%1", 500), strings.Repeat("\xff", 1024), strings.Repeat("a", 32<<10),
	}
}

// everyCall returns the argument lists for a command of the given types: each value alone, several
// times and as often as possible, and each value in the place of one argument of a plausible call.
func everyCall(values []sim.Value, kinds []sim.ValueKind) [][]sim.Value {
	plausible := map[sim.ValueKind]sim.Value{sim.KindString: sim.String("kick"), sim.KindNumber: sim.Number(1), sim.KindBool: sim.Bool(true)}
	calls := [][]sim.Value{nil}
	for _, v := range values {
		long := len(v.Text()) > 1024
		for _, n := range []int{1, 2, 3, 20} {
			if !long || n == 1 {
				calls = append(calls, slices.Repeat([]sim.Value{v}, n))
			}
		}
		for i := range kinds {
			for _, extra := range []int{-1, 0, 1} { // too few, right, too many
				var args []sim.Value
				for _, k := range kinds {
					args = append(args, plausible[k])
				}
				args[i] = v
				if extra < 0 {
					args = args[:len(args)-1]
				} else {
					args = append(args, make([]sim.Value, extra)...)
				}
				if !long || extra == 0 {
					calls = append(calls, args)
				}
			}
		}
	}
	return calls
}

// sendAll sends calls over a connection, within the rate limit of commands.
func (p *pair) sendAll(t *testing.T, c *engine.Connection, name string, calls [][]sim.Value) {
	const batch = 60
	bytes := 0
	for i, args := range calls {
		for _, v := range args {
			bytes += len(v.Text()) + 8
		}
		require.NoError(t, c.Commands.Send(engine.CommandOptions{}, sim.String(name), args))
		if i%batch == batch-1 || i == len(calls)-1 || bytes > 30<<10 {
			p.net.Run(p.net.Now()+time.Second+time.Duration(bytes)*time.Second/(16<<10), engine.TickTime)
			bytes = 0
		}
	}
}

// TestEveryCommandTakesEveryValue has a client without rights call every command of the stock mods
// with every kind of value, while another one plays.
func TestEveryCommandTakesEveryValue(t *testing.T) {
	for _, game := range []string{"ctf", "hello", "deathmatch", "base"}[:testenv.Length(1, 4)] {
		t.Run(game, func(t *testing.T) {
			p, honest := besideHonest(t, game)
			names := p.server.scripts.CommandNames(true)
			require.GreaterOrEqual(t, len(names), 5)
			values := append(everyValue(p.client), sim.Client(p.server.host.Connections()[0].ID(), "x"), sim.Client(1<<30, ""))
			c := p.client.host.Server()
			for _, name := range slices.Sorted(maps.Keys(names)) {
				// The short form has calls with each value: no value has a number of calls that 3
				// divides.
				p.sendAll(t, c, name, testenv.Every(3, everyCall(values, names[name])))
			}
			p.unharmed(t, honest)
			p.server.allRan(t, "serverCmd", names)
		})
	}
}

// TestEveryConsoleCommandNeedsARight has a client without rights run every console command from the
// chat.
func TestEveryConsoleCommandNeedsARight(t *testing.T) {
	p, honest := besideHonest(t, "ctf")
	var calls [][]sim.Value
	offered := p.server.line(`table.concat(chatCommands(clientGroup:at(1)), "\n")`)
	refused := 0
	for _, name := range p.server.console.Names() {
		if !strings.Contains(offered, "/"+name) && name != "help" { // base answers /help with the list of commands
			calls = append(calls, []sim.Value{sim.String("/" + name)}, []sim.Value{sim.String("/" + name + " 1 Honest")})
			refused += 2
		}
	}
	require.Greater(t, refused, 100)
	p.client.out = nil
	p.sendAll(t, p.client.host.Server(), "MessageSent", calls)
	assert.Equal(t, refused, strings.Count(strings.Join(p.client.out, "\n"), "no such command"))
	assert.Empty(t, p.server.audited)
	calls = nil
	for line := range strings.Lines(offered) {
		name, _, _ := strings.Cut(strings.Trim(line, "\"\n"), ":")
		name, _, _ = strings.Cut(name, " ")
		calls = append(calls, []sim.Value{sim.String(name)})
		for _, text := range unsafeTexts() {
			text = text[:min(len(text), 32_000)]
			calls = append(calls, []sim.Value{sim.String(name + " " + text)}, []sim.Value{sim.String(name + " kick " + text)})
		}
	}
	p.sendAll(t, p.client.host.Server(), "MessageSent", calls)
	p.unharmed(t, honest)
}

// TestEveryHandlerOfAClientTakesEveryValue has the server call every command of the client with
// every kind of value.
func TestEveryHandlerOfAClientTakesEveryValue(t *testing.T) {
	p := join(t, nil, nil, "hello")
	names := p.client.scripts.CommandNames(false)
	require.GreaterOrEqual(t, len(names), 9)
	values := append(everyValue(p.server), sim.Handle(p.server.host.Connections()[0].ID()))
	for _, name := range slices.Sorted(maps.Keys(names)) {
		p.sendAll(t, p.server.host.Connections()[0], name, testenv.Every(3, everyCall(values, names[name])))
	}
	p.withoutFaults(t)
	p.client.allRan(t, "clientCmd", names)
	assert.Equal(t, engine.PhaseGame, p.client.host.Server().Join.Phase())
}

// besideHonest makes a server with a game, a client without rights, and another client that plays.
// Only the engine limits the rate of commands.
func besideHonest(t *testing.T, game string) (*pair, *half) {
	p := &pair{net: netsim.New(1)}
	p.server = newHalf(t, 1, true)
	p.client = newHalf(t, 2, false)
	p.server.load(slices.DeleteFunc([]string{game}, func(name string) bool { return name == "base" })...)
	p.net.Attach(netcore.SimAddr(1), p.server.host)
	honest := newHalf(t, 3, false).load()
	p.addNamed(honest, 3, "Honest")
	p.client.load()
	p.addClient(p.client, 2)
	p.server.scripts.LiftRates()
	p.in(t, "base", `require("server.flood").text = function() return false end`)
	return p, honest
}

// allRan fails if the handler of a command has not run.
func (h *half) allRan(t *testing.T, prefix string, names map[string][]sim.ValueKind) {
	ran := map[string]bool{}
	for _, m := range h.scripts.Runtime.Mods {
		for _, e := range m.Events() {
			ran[strings.ToLower(e.Event)] = e.Calls > 0
		}
	}
	for name := range names {
		assert.True(t, ran[strings.ToLower(prefix)+" "+name], "the handler of %s did not run", name)
	}
}

// in runs Lua in the state of a mod of the server.
func (p *pair) in(t *testing.T, mod, source string) {
	t.Helper()
	m := p.server.scripts.Runtime.Mod(mod)
	fn, err := m.Compile("test.lua", source, false)
	require.NoError(t, err)
	_, err = p.server.scripts.Runtime.Enter(m, fn)
	require.NoError(t, err)
}

// withoutFaults fails if a mod of either side has a fault.
func (p *pair) withoutFaults(t *testing.T) {
	t.Helper()
	for _, h := range []*half{p.server, p.client} {
		for _, m := range h.scripts.Runtime.Mods {
			for _, f := range h.scripts.Runtime.FaultsOf(m.Name) {
				t.Error(f.String())
			}
			assert.Empty(t, m.SuspendedHandlers())
			assert.Empty(t, m.Suspended())
		}
		for _, line := range h.log {
			if line != "command refused" {
				t.Error(line)
			}
		}
	}
}

// unharmed fails if a mod has a fault, or if the honest player has noticed anything.
func (p *pair) unharmed(t *testing.T, honest *half) {
	t.Helper()
	p.withoutFaults(t)
	assert.Empty(t, honest.log)
	for _, line := range append(honest.out, honest.hud...) {
		assert.Equal(t, console.Readable(line), line)
		assert.LessOrEqual(t, len(line), 1024, "%q", line)
		assert.False(t, strings.HasPrefix(line, "***"), "%q", line)
	}
	require.NotNil(t, honest.host.Server())
	honest.line(`commandToServer("MessageSent", "still here")`)
	honest.out, honest.hud = nil, nil
	before := p.server.host.TickNumber()
	p.run(1100 * time.Millisecond)
	assert.Equal(t, []string{"Honest: still here"}, honest.out)
	if p.server.scripts.Runtime.Mod("ctf") != nil || p.server.scripts.Runtime.Mod("deathmatch") != nil {
		assert.NotEmpty(t, honest.hud, "the clock of the match has stopped")
	}
	assert.Greater(t, p.server.host.TickNumber(), before+30)
	require.NotNil(t, p.client.host.Server(), "a client with strange commands may stay")
}
