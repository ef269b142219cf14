package bench

import (
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
)

// linePlayer is a client in a match over a simulated link, with its measurements.
type linePlayer struct {
	*luaHost
	trip  time.Duration
	moves func(tick int, o sim.Object) sim.Move // its moves; nil: none yet

	force  forceDetector                              // measured on the server
	counts counts                                     // measured on the client
	begun  counts                                     // counts at the start of the measurement
	look   func(c *engine.Connection, corrected bool) // runs after a tick of a connected client; nil: nothing
	ticks  int                                        // ticks since then
	turn   int16                                      // yaw of this tick's move
}

// counts are events in a player's view.
type counts struct {
	corrections int // control states that differed from the prediction
	visible     int // corrections by more than 0.1 m
	forced      int // visible corrections after an outside force
	halts       int // ticks without a move
	null        int // moves that the server substituted because none arrived
	bytes       int // bytes sent to the client
}

// forceWindow is how long after a force, plus one round trip, corrections are attributed to it. It
// covers a checksum and the control state in reply, even if each is lost twice.
const forceWindow = 10 * engine.TickTime

func (p *linePlayer) Receive(now netcore.Time, from netcore.Addr, d []byte) {
	p.host.Receive(now, from, d)
}
func (p *linePlayer) Send(now netcore.Time, out func(netcore.Addr, []byte)) { p.host.Send(now, out) }

// Tick ticks the host and measures the result.
func (p *linePlayer) Tick(now netcore.Time) {
	p.ticks++
	p.turn = 0
	p.host.Tick(now)
	c := p.host.Server()
	if c == nil {
		return
	}
	if corrected := p.correct(now, &c.Control.Stats); p.look != nil {
		p.look(c, corrected)
	}
}

// move returns the player's move for this tick.
func (p *linePlayer) move(c *engine.Connection) (m sim.Move) {
	if p.moves != nil {
		m = p.moves(p.ticks, c.Control.Object())
	}
	p.turn = m.Yaw
	return m
}

// correct counts the corrections of a tick. It reports whether there was one.
func (p *linePlayer) correct(now netcore.Time, s *engine.ControlStats) bool {
	n, visible := s.Corrections, s.Visible
	s.Corrections, s.Visible = 0, 0
	p.counts.corrections += n
	p.counts.visible += visible
	if p.force.last > 0 && now-p.force.last <= p.trip+forceWindow {
		p.counts.forced += visible
	}
	return n > 0
}
