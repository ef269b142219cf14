package script_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/vm"
)

// heavyMod has commands of 30,000 instructions and more, and records the ticks in which the
// commands of Honest run. The share of a client in a tick is 20,000 instructions.
const heavyMod = `
	served, order = {}, {}
	local function work(n) for i = 1, n do local x = i * i end end
	function serverCmd.Heavy(client, n)
		order[client.id] = order[client.id] or {}
		table.insert(order[client.id], n)
		work(15000)
	end
	function serverCmd.Later() for i = 1, 20 do schedule(0, work, 15000) end end
	function serverCmd.Light(client) served[#served + 1] = tick() end
	function serverCmd.Long() spawn(work, 15000) end
	function serverCmd.LightLong(client) spawn(function() served[#served + 1] = tick() end) end
	function serverCmd.LightLater(client) schedule(0, function() served[#served + 1] = tick() end) end
	function consecutive(n, ticks)
		ticks = ticks or 1
		assert(#served >= math.floor(n / ticks), #served)
		for i = 2, #served do assert(served[i] == served[i - 1] + ticks, served[i] - served[i - 1]) end
	end`

// beside connects clients that join before Honest, so that their ids are lower.
func beside(t *testing.T, n int) (p *pair, heavy []*half, honest *half) {
	p = join(t, map[string]string{"m/server/init.lua": heavyMod}, nil, "m")
	p.server.scripts.Runtime.LimitsVar().Ticking = 200_000
	p.server.host.Admission.MaxClients = n + 1
	heavy = []*half{p.client}
	for i := 1; i < n; i++ {
		h := newHalf(t, uint16(10+i), false).load()
		p.dial(h, uint16(10+i), "")
		heavy = append(heavy, h)
	}
	p.waitForGame(heavy...) // together: each round has all clients in it
	honest = newHalf(t, 3, false).load()
	p.addNamed(honest, 3, "Honest")
	return p, heavy, honest
}

// TestHeavyClientsDelayNobody checks that clients whose commands, timers or threads take long use
// up their own shares only: the commands of another client run in the tick in which they arrive.
// That holds for one client, and for so many that they need all ticks. Then each waits for its
// turn. With 240 clients a thread in each tick is more than the mean of all, so the other client
// starts one in four ticks.
func TestHeavyClientsDelayNobody(t *testing.T) {
	type row struct {
		heavy, light string
		clients      int
		first        time.Duration // until each client has had a first turn
		every        int           // ticks between two commands of the other client
	}
	first := testenv.Length(time.Second/2, time.Second)
	cases := []row{
		{"Heavy", "Light", 1, first, 1}, {"Heavy", "Light", testenv.Length(9, 12), first, 1},
		{"Later", "LightLater", 1, first, 1}, {"Later", "LightLater", testenv.Length(9, 32), first, 1},
		{"Long", "LightLong", 1, first, 1}, {"Long", "LightLong", testenv.Length(9, 32), 2 * first, 1},
	}
	if testenv.Long() {
		cases = append(cases, row{"Heavy", "Light", 62, 2 * time.Second, 1}, row{"Heavy", "Light", 240, 10 * time.Second, 1},
			row{"Later", "LightLater", 240, 10 * time.Second, 1}, row{"Long", "LightLong", 240, 10 * time.Second, 4})
	}
	for _, c := range cases {
		t.Run(fmt.Sprint(c.heavy, " ", c.clients), func(t *testing.T) {
			p, heavy, honest := beside(t, c.clients)
			require.Empty(t, honest.line(fmt.Sprintf(`n = 0 function onTick() n = n + 1 if n %% %d == 0 then commandToServer(%q) end end`, c.every, c.light)))
			for _, h := range heavy {
				require.Empty(t, h.line(fmt.Sprintf(`n = 0 function onTick() n = n + 1 commandToServer(%q, n) end`, c.heavy)))
			}
			p.run(c.first)
			p.in(t, "m", "served = {}")
			before := p.server.scripts.Runtime.Mod("m").Usage.Instructions
			ticks := testenv.Length(16, 31)
			p.run(netcore.Time(ticks) * engine.TickTime)
			p.in(t, "m", fmt.Sprintf("consecutive(%d, %d)", ticks-1, c.every))
			share := float64(p.server.scripts.Runtime.Mod("m").Usage.Instructions-before) / float64(ticks*200_000)
			t.Logf("%d clients: %.0f %% of the ticks", c.clients, 100*share)
			if c.clients == 1 {
				assert.InDelta(t, 0.1, share, 0.02)
			}
			assert.Less(t, share, 0.75)
			p.in(t, "m", `for _, list in pairs(order) do
				for i, n in ipairs(list) do assert(n == i, "out of order") end
			end`)
			if c.clients == 1 || c.heavy == "Heavy" { // the others exceed limits of their own, and so do these of different addresses
				p.server.withoutSuspensions(t)
			}
		})
	}
}

// TestCommandsWaitInABoundedQueue checks that a client with too many heavy commands is told about
// the refused ones, and is served again afterwards.
func TestCommandsWaitInABoundedQueue(t *testing.T) {
	p, _, honest := beside(t, 1)
	c := p.server.host.Connections()[0]
	require.Empty(t, p.client.line(`function onTick() for i = 1, 4 do commandToServer("Heavy", 0) end end`))
	p.run(8 * time.Second)
	told := strings.Count(strings.Join(p.client.out, "\n"), "Your commands use too much of the server's time: ")
	assert.Equal(t, 2, told, "at most once in 5 s")
	assert.Empty(t, honest.out)
	assert.Greater(t, c.Commands.Stats.RefusedCommands, 40)
	require.Empty(t, p.client.line(`function onTick() end`))
	p.run(4 * time.Second)
	p.client.line(`commandToServer("Light")`)
	p.run(100 * time.Millisecond)
	p.in(t, "m", `assert(#served == 1)`)
	assert.NotNil(t, p.client.host.Server())
}

// TestEventsOfAHeavyClientWait checks that the events that an object of a client causes wait for
// the share of this client. Only events that a mod can miss are dropped, if too many wait.
func TestEventsOfAHeavyClientWait(t *testing.T) {
	p := join(t, map[string]string{"m/server/init.lua": `
		datablock "PlayerData" "Body" {}
		Sign = class "Sign" { inherit = "Marker" }
		heavy, light, left = 0, 0, 0
		function Sign:onCollision(other)
			if other == nil then light = light + 1 return end
			heavy = heavy + 1
			for i = 1, 5000 do local x = i * i end
		end
		function Sign:onLeaveTrigger() left = left + 1 end
		export("start", function()
			new "Sign" { name = "sign" }
			clientGroup:each()():setControlObject(new "Player" { dataBlock = find "Body", name = "body" })
		end)`}, nil, "m")
	p.server.scripts.Runtime.LimitsVar().Ticking = 200_000
	require.Empty(t, p.server.line(`import("m").start()`))
	w := p.server.host.World()
	sign, body := w.FindName("sign"), sim.Handle(w.FindName("body").Ident().ID())
	for range 100 {
		for range 5 {
			w.Emit(sign, "onCollision", body)
		}
		w.Emit(sign, "onCollision")
		w.Emit(sign, "onLeaveTrigger", body)
		p.run(engine.TickTime)
	}
	p.in(t, "m", `assert(light == 100, light) assert(heavy > 150 and heavy < 250, heavy)`)
	p.run(5 * time.Second)
	p.in(t, "m", fmt.Sprintf(`assert(heavy < %d, heavy) assert(left == 100, left)`, 250+script.MaxPostponed))
}

// TestManyRefusedCommandsEndAConnection checks that only lasting violations do: a mod of another
// version that sends a wrong command in every tick does not.
func TestManyRefusedCommandsEndAConnection(t *testing.T) {
	mod := map[string]string{"m/server/init.lua": `
		allowCommand("Move", { args = { "int" }, rate = 10 })
		function serverCmd.Move() end`}
	for _, c := range []struct {
		perTick int
		ends    bool
	}{{1, false}, {2, true}} {
		p := join(t, mod, nil, "m")
		require.Empty(t, p.client.line(fmt.Sprintf(`function onTick() for i = 1, %d do commandToServer("Move", "x") end end
			function GameConnection.onConnectionDropped(c, why) echo(why) end`, c.perTick)))
		p.run(100 * time.Second)
		assert.Equal(t, c.ends, p.client.host.Server() == nil)
		assert.Equal(t, c.ends, strings.Contains(strings.Join(p.client.out, "\n"), "too many of your commands were refused"), p.client.out)
	}
}

// withoutSuspensions fails if a handler is suspended.
func (h *half) withoutSuspensions(t *testing.T) {
	t.Helper()
	for _, m := range h.scripts.Runtime.Mods {
		assert.Empty(t, m.SuspendedHandlers())
		assert.Empty(t, m.Suspended())
	}
}

// TestNoClientTakesTheLimitOfAll lets 1, 32 and 250 clients take as many timers and threads as they
// get. Another client still gets some, and so does the mod.
func TestNoClientTakesTheLimitOfAll(t *testing.T) {
	for _, clients := range []int{1, 32, 250} {
		h := newHalf(t, 1, true, files(map[string]string{"m/server/init.lua": `
			function timers(n) for i = 1, n do schedule(60000, print) end return true end
			function threads(n) for i = 1, n do spawn(wait, 60000) end return true end
			local function answer(ok, why) return ok or why end
			export("timers", function(n) return answer(pcall(timers, n)) end)
			export("threads", function(n) return answer(pcall(threads, n)) end)`})).load("m")
		take := func(peer vm.Peer, what string, n int) string {
			defer h.scripts.Runtime.SetPeer(h.scripts.Runtime.SetPeer(peer))
			return h.line(fmt.Sprintf(`import("m").%s(%d)`, what, n))
		}
		for _, of := range []struct {
			what, text string
			part, all  int
		}{
			{"threads", "unfinished coroutines", 250, 1000},
			{"timers", "timers", 1024, 4096},
		} {
			full := fmt.Sprintf("the clients of a mod can have at most %d %s, one client %d", of.all, of.text, of.part)
			for peer := range vm.Peer(clients) {
				assert.Contains(t, take(100+peer, of.what, of.part+1), full)
			}
			assert.Equal(t, "true", take(1, of.what, 2), "%d clients, %s", clients, of.what)
			assert.Equal(t, "true", take(0, of.what, 200), "%d clients, %s", clients, of.what)
		}
	}
}
