package engine

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/event"
)

// The slowest and the fastest pace of a server that is not paused, in percent. A client has at most
// 30 unacknowledged moves. At the fastest pace they last for 240 ms of real time.
const (
	minPace = 10
	maxPace = 400
)

// A Pace says how fast game time passes on a host.
type Pace struct {
	host   *Host
	paused bool // this server is paused
	told   int  // what clients know, in percent
}

// Pause stops the simulation of a server, or lets it go on. While it is paused, Tick only keeps the
// connections alive: no object moves, no timer runs, and no script is called. Events of clients
// wait in their inboxes, and joins are refused. The clients are told, and stop too.
//
// Any code on the goroutine that owns the host can call Pause, also code that a Tick or a Send has
// called. Such a Tick continues when it gets the goroutine back. Until then the owner can call
// Receive, Tick and Send as usual.
func (p *Pace) Pause(on bool) {
	if p.paused == on {
		return
	}
	p.paused = on
	p.host.cfg.Log.Info("pause", "on", on, "tick", p.host.tick)
	p.tell()
}

// Paused reports whether the simulation stands still, on a client because its server is paused.
func (p *Pace) Paused() bool { return p.percent() == 0 }

// TimeScale returns how much game time passes per real time, 0.1…4. 0 is paused.
func (p *Pace) TimeScale() float64 { return float64(p.percent()) / 100 }

// TickLength returns the real time from one tick to the next. While the host is paused, Tick is
// called at the normal rate.
func (p *Pace) TickLength() time.Duration {
	if p.Paused() {
		return TickTime
	}
	return TickTime * 100 / time.Duration(p.percent())
}

// percent returns TimeScale in percent. A client has the pace of its server.
func (p *Pace) percent() int {
	h := p.host
	switch {
	case p.paused:
		return 0
	case h.cfg.Server:
		return int(math.Round(100 * h.Settings.TimeScale))
	}
	if c := h.Server(); c != nil {
		return c.Server.pace
	}
	return 100
}

// tell tells the pace to all clients.
func (p *Pace) tell() {
	if now := p.percent(); now != p.told {
		p.told = now
		for _, c := range p.host.conns {
			p.tellTo(c)
		}
	}
}

// tellTo tells the pace to a client.
func (p *Pace) tellTo(c *Connection) {
	if c.inbound && !c.spectator { // spectators are behind
		c.post(&paceChange{p.told}, commands)
	}
}

// paceChange tells a client that game time has a percentage of its normal speed. 0 is a pause.
type paceChange struct{ percent int }

func (e *paceChange) KindID() event.KindID { return paceID }

func (e *paceChange) Serialize(s *event.Codec) { s.Int(&e.percent, 0, maxPace) }

func (e *paceChange) Process(n *netcore.Conn) error { return owner(n).inbox.add(e) }

// run sets the pace of the server on the client side. A pace between 0 and the slowest one is the
// slowest.
func (e *paceChange) run(c *Connection) {
	if c.Server.pace = e.percent; e.percent > 0 {
		c.Server.pace = max(e.percent, minPace)
	}
}

// Idle is Tick while a script stands still, perhaps in the middle of one: connections live on, end,
// and are made, and nothing moves.
func (h *Host) Idle(now netcore.Time) {
	h.now = now
	h.endpoint.Tick(now)
}

// ticksIn returns how many ticks pass in a real time.
func (p *Pace) ticksIn(d time.Duration) float64 { return float64(d) / float64(p.TickLength()) }

// tickAfter returns the tick at the end of a real time that begins now.
func (p *Pace) tickAfter(d time.Duration) uint64 {
	return p.host.tick + uint64(math.Ceil(p.ticksIn(d)))
}

// command is `pause`.
func (p *Pace) command(args []string) (string, error) {
	h := p.host
	switch {
	case !h.cfg.Server:
		return "", errors.New("only a server can be paused")
	case h.Drain.on:
		return "", errors.New("the server drains, and its game goes on until it ends (drain off gives that up)")
	case len(args) == 0:
		p.Pause(!p.paused)
	case len(args) == 1 && (args[0] == "on" || args[0] == "off"):
		p.Pause(args[0] == "on")
	default:
		return "", errors.New("usage: pause [on|off]")
	}
	if p.paused {
		return fmt.Sprintf("paused at tick %d", h.tick), nil
	}
	return fmt.Sprintf("running from tick %d", h.tick), nil
}
