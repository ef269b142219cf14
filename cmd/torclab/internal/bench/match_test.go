package bench

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
)

// lagMode configures moves and control states.
type lagMode struct {
	name    string
	control string // net.control of the server
	moves   string // net.moves of the clients
	profile string // net.profile of the clients
}

var lagModes = []lagMode{
	{"mismatch", "mismatch", "auto", "lan"},
	{"always", "always", "auto", "lan"},
	{"window", "mismatch", "0", "lan"}, // each move is sent until it is acknowledged, as in 1998
	{"modem", "mismatch", "5", "modem"},
}

type lagLink struct {
	trip time.Duration
	loss float64 // in each direction
}

func (l lagLink) String() string { return fmt.Sprintf("%d ms %g%%", l.trip.Milliseconds(), 100*l.loss) }

func (l lagLink) line() netcore.LinkParams {
	return netcore.LinkParams{Delay: l.trip / 2, Jitter: l.trip / 20, Loss: l.loss}
}

// A lagClient is a player of a match: its link and its moves.
type lagClient struct {
	name  string
	link  lagLink
	moves func(tick int, o sim.Object) sim.Move
	drive string // datablock of the vehicle to drive; "" plays on foot
}

// lagMatch runs a match and emits a row for every player.
func lagMatch(mode lagMode, clients []lagClient, long time.Duration, emit func(Row)) error {
	m, err := newMatch()
	if err != nil {
		return err
	}
	if err := m.say(fmt.Sprintf("net.control = %q", mode.control)); err != nil {
		return err
	}
	for i, s := range clients {
		p, err := m.join(uint16(10+i), s.link.line(), mode)
		if err != nil {
			return err
		}
		p.moves = s.moves
		if s.drive != "" {
			if err := m.say(fmt.Sprintf(keepDrivingLua, playerName(p.addr.Port), s.drive)); err != nil {
				return err
			}
		}
	}
	err = m.until("all players play", func() bool {
		return !slices.ContainsFunc(m.players, func(p *viewPlayer) bool { return !m.plays(p) })
	})
	if err != nil {
		return err
	}
	m.measure(long)
	for i, p := range m.players {
		emit(p.row(clients[i], long))
	}
	return m.fault()
}

// row returns a player's figures over the given time.
func (p *viewPlayer) row(s lagClient, long time.Duration) Row {
	n, from, o := p.counts, p.begun, &p.others
	minute := func(n int) float64 { return float64(n) / long.Minutes() }
	slices.Sort(o.rates)
	slices.Sort(o.fresh)
	return Row{
		{"mode", s.name}, {"line", s.link.String()},
		{"view_ticks", p.view.latency},
		{"corrected_min", minute(n.corrections - from.corrections)},
		{"seen_min", minute(n.visible - n.forced - from.visible + from.forced)},
		{"forced_min", minute(n.forced - from.forced)},
		{"warp_m", p.view.warp},
		{"halts_min", minute(n.halts - from.halts)}, {"null_min", minute(n.null - from.null)},
		{"others_2hz", quantile(o.fresh, 0.5)}, {"others_hz", quantile(o.rates, 0.5)},
		{"bytes_s", float64(n.bytes-from.bytes) / long.Seconds()},
	}
}

// viewPlayer is a player of a match whose view is measured.
type viewPlayer struct {
	*linePlayer
	addr   netcore.Addr
	view   ownView
	others otherPlayers
}

// match is a server with a capture-the-flag match without end, and its clients.
type match struct {
	*luaHost
	net     *netsim.Network
	players []*viewPlayer
	bytes   map[netcore.Addr]int // sent to an address; never ranged over: map order is random
}

// newMatch returns a match without players.
func newMatch() (*match, error) {
	m := &match{net: netsim.New(1), bytes: map[netcore.Addr]int{}}
	var err error
	if m.luaHost, err = newSide(serverAt.Port, true, m.watch, "base", "ctf"); err != nil {
		return nil, err
	}
	m.net.Attach(matchAt, m.host)
	m.net.Watch = func(_ netcore.Time, _, to netcore.Addr, d []byte) { m.bytes[to] += len(d) }
	return m, m.say("ctf.warmup = 0", "ctf.timeLimit = 1440", "ctf.scoreLimit = 100")
}

// watch measures each player's body on the server after the steps that can change it.
func (m *match) watch(done engine.Step) {
	if done != engine.StepReceive && done != engine.StepMoves && done != engine.StepReplicate {
		return
	}
	for _, p := range m.players {
		p.force.look(m.net.Now(), done == engine.StepMoves)
	}
}

// tick runs one tick of the server and all clients.
func (m *match) tick() { m.net.Run(m.net.Now()+engine.TickTime, engine.TickTime) }

// until ticks until is returns true, at most one minute.
func (m *match) until(what string, is func() bool) error {
	for end := m.net.Now() + time.Minute; !is(); m.tick() {
		if m.net.Now() > end {
			return errors.Join(fmt.Errorf("timeout after 1 minute: %s", what), m.fault())
		}
	}
	return nil
}

// fault returns the script errors of the server and the clients.
func (m *match) fault() error {
	err := errors.Join(m.faults...)
	for _, p := range m.players {
		err = errors.Join(err, errors.Join(p.faults...))
	}
	return err
}

// join connects a new player to a match over a simulated link.
func (m *match) join(n uint16, line netcore.LinkParams, mode lagMode) (*viewPlayer, error) {
	s, err := newSide(n, false, nil, "base")
	if err != nil {
		return nil, err
	}
	p := &viewPlayer{linePlayer: &linePlayer{luaHost: s, trip: 2 * (line.Delay + line.Jitter)}, addr: netcore.SimAddr(n)}
	p.look = func(c *engine.Connection, corrected bool) {
		body, _ := c.Control.Object().(sim.Interpolator)
		p.view.look(body, p.turn, corrected)
		p.others.look(c, p.ticks)
	}
	if err := s.say(fmt.Sprintf("net.profile = %q", mode.profile), fmt.Sprintf("net.moves = %q", mode.moves)); err != nil {
		return nil, err
	}
	s.host.SetMoves(p.move)
	m.net.Attach(p.addr, p)
	m.net.Link(p.addr, matchAt, line, line)
	m.players = append(m.players, p)
	return p, s.host.Dialer.Connect("server:1", engine.ConnectArgs{Timeout: time.Minute})
}

// plays reports whether the player has a body. If so, the server starts to watch it.
func (m *match) plays(p *viewPlayer) bool {
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
func (m *match) counted(p *viewPlayer) counts {
	c := p.counts
	c.halts, c.null = p.host.Server().Control.Stats.Halts, p.force.conn.Control.Stats.Null
	c.bytes = m.bytes[p.addr]
	return c
}
