package bench

import (
	"fmt"
	"slices"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
	"github.com/torc-engine/torc/netcore"
)

// lagPlayer is a client in a match over a simulated link, with its measurements.
type lagPlayer struct {
	*lagHost
	addr  netcore.Addr
	trip  time.Duration
	moves func(tick int, o sim.Object) sim.Move // its moves; nil: none yet

	force  forceDetector // measured on the server
	view   ownView       // measured on the client
	counts counts
	others otherPlayers
	begun  counts // counts at the start of the measurement
	ticks  int    // ticks since then
	turn   int16  // yaw of this tick's move
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

// join connects a new player to a match over a simulated link.
func (m *match) join(n uint16, line netcore.LinkParams, mode lagMode) (*lagPlayer, error) {
	s, err := newSide(n, false, m.protos, nil, "base")
	if err != nil {
		return nil, err
	}
	p := &lagPlayer{lagHost: s, addr: netcore.SimAddr(n), trip: 2 * (line.Delay + line.Jitter)}
	if err := s.say(fmt.Sprintf("net.profile = %q", mode.profile), fmt.Sprintf("net.moves = %q", mode.moves)); err != nil {
		return nil, err
	}
	s.host.SetMoves(p.move)
	m.net.Attach(p.addr, p)
	m.net.Link(p.addr, matchAt, line, line)
	m.players = append(m.players, p)
	return p, s.host.Connect("server:1", engine.ConnectArgs{Timeout: time.Minute})
}

// plays reports whether the player has a body. If so, the server starts to watch it.
func (m *match) plays(p *lagPlayer) bool {
	c := p.host.Server()
	if c == nil || c.Control.Object() == nil {
		return false
	}
	name := playerName(p.addr.Port)
	i := slices.IndexFunc(m.host.Connections(), func(c *engine.Connection) bool { return c.PlayerName == name })
	p.force.conn = m.host.Connections()[i]
	return true
}

// measure runs the match for the given time and counts each player's events.
func (m *match) measure(long time.Duration) {
	for _, p := range m.players {
		p.begun, p.ticks, p.view, p.others = m.counted(p), 0, ownView{}, otherPlayers{}
	}
	for end := m.net.Now() + long; m.net.Now() < end; {
		m.tick()
	}
	for _, p := range m.players {
		p.counts = m.counted(p)
	}
}

// counted returns the current counts of a player.
func (m *match) counted(p *lagPlayer) counts {
	c := p.counts
	c.halts, c.null = p.host.Server().Control.Stats.Halts, p.force.conn.Control.Stats.Null
	c.bytes = m.bytes[p.addr]
	return c
}

func (p *lagPlayer) Receive(now netcore.Time, from netcore.Addr, d []byte) {
	p.host.Receive(now, from, d)
}
func (p *lagPlayer) Send(now netcore.Time, out func(netcore.Addr, []byte)) { p.host.Send(now, out) }

// Tick ticks the host and measures the result.
func (p *lagPlayer) Tick(now netcore.Time) {
	p.ticks++
	p.turn = 0
	p.host.Tick(now)
	c := p.host.Server()
	if c == nil {
		return
	}
	body, _ := c.Control.Object().(sim.Interpolator)
	p.view.look(body, p.turn, p.correct(now, &c.Control.Stats))
	p.others.look(c, p.ticks)
}

// move returns the player's move for this tick.
func (p *lagPlayer) move(c *engine.Connection) (m sim.Move) {
	if p.moves != nil {
		m = p.moves(p.ticks, c.Control.Object())
	}
	p.turn = m.Yaw
	return m
}

// correct counts the corrections of a tick. It reports whether there was one.
func (p *lagPlayer) correct(now netcore.Time, s *engine.ControlStats) bool {
	n, visible := s.Corrections, s.Visible
	s.Corrections, s.Visible = 0, 0
	p.counts.corrections += n
	p.counts.visible += visible
	if p.force.last > 0 && now-p.force.last <= p.trip+forceWindow {
		p.counts.forced += visible
	}
	return n > 0
}

// otherPlayers counts the updates of visible other players.
type otherPlayers struct {
	since map[sim.ID]uint32 // update counts at the start of the window
	rates []float64         // updates per second of each player visible throughout a window
	fresh []float64         // per window: players with two updates per second or more
}

// window is the number of ticks over which updates are counted: four seconds.
const window = 125

// look counts the other players' updates at the end of a tick.
func (o *otherPlayers) look(c *engine.Connection, tick int) {
	if tick%window != 0 {
		return
	}
	since, fresh := map[sim.ID]uint32{}, 0
	c.PeerGhosts.Each(func(g sim.Object) bool {
		if _, is := g.(*game.Player); !is || g == c.Control.Object() {
			return true
		}
		n := c.PeerGhosts.UpdatesOf(g)
		if was, seen := o.since[g.Ident().ID()]; seen {
			rate := float64(n-was) / window / engine.TickTime.Seconds()
			if o.rates = append(o.rates, rate); rate >= 2 {
				fresh++
			}
		}
		since[g.Ident().ID()] = n
		return true
	})
	if o.since != nil {
		o.fresh = append(o.fresh, float64(fresh))
	}
	o.since = since
}
