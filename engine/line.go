package engine

import (
	"math"
	"time"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
)

// A peer that answers nothing for this long is interrupted. A server is slower to say so than a
// client, because its log is for others than the player.
const (
	interruptedAtClient = time.Second
	interruptedAtServer = 3 * time.Second
)

// A Line is the way of a connection to its peer: how good it is, and how much is sent on it. A bot
// has none, and reads zero.
type Line struct {
	conn *Connection

	from                netcore.Addr // of the connect request
	told                bool         // scripts of the client side know that the line is interrupted
	ownReceive, ownSend netcore.Rate // of SetReceiveRate and SetSendRate; zero for none
	silentSince         netcore.Time // when the line of a player was interrupted; 0 while it works
}

// Interrupted returns for how long the peer has answered nothing, or 0 while the line works. A line
// that is dead in one direction counts.
func (l *Line) Interrupted() time.Duration {
	c := l.conn
	if c.net == nil || c.ended {
		return 0
	}
	silent, limit := c.net.Unanswered(c.host.now), interruptedAtClient
	if c.inbound {
		silent, limit = max(silent, c.net.Silence(c.host.now)), interruptedAtServer
	}
	if silent < max(limit, 2*c.net.RTT()+limit/2) {
		return 0
	}
	return silent
}

// watchLines sends and tells what players see beside the world, and watches their lines.
func (l connections) watchLines() {
	for _, c := range l {
		switch {
		case c.moves == nil || c.ended:
		case c.inbound:
			c.Tints.send()
			c.Camera.request()
		default:
			c.Line.tell()
			c.Tints.tell()
		}
		if c.inbound && c.Join.connected && !c.bot {
			c.Line.watch()
		}
	}
}

// watch logs on a server when a player's line is interrupted, and when it works again. A client
// tells its scripts (tell).
func (l *Line) watch() {
	c := l.conn
	silent := l.Interrupted()
	switch {
	case silent > 0 && l.silentSince == 0:
		l.silentSince = c.host.now - silent
		c.logPeer("player interrupted", "player", c.PlayerName)
	case silent == 0 && l.silentSince > 0:
		l.silentSince = 0
		c.logPeer("player answers again", "player", c.PlayerName)
	}
}

// Addr returns the address of the peer, also while scripts decide about its connect request.
func (l *Line) Addr() netcore.Addr {
	if l.conn.net == nil {
		return l.from
	}
	return l.conn.net.Addr()
}

// Ping returns the smoothed round-trip time in milliseconds.
func (l *Line) Ping() int {
	if l.conn.net == nil {
		return 0
	}
	return int(l.conn.net.RTT().Milliseconds())
}

// Loss returns the recent packet loss of this side's packets, 0…1.
func (l *Line) Loss() float64 {
	if l.conn.net == nil {
		return 0
	}
	return l.conn.net.Loss()
}

// SetReceiveRate changes this side's receive rate for this connection, whatever net.rate and
// net.size say. The zero Rate hands it back to them. The next packet announces it to the peer.
func (l *Line) SetReceiveRate(r netcore.Rate) {
	if l.conn.net != nil {
		l.conn.host.world.OnCommit(func() { l.ownReceive = r; l.apply() })
	}
}

// SetSendRate changes the highest send rate to this peer. sv.maxRate and sv.maxSize hold as well,
// and alone after the zero Rate.
func (l *Line) SetSendRate(r netcore.Rate) {
	if l.conn.net != nil {
		l.conn.host.world.OnCommit(func() { l.ownSend = r; l.apply() })
	}
}

// apply passes the rates of the settings and of this connection to the protocol.
func (l *Line) apply() {
	c := l.conn
	if c.net == nil {
		return
	}
	s := &c.host.Settings
	receive, send := netcore.Rate{Packets: s.Rate, Size: s.Size}, s.maxSend()
	if l.ownReceive != (netcore.Rate{}) {
		receive = l.ownReceive
	}
	if l.ownSend != (netcore.Rate{}) {
		send = send.Min(l.ownSend)
	}
	c.net.SetReceiveRate(receive)
	c.net.SetMaxSend(send)
}

// SendRate returns the current send rate.
func (l *Line) SendRate() netcore.Rate {
	if l.conn.net == nil {
		return netcore.Rate{}
	}
	return l.conn.net.SendRate()
}

// SetLink simulates a worse link in both directions, for tests and demonstrations
// (setSimulatedNetParams).
func (l *Line) SetLink(p netcore.LinkParams) {
	c := l.conn
	if c.net != nil {
		c.host.world.OnCommit(func() { c.net.SetLink(p) })
	}
}

// lag returns the age of the peer's view in ticks.
func (l *Line) lag() int {
	c := l.conn
	if c.net == nil {
		return 0
	}
	return int(c.host.Pace.ticksIn(c.net.RTT()) + 0.5)
}

// packetInterval returns the interval of the peer's packets in ticks.
func (l *Line) packetInterval() int {
	return int(math.Ceil(l.conn.host.Pace.ticksIn(time.Second) / l.conn.net.ReceiveRate().Packets))
}

// reorderTicks returns how many ticks packets of the peer wait for reordered ones.
func (l *Line) reorderTicks() int { return int(l.conn.host.Pace.ticksIn(l.conn.net.Hold())) }

// Measured returns what is known of the line: ping, pingLeast and pingVariation in milliseconds,
// packetLoss 0…1, and lineRate, the rate that the congestion control allows, in bits per second.
func (l *Line) Measured() map[string]float64 {
	c := l.conn
	if c.net == nil {
		return nil
	}
	ms := func(t netcore.Time) float64 { return float64(t.Milliseconds()) }
	return map[string]float64{"ping": ms(c.net.RTT()), "pingLeast": ms(c.net.LeastRTT()), "pingVariation": ms(c.net.RTTVariation()), "packetLoss": l.Loss(), "lineRate": c.net.LineRate()}
}

// tell tells scripts of a client that the line is interrupted, or works again.
func (l *Line) tell() {
	if on := l.Interrupted() > 0; on != l.told {
		l.told = on
		l.conn.host.scripts.ConnectionEvent(l.conn, "setLagIcon", sim.Bool(on))
	}
}
