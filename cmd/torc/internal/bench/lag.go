package bench

import (
	"fmt"
	"slices"
	"time"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
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

// Round-trip times and packet loss of the table. The jitter is a tenth of the one-way delay.
var (
	lagTrips  = []time.Duration{0, 50 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond, 300 * time.Millisecond}
	lagLosses = []float64{0, 0.02, 0.05, 0.1, 0.2}
)

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

// lag replays recorded bots over every link, one match per mode. Then it drives vehicles over three
// links.
func lag(row time.Duration, emit func(Row)) error {
	clients := lagClients()
	tracks, err := record(len(clients), row)
	if err != nil {
		return err
	}
	for _, mode := range lagModes {
		for i := range clients {
			clients[i].name, clients[i].moves = mode.name, tracks[i].moves
		}
		if err := lagMatch(mode, clients, row, emit); err != nil {
			return fmt.Errorf("%s: %w", mode.name, err)
		}
	}
	return lagMatch(lagModes[0], driverClients(), row, emit)
}

// lagClients returns one client per link.
func lagClients() (clients []lagClient) {
	for _, trip := range lagTrips {
		for _, loss := range lagLosses {
			clients = append(clients, lagClient{link: lagLink{trip, loss}})
		}
	}
	return clients
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
		return !slices.ContainsFunc(m.players, func(p *lagPlayer) bool { return !m.plays(p) })
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
func (p *lagPlayer) row(s lagClient, long time.Duration) Row {
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
