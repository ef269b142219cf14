package bench

import (
	"fmt"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
	"github.com/torc-engine/torc/netcore/netsim/line"
)

// hostRows returns the rows that need complete hosts at the ends of the line.
func hostRows() []line.Row {
	return []line.Row{
		movesRow("jitter 0 to 50 ms, moves", netcore.LinkParams{Delay: 50 * time.Millisecond, Jitter: 50 * time.Millisecond}, 1),
		movesRow("jitter 0 to 200 ms, moves", netcore.LinkParams{Delay: 50 * time.Millisecond, Jitter: 200 * time.Millisecond}, 6),
		movesRow("5% lost both ways, moves", netcore.LinkParams{Delay: 50 * time.Millisecond, Loss: .05}, 1),
		smallPackets,
		botsRow(60, 64_000),
		manyRow,
	}
}

// noVehicles is Lua for a server. The server decides who gets into a vehicle, so it corrects the
// player. A vehicle that the player has left stands elsewhere on the client until its next update,
// so a collision with it does too.
const noVehicles = `for o in objects "StaticShape" do if o.dataBlock.name:find("Pad") then o:delete() end end for o in objects "Vehicle" do o:delete() end`

// movesRow has the requirements on the moves of a player. null is the number of NULL moves per
// minute.
func movesRow(name string, way netcore.LinkParams, null float64) line.Row {
	required := fmt.Sprintf("per minute at most %g NULL moves, 1 visible correction; no halt", null)
	return line.Row{Name: name, Required: required, Measure: func(m line.Medium, seed uint64, long netcore.Time) (line.Result, error) {
		x, err := newLineMatch(m, seed, netsim.Direction{LinkParams: way}, noVehicles)
		if err != nil {
			return line.Result{}, err
		}
		x.Run(x.start + long)
		n := x.counted()
		minutes := max(x.minutes(), 1)
		return line.Result{
			Measured: fmt.Sprintf("%d NULL moves, %d corrections, %d visible, %d halts", n.null, n.corrections, n.visible, n.halts),
			Score:    max(line.AtMost(float64(n.null)/minutes, null), line.AtMost(float64(n.visible)/minutes, 1), line.Holds(n.halts == 0)),
		}, x.fault()
	}}
}

// botsRow shows a match of bots to a player who walks on a line with a rate in bits/s. Forces are
// hits, explosions and changes by the Lua of the server. A client cannot predict them.
func botsRow(bots int, rate float64) line.Row {
	const delay = 25 * time.Millisecond
	required := "no halt, RTT ≤ 1.5 × base, lost ≤ 1%, no visible correction without a force"
	return line.Row{Name: fmt.Sprintf("%g kbit/s, %d bots in view", rate/1000, bots), Required: required, Measure: func(m line.Medium, seed uint64, long netcore.Time) (line.Result, error) {
		way := netsim.Direction{Rate: rate, Queue: 100 * time.Millisecond, LinkParams: netcore.LinkParams{Delay: delay}}
		x, err := newLineMatch(m, seed, way, noVehicles, fmt.Sprintf(`for i = 1, %d do addBot("B" .. i) end`, bots))
		if err != nil {
			return line.Result{}, err
		}
		before, server := m.Down(0), x.player.force.conn.Net()
		var rtt, highest, base, steps netcore.Time
		for m.Now() < x.start+long {
			m.Run(m.Now() + engine.TickTime)
			size := float64(server.PacketSize() + netsim.HeaderBytes)
			rtt, base, steps = rtt+server.RTT(), base+2*delay+netcore.Time(size*8/rate*1e9), steps+1
			highest = max(highest, server.RTT())
		}
		rtt, base = rtt/steps, base/steps
		n, after := x.counted(), m.Down(0)
		lost := float64(after.Dropped-before.Dropped) / float64(after.Dropped-before.Dropped+after.Delivered-before.Delivered)
		used := float64(after.DeliveredBytes-before.DeliveredBytes) * 8 / rate / (m.Now() - x.start).Seconds()
		return line.Result{
			Measured: fmt.Sprintf("%d halts, RTT %v of %v, highest %v, lost %.2f%%, used %.0f%%, %d visible corrections, %d after a force",
				n.halts, rtt.Round(time.Millisecond), base.Round(time.Millisecond), highest.Round(time.Millisecond), 100*lost, 100*used, n.visible, n.forced),
			Score: max(line.Holds(n.halts == 0), line.AtMost(rtt, 3*base/2), line.AtMost(lost, .01), line.Holds(n.visible == n.forced)),
		}, x.fault()
	}}
}
