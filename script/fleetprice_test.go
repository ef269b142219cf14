package script_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/script"
)

// loneFleet is a fleet of one server that knows the way to others.
type loneFleet struct{}

func (loneFleet) Name() string                                { return "hub" }
func (loneFleet) Servers() []script.FleetServer               { return []script.FleetServer{{Name: "hub"}} }
func (loneFleet) Target(string) (engine.TransferOrder, error) { return engine.TransferOrder{}, nil }
func (loneFleet) BeginTick()                                  {}

// TestRefusedDataIsPaid: a mod pays for the data of a transfer, and for its own fleet.own, also if
// they are too large and nothing is sent.
func TestRefusedDataIsPaid(t *testing.T) {
	h := newHalfWith(t, 1, true, nil, func(s *script.Setup) { s.Fleet = loneFleet{} }, files(map[string]string{
		"m/mod.toml": "name = \"m\"\nversion = \"1.0.0\"\npermissions = [\"transfer\"]\n",
		"m/server/init.lua": `
			large, many = {}, {}
			for i = 1, 16385 do large[i] = i end
			for i = 1, 10000 do many[i] = i end
			export("run", function(code) return eval(code) end)
		`,
	})).load("m")
	h.line("mod.grant m transfer")
	_, err := h.host.AddBot("Bob")
	require.NoError(t, err)
	h.ticks(1)
	spent := func(code string) int64 {
		before := h.instructions()
		h.in(code)
		return h.instructions() - before
	}
	const transfer = `for c in clientGroup:each() do c:transfer("arena", %s) end`
	alone := spent(fmt.Sprintf(transfer, "1"))
	for value, why := range map[string]string{"large": "more than 16384 table entries", "many": "at most 2048 bytes, not"} { // any order
		code := fmt.Sprintf(transfer, value)
		assert.Contains(t, h.in(code), why)
		assert.Greater(t, spent(code), alone+16000, value)
	}
	h.in(`fleet.own = {1}`)
	alone = spent(`fleet.servers()`)
	for _, value := range []string{"large", "many"} {
		h.in(`fleet.own = ` + value)
		assert.Greater(t, spent(`fleet.servers()`), alone+16000, value)
	}
}
