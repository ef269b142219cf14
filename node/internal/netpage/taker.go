package netpage

import (
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node/internal/pulse"
	"github.com/torc-engine/torc/script"
)

// The bounds of a snapshot.
const (
	maxConnections = 512
	maxRows        = 2048
	maxEvents      = 20
)

// A Taker fills snapshots. Call it on the goroutine that owns the host.
type Taker struct {
	Host    *engine.Host
	Scripts *script.Scripts
	Pulse   *pulse.Pulse
	Phases  *pulse.Phases
	Version string
	Now     func() time.Duration // since the start of the server
	Clock   func() time.Duration // measures the snapshots

	took    time.Duration // by the newest snapshot
	classes map[*sim.Class]int
}

// Take fills s. The phases of the loop are measured from the first call on.
func (t *Taker) Take(w Want, s *Snapshot) {
	began := t.Clock()
	t.Phases.Look()
	h := t.Host
	*s = Snapshot{
		Tick: h.TickNumber(), Time: t.Now().Milliseconds(), TickMs: engine.TickMs,
		Clients: Clients{List: s.Clients.List[:0], Bots: s.Clients.Bots[:0]},
		Map:     Map{Classes: s.Map.Classes[:0]},
		Rows:    s.Rows[:0],
	}
	if s.Clients.List == nil { // the page needs lists
		s.Clients, s.Map.Classes = Clients{List: []Client{}, Bots: []Bot{}}, []string{}
	}
	s.Server = Server{Name: console.Clean(h.Admission.Name), Version: t.Version, Objects: h.World().Len(), TakeUs: t.took.Microseconds()}
	s.Server.Memory, s.Server.Heap = pulse.Memory()
	t.loop(&s.Loop)
	chosen := t.clients(w.Client, &s.Clients)
	t.takeMap(chosen, s)
	if w.Details {
		s.Details = t.details(chosen)
	}
	t.took = t.Clock() - began
}

// loop fills the times of the loop.
func (t *Taker) loop(l *Loop) {
	p := t.Pulse
	*l = Loop{
		Ticks: p.Ticks, Late: p.Late, Skipped: p.Skipped, BusyUs: p.Busy.Microseconds(), MaxUs: p.Newest(16).Microseconds(),
		Phases: pulse.PhaseNames[:], Looked: t.Phases.Ticks,
	}
	for _, took := range t.Phases.Time {
		l.PhaseUs = append(l.PhaseUs, took.Microseconds())
	}
}

// clients fills the connections. It returns the one with an id, or else the first.
func (t *Taker) clients(id sim.ID, to *Clients) (chosen *engine.Connection) {
	for _, c := range t.Host.Connections() {
		switch {
		case c.Bot():
			if len(to.Bots) < maxConnections {
				to.Bots = append(to.Bots, Bot{console.Clean(c.PlayerName), controlled(c)})
			}
			continue
		case !c.Inbound() || c.Net() == nil:
			continue
		case c.ID() == id || chosen == nil:
			chosen = c
		}
		if len(to.List) == maxConnections {
			to.Omitted++
			continue
		}
		to.List = append(to.List, t.client(c))
	}
	return chosen
}

// controlled returns the id of the control object of a connection; 0 without one.
func controlled(c *engine.Connection) uint32 {
	if o := c.Control.Object(); o != nil {
		return uint32(o.Ident().ID())
	}
	return 0
}

// client returns the numbers of a connection.
func (t *Taker) client(c *engine.Connection) Client {
	n := c.Net()
	stats, rate, control := n.Stats(), n.SendRate(), &c.Control.Stats
	return Client{
		ID: uint32(c.ID()), Name: console.Clean(c.PlayerName), Address: c.Address(), Way: wayOf(n.Addr()), Phase: phaseOf(c), Object: controlled(c),
		OutBytes: stats.SentBytes, OutPackets: stats.Sent, InBytes: stats.ReceivedBytes, InPackets: stats.Received,
		Lost: stats.Dropped, Loss: n.Loss(), RTT: ms(n.RTT()), LeastRTT: ms(n.LeastRTT()), Jitter: ms(n.RTTVariation()),
		Rate: rate.Packets, Size: n.PacketSize(), Line: int(n.LineRate()), InFlight: n.InFlight(),
		Events: c.Events().Queued(), Moves: c.Control.Waiting(), Waiting: c.Ghosts().Waiting(), Ghosts: c.Ghosts().Len(),
		MovesDone: control.Moves, NullMoves: control.Null, Mismatches: control.Mismatches, Interrupted: c.Line.Interrupted().Milliseconds(),
	}
}

// ms returns a duration in ms, to a tenth.
func ms(d time.Duration) float64 { return float64(d.Round(100*time.Microsecond).Microseconds()) / 1000 }

// phaseOf returns what a client does.
func phaseOf(c *engine.Connection) string {
	if c.Spectator() {
		return "watching"
	}
	return c.Join.Phase().String()
}

// wayOf returns how the datagrams of a peer travel.
func wayOf(a netcore.Addr) string {
	switch a.Kind {
	case netcore.AddrWeb:
		return "web"
	case netcore.AddrLocal:
		return "local"
	}
	return "udp"
}
