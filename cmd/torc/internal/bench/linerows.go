package bench

import (
	"fmt"
	"time"

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
	}
}

// noVehicles is Lua for a server. Getting into a vehicle is decided by the server, so it corrects the player.
const noVehicles = `for o in objects "StaticShape" do if o.dataBlock.name:find("Pad") then o:delete() end end for o in objects "Vehicle" do o:delete() end`

// movesRow has the requirements on the moves of a player. null is the number of NULL moves per minute.
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
