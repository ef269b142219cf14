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
)

// knock lets the client try to connect. It returns the server's answer, or "in".
func (p *pair) knock() string {
	p.client.line(`function GameConnection.onConnectFailed(address, reason) echo(reason) end`)
	require.Empty(p.client.t, p.client.line(`connect "x:1"`))
	p.run(2 * time.Second)
	if p.client.host.Server() != nil {
		return "in"
	}
	return strings.Join(p.client.out, "\n")
}

func TestGatesFailClosed(t *testing.T) {
	const failed = "the mod m cannot check connect requests at the moment: try again later"
	for name, c := range map[string]struct{ gate, want, why string }{
		"accepts": {`return nil`, "in", ""},
		"refuses": {`return "members only"`, "members only", ""},
		"fails":   {`error "no list"`, failed, "mods/m/server/init.lua:1: no list"},
		"spins":   {`while true do end`, failed, "the budget of"},
		"hoards":  {`local t = {} for i = 1, 1e9 do t[i] = i end`, failed, "the budget of"},
	} {
		t.Run(name, func(t *testing.T) {
			p := apart(t, map[string]string{"m/server/init.lua": `function GameConnection.onConnectRequest() ` + c.gate + ` end`}, "m")
			assert.Equal(t, c.want, p.knock())
			assert.Contains(t, strings.Join(p.server.log, "\n"), c.why)
			lines := strings.Count(strings.Join(p.server.log, "\n"), "connect request refused: the mod m cannot check it")
			assert.Equal(t, map[bool]int{true: 1}[c.want == failed], lines)
		})
	}
}

func TestSuspendedGatesRefuse(t *testing.T) {
	p := apart(t, map[string]string{"m/server/init.lua": `function GameConnection.onConnectRequest() return nil end`}, "m")
	p.server.scripts.Runtime.Mod("m").Suspend("a test")
	assert.Contains(t, p.knock(), "try again later")
	p.run(10 * time.Second)
	assert.Equal(t, "in", p.knock(), "the suspension has ended")
}

func TestGatesHaveABudgetForEachTick(t *testing.T) {
	p := join(t, map[string]string{"m/server/init.lua": `
		function GameConnection.onConnectRequest() for i = 1, 150000 do local x = i * i end end`}, nil, "m")
	c := p.server.host.Connections()[0]
	checked := 0
	for p.server.scripts.Hooks().CanCheck() {
		assert.Empty(t, p.server.scripts.Hooks().ConnectRequest(c, nil))
		checked++
	}
	assert.Greater(t, checked, 1)
	assert.Less(t, checked, 10)
	p.run(100 * time.Millisecond)
	assert.True(t, p.server.scripts.Hooks().CanCheck(), "a new tick has a new budget")
}

// crowded scripts have no budget for gates in some ticks.
type crowded struct {
	engine.Scripts
	ticks int
}

func (s *crowded) CanCheck() bool {
	s.ticks--
	return s.ticks < 0 && s.Scripts.CanCheck()
}

// knockInCrowd lets the client try to connect while gates have no budget left in so many ticks.
func knockInCrowd(t *testing.T, ticks int) (answer string) {
	p := apart(t, nil, "base")
	p.server.host.SetScripts(&crowded{p.server.scripts.Hooks(), ticks})
	answer = p.knock()
	p.run(time.Second)
	if p.client.host.Server() != nil {
		return "in"
	}
	return answer + strings.Join(p.client.out, "\n")
}

// TestJoinsWaitForGates: requests wait for the budget of the gates for at most two seconds.
func TestJoinsWaitForGates(t *testing.T) {
	assert.Equal(t, "in", knockInCrowd(t, 40))
	assert.Contains(t, knockInCrowd(t, 1000), "the server checks too many connect requests at the moment: try again")
}

func TestChatFiltersFailClosed(t *testing.T) {
	p := join(t, map[string]string{"m/server/init.lua": `function onChat(client, text) if text == "bad" then error "no" end end`}, nil, "m")
	say := func(text string) []string {
		p.client.line(`commandToServer("MessageSent", "` + text + `")`)
		p.run(300 * time.Millisecond)
		return p.client.out
	}
	refused := []string{"Your line was not sent: the mod m cannot check it at the moment."}
	assert.Equal(t, []string{"Dood: hello"}, say("hello"))
	assert.Equal(t, refused, say("bad"))
	assert.Equal(t, []string{"Dood: hello"}, say("hello"))
	p.server.scripts.Runtime.Mod("m").Suspend("a test")
	assert.Equal(t, refused, say("hello"))
}

// TestOneClientSuspendsNothing checks that the faults that a client causes stop only its own
// commands.
func TestOneClientSuspendsNothing(t *testing.T) {
	p := join(t, map[string]string{"m/server/init.lua": `
		function serverCmd.Weigh(client, x) echo(client.name, x.mass) end
		allowCommand("Named", { args = { "string" } })
		function serverCmd.Named(client, x) echo("named", x) end`}, nil, "m")
	other := newHalf(t, 3, false).load()
	p.addClient(other, 3)
	for n := range 8 {
		p.client.line(fmt.Sprintf(`commandToServer("Weigh", %d) commandToServer("Named", tag "x")`, n))
		p.run(100 * time.Millisecond)
		require.Empty(t, p.server.out)
	}
	assert.Equal(t, 2, p.server.scripts.Runtime.FaultsOf("m")[0].Count, "the second fault begins a pause")
	assert.Empty(t, p.server.scripts.Runtime.Mod("m").SuspendedHandlers())
	other.line(`commandToServer("Weigh", vec(1, 2, 3))`)
	p.run(100 * time.Millisecond)
	assert.Equal(t, 3, p.server.scripts.Runtime.FaultsOf("m")[0].Count, "the handler runs for another client")
	p.run(2 * time.Second)
	p.client.line(`commandToServer("Weigh", 1)`)
	p.run(100 * time.Millisecond)
	assert.Equal(t, 4, p.server.scripts.Runtime.FaultsOf("m")[0].Count, "the pause is over")
}

// TestEventsAreBookedToTheirCause checks who pays for a fault in an event of an object.
func TestEventsAreBookedToTheirCause(t *testing.T) {
	for name, c := range map[string]struct {
		object, event, args string
		suspended           bool
	}{
		"nobody's":                   {"sign", "onCollision", "nil", true},
		"an object that a player is": {"body", "onCollision", "nil", false},
		"what a player runs into":    {"sign", "onCollision", "body", false},
		"damage without a source":    {"body", "onDamage", "nil", true},
		"damage by a player":         {"sign", "onDamage", "body", false},
	} {
		t.Run(name, func(t *testing.T) {
			p := join(t, map[string]string{"m/server/init.lua": `
				datablock "PlayerData" "Body" {}
				Sign = class "Sign" { inherit = "Marker" }
				for _, of in ipairs { Sign, find "Body" } do
					function of:onCollision() error "planned" end
					function of:onDamage() error "planned" end
				end
				export("start", function()
					new "Sign" { name = "sign" }
					clientGroup:at(1):setControlObject(new "Player" { dataBlock = find "Body", name = "body" })
				end)`}, nil, "m")
			p.server.line(`import("m").start()`)
			w := p.server.host.World()
			arg := sim.Nil()
			if o := w.FindName(c.args); o != nil {
				arg = sim.Handle(o.Ident().ID())
			}
			for range 6 {
				w.Emit(w.FindName(c.object), c.event, arg)
				p.run(100 * time.Millisecond)
			}
			require.NotEmpty(t, p.server.scripts.Runtime.FaultsOf("m"))
			assert.Equal(t, c.suspended, len(p.server.scripts.Runtime.Mod("m").SuspendedHandlers()) > 0)
		})
	}
}
