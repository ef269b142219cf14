package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/netsim"
)

// TestSlowLineKeepsThePlayerMoving gives a client on a line of 64 kbit/s more moving objects than
// the line can carry. The objects get less, the player's own moves do not.
func TestSlowLineKeepsThePlayerMoving(t *testing.T) {
	r := newRace(t, lag(50, 0))
	r.Net.Punctual = true
	line := netsim.NewBottleneck(64_000, 100*time.Millisecond)
	r.Net.Through(r.Server.Addr, r.Clients[0].Addr, line)
	r.nextMove = ahead
	var things []sim.Object
	for i := range 200 {
		things = append(things, newThing(t, r.Server.Host, fmt.Sprint("thing ", i)))
	}
	restless := func(n int) {
		for i := range n {
			for j, o := range things {
				set(t, o, "label", sim.String(fmt.Sprint(j, " at ", i)))
			}
			r.ticks(1)
		}
	}
	restless(150)
	before, halts := *line.Flow(r.Server.Addr), r.stats(0).Halts
	restless(600)
	after := *line.Flow(r.Server.Addr)
	seconds := (600 * engine.TickTime).Seconds()
	used := 8 * float64(after.DeliveredBytes-before.DeliveredBytes) / seconds / 64_000
	lost := float64(after.Dropped-before.Dropped) / float64(after.Delivered-before.Delivered)
	t.Logf("used %.3f, lost %.4f, ping %d ms, %d halts", used, lost, r.peer(0).Line.Ping(), r.stats(0).Halts-halts)
	assert.GreaterOrEqual(t, used, .9)
	assert.LessOrEqual(t, lost, .01)
	assert.LessOrEqual(t, r.peer(0).Line.Ping(), 137, "1.5 times 50 ms and a packet of 328 bytes")
	assert.Zero(t, r.stats(0).Halts-halts)
}
