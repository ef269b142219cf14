package engine

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/event"
)

// The slowest and the fastest pace of a server that is not paused, in percent. A client has at most 30
// unacknowledged moves. At the fastest pace they last for 240 ms of real time.
const (
	minPace = 10
	maxPace = 400
)

// pausedText refuses a join while a server is paused.
const pausedText = "the server is paused: try again"

// Pause stops the simulation of a server, or lets it go on. While it is paused, Tick only keeps the
// connections alive: no object moves, no timer runs, and no script is called. Events of clients wait
// in their inboxes, and joins are refused. The clients are told, and stop too.
//
// Any code on the goroutine that owns the host can call Pause, also code that a Tick or a Send has called. Such
// a Tick continues when it gets the goroutine back. Until then the owner can call Receive, Tick and Send as usual.
func (h *Host) Pause(on bool) {
	if h.paused == on {
		return
	}
	h.paused = on
	h.cfg.Log.Info("pause", "on", on, "tick", h.tick)
	h.tellPace()
}

// Paused reports whether the simulation stands still, on a client because its server is paused.
func (h *Host) Paused() bool { return h.pace() == 0 }

// TimeScale returns how much game time passes per real time, 0.1…4. 0 is paused.
func (h *Host) TimeScale() float64 { return float64(h.pace()) / 100 }

// TickLength returns the real time from one tick to the next. While the host is paused, Tick is
// called at the normal rate.
func (h *Host) TickLength() time.Duration {
	if h.Paused() {
		return TickTime
	}
	return TickTime * 100 / time.Duration(h.pace())
}

// pace returns TimeScale in percent. A client has the pace of its server.
func (h *Host) pace() int {
	switch {
	case h.paused:
		return 0
	case h.cfg.Server:
		return int(math.Round(100 * h.Settings.TimeScale))
	}
	if c := h.Server(); c != nil {
		return c.Server.pace
	}
	return 100
}

// tellPace tells the pace to all clients.
func (h *Host) tellPace() {
	if p := h.pace(); p != h.toldPace {
		h.toldPace = p
		for _, c := range h.conns {
			h.tellPaceTo(c)
		}
	}
}

// tellPaceTo tells the pace to a client.
func (h *Host) tellPaceTo(c *Connection) {
	if c.inbound && !c.spectator { // spectators are behind
		c.post(&paceChange{h.toldPace}, commands)
	}
}

// paceChange tells a client that game time has a percentage of its normal speed. 0 is a pause.
type paceChange struct{ percent int }

func (e *paceChange) KindID() event.KindID { return paceID }

func (e *paceChange) Serialize(s *event.Codec) { s.Int(&e.percent, 0, maxPace) }

func (e *paceChange) Process(n *netcore.Conn) error { return owner(n).inbox.add(e) }

// run sets the pace of the server on the client side. A pace between 0 and the slowest one is the slowest.
func (e *paceChange) run(c *Connection) {
	if c.Server.pace = e.percent; e.percent > 0 {
		c.Server.pace = max(e.percent, minPace)
	}
}

// tickPaused is Tick while the host is paused. A client goes on reading, to learn of the end.
func (h *Host) tickPaused() {
	h.endpoint.Tick(h.now)
	if h.cfg.Server {
		return
	}
	h.scripts.BeginTick()
	h.watchDial()
	h.drain()
	h.world.Sweep()
}

// Idle is Tick while a script stands still, perhaps in the middle of one: connections live on, end, and are made, and nothing moves.
func (h *Host) Idle(now netcore.Time) {
	h.now = now
	h.endpoint.Tick(now)
}

// ticksIn returns how many ticks pass in a real time.
func (h *Host) ticksIn(d time.Duration) float64 { return float64(d) / float64(h.TickLength()) }

// pauseCommand is `pause`.
func (h *Host) pauseCommand(args []string) (string, error) {
	switch {
	case !h.cfg.Server:
		return "", errors.New("only a server can be paused")
	case len(args) == 0:
		h.Pause(!h.paused)
	case len(args) == 1 && (args[0] == "on" || args[0] == "off"):
		h.Pause(args[0] == "on")
	default:
		return "", errors.New("usage: pause [on|off]")
	}
	if h.paused {
		return fmt.Sprintf("paused at tick %d", h.tick), nil
	}
	return fmt.Sprintf("running from tick %d", h.tick), nil
}
