package script_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/script"
)

// listener is a mod that hears of other servers.
const listener = `
	said = {}
	function onFleetChange(s, joined) said[#said + 1] = s.name .. " " .. tostring(joined) .. " " .. s.players end
	export("heard", function() local text = table.concat(said, "; ") said = {} return text end)
`

// listeners makes a server with a mod a that hears of other servers. Another mod is slow.
func listeners(t *testing.T) *half {
	h := newHalf(t, 1, true, files(map[string]string{
		"slow/server/init.lua": `function onFleetChange() for i = 1, 5000 do end end`,
		"a/server/init.lua":    listener,
	})).load("slow", "a")
	h.scripts.Runtime.LimitsVar().Ticking /= 10
	return h
}

// heard returns what a mod has heard in this tick.
func (h *half) heard(mod string) (list []string) {
	h.t.Helper()
	h.ticks(1)
	text, err := strconv.Unquote(h.line(`import("` + mod + `").heard()`))
	assert.NoError(h.t, err)
	if text == "" {
		return nil
	}
	return strings.Split(text, "; ")
}

// TestServersThatComeAtOnce: a mod hears of 16 servers in a tick, in the order in which they came,
// also if another mod is slow. It hears of each one.
func TestServersThatComeAtOnce(t *testing.T) {
	for _, servers := range testenv.Crowds {
		h := listeners(t)
		for i := range servers {
			h.scripts.FleetChanged(script.FleetServer{Name: fmt.Sprint("arena-", i), Players: i}, script.Joined)
		}
		for i := 0; i < servers; {
			list := h.heard("a")
			assert.Len(t, list, min(16, servers-i), "%d servers", servers)
			for _, text := range list {
				assert.Equal(t, fmt.Sprintf("arena-%d true %d", i, i), text)
				i++
			}
			if len(list) == 0 {
				break
			}
		}
		assert.Empty(t, h.heard("a"))
		assert.Empty(t, h.log)
	}
}

// TestNewestStateOfAServer: of the changes of a server that wait, the mod hears of the newest.
func TestNewestStateOfAServer(t *testing.T) {
	h := listeners(t)
	tell := func(name string, how script.FleetChange, players int) {
		h.scripts.FleetChanged(script.FleetServer{Name: name, Players: players}, how)
	}
	tell("comes", script.Joined, 1)
	tell("passes", script.Joined, 2)
	tell("leaves", script.Changed, 3)
	tell("returns", script.Left, 4)
	tell("changes", script.Changed, 5)
	tell("comes", script.Changed, 6)
	tell("passes", script.Changed, 7)
	tell("passes", script.Left, 8)
	tell("leaves", script.Left, 9)
	tell("returns", script.Joined, 10)
	tell("changes", script.Changed, 11)
	assert.Equal(t, []string{"comes true 6", "leaves false 9", "returns nil 10", "changes nil 11"}, h.heard("a"))
	tell("passes", script.Joined, 12)
	assert.Equal(t, []string{"passes true 12"}, h.heard("a"))
}

// TestUnloadedModHearsNothing: what waits for a mod goes with it.
func TestUnloadedModHearsNothing(t *testing.T) {
	h := listeners(t)
	for i := range 20 {
		h.scripts.FleetChanged(script.FleetServer{Name: fmt.Sprint("arena-", i)}, script.Joined)
	}
	h.heard("a")
	h.line("mod.disable a")
	h.ticks(2)
	h.line("mod.enable a")
	assert.Empty(t, h.heard("a"))
}
