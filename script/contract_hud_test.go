package script_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestTheHudOfAClient(t *testing.T) {
	h := newHalf(t, 2, false).load()
	h.steps(
		step{`hud`, ``},
		step{`setHud(3, "three") setHud(1, tag "one") setHud(16, 5)`, ``},
		step{`hud`, "1 one\n3 three\n16 5"},
		step{`setHud(3) setHud(1, "")`, ``},
		step{`hud`, "16 5"},
		step{`setHud(16, 5)`, ``},
		step{`setHud(2, "a\27[31m\nb")`, ``},
		step{`hud`, `2 a\x1b[31m\nb` + "\n16 5"},
		step{`setHud(17, "x")`, `error: console:1: setHud: argument 1 (line) must be 1…16, not 17`},
		step{`setHud(0, "x")`, `error: console:1: setHud: argument 1 (line) must be 1…16, not 0`},
		step{`setHud(0/0, "x")`, `error: console:1: setHud: argument 1 (line) must be an integer, not a number`},
		step{`setHud(1, {})`, `error: console:1: setHud: argument 2 (text) must be a string, not a table`},
		step{`setHud(1, vec(1, 2, 3))`, `error: console:1: setHud: argument 2 (text) must be a string, not a vec`},
		step{`setHud("x", "x")`, `~setHud: argument 1 (line) must be a number`},
	)
	assert.Equal(t, []string{"3 three", "1 one", "16 5", "3 ", "1 ", "2 a\\x1b[31m\nb"}, h.hud, "shown as it changes, and harmless")
	h.hud = nil
	h.line(`setHud(1, "x" .. ("é"):rep(200))`)
	assert.Equal(t, []string{"1 x" + strings.Repeat("é", 127)}, h.hud)
	newHalf(t, 1, true).load().steps(step{`setHud(1, "x")`, `error: console:1: setHud is available only on the client`})
}

func TestTheHudFromTheServer(t *testing.T) {
	p := join(t, map[string]string{"m/server/init.lua": `
		local base = import "base"
		export("show", function(...) base.hud(clientGroup:at(1), ...) end)
		export("all", function(...) base.hudAll(...) end)
		export("print", function(...) base.centerPrint(clientGroup:at(1), ...) base.bottomPrintAll(...) end)`}, nil, "m")
	p.server.line(`m = import "m" m.show(1, "%1 : %2", 3, "x") m.all(2, "100 % of %1")`)
	p.run(settle)
	p.client.steps(step{`hud`, "1 3 : x\n2 100 % of %1"})
	sent := p.client.host.Server().Commands.Stats.Commands
	p.server.line(`m.show(1, "%1 : %2", 3, "x") m.show(2, "100 % of %1") m.show(3, "")`)
	p.run(settle)
	assert.Equal(t, sent+1, p.client.host.Server().Commands.Stats.Commands, "what is there is not sent again")
	p.server.line(`m.show(1, nil) m.print("Flag taken by %1", 1, "Dood")`)
	p.run(settle)
	p.client.steps(step{`hud`, "2 100 % of %1\n15 Flag taken by Dood\n16 Flag taken by Dood"})
	p.run(500 * time.Millisecond)
	p.server.line(`m.print("again", 1)`)
	p.run(500 * time.Millisecond)
	p.client.steps(step{`hud`, "2 100 % of %1\n15 again\n16 again"})
	p.run(time.Second)
	p.client.steps(step{`hud`, "2 100 % of %1"})
	p.server.steps(
		step{`m.show(15, "x")`, `~hud: the line must be 1…14, not 15`},
		step{`m.show(0/0, "x")`, `~hud: the line must be 1…14, not nan`},
		step{`m.show("x", "x")`, `~hud: the line must be 1…14, not x`},
		step{`b = addBot "Fred" m.all(5, "for %1", "people")`, ``},
	)
	p.client.line(`disconnect "bye"`)
	p.run(settle)
	p.client.steps(step{`hud`, ``})
	assert.Empty(t, p.server.log)
	assert.Empty(t, p.client.log)
}

func TestKeysReachTheServer(t *testing.T) {
	p := join(t, map[string]string{"m/server/init.lua": `
		override(serverCmd, "Key", function(parent, client, name)
			if name == "use" then return echo(client.name, name) end
			parent()
		end)`}, nil, "m")
	p.client.line(`key use`)
	p.client.line(`key vote yes`)
	p.client.line(`key("slot1")`)
	p.run(settle)
	assert.Equal(t, []string{"Dood\tuse"}, p.server.out)
	for range 100 {
		p.client.line(`key use`)
	}
	p.run(settle)
	assert.Less(t, len(p.server.out), 30, "at a rate that people have")
	plain := join(t, nil, nil)
	plain.client.line(`key use`)
	plain.run(settle)
	assert.Zero(t, plain.server.host.Connections()[0].Commands.Stats.UnknownCommands, "who does not care about keys hears nothing of them")
}
