package netcore

import (
	"encoding/binary"
	"errors"

	"github.com/torc-engine/torc/internal/rate"
	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/seal"
)

// Route is how the packets of a client find their connection at the server, whatever address they
// come from. The server draws it and gives it to the client inside the seal: with the verdict, and
// again after each migration. Packets of the server carry no id, because its address is fixed.
//
// A packet of the client has one of two heads:
//
//	F0h | the lowest 16 bits of the id     the usual one. No two ids of a server have the same
//	C0h | the whole id, 64 bits            while the server does not answer
//
// Anybody can guess 16 bits. So a packet with the short head from an address that is not the
// client's must open before anything else happens, and an address can try that only so often. The
// whole id proves that the sender has seen it. So a server without that connection answers it, and
// only it, with a reset.
type Route struct {
	ID    uint64          // the connection id: random, not 0. Every packet of the client names it
	Reset seal.ResetToken // proves a stateless reset that names no other connection
}

var errRoute = errors.New("connection id 0")

// serialize is the wire form of a route, 192 bits.
func (r *Route) serialize(s *bitstream.Codec) {
	s.Bits(&r.ID, 64)
	for i := range r.Reset {
		b := uint64(r.Reset[i])
		s.Bits(&b, 8)
		r.Reset[i] = byte(b)
	}
	if r.ID == 0 {
		s.Fail(errRoute)
	}
}

// The lengths of the heads of a client's packets.
const (
	routeBytes = 1 + 8
	shortBytes = 1 + 2
)

// maxRoutes is the most connection ids of an endpoint: half of those with different lowest bits, so
// that a free one is soon drawn. A connection has up to two.
const maxRoutes = 1 << 15

// The limits of packets with a short head that come from no address of their connection, and that
// do not open: together about 1 % of a core.
var (
	guessesByAddress = rate.Limit{PerSecond: 32, Burst: 32}
	allGuesses       = rate.Limit{PerSecond: 5000, Burst: 1000}
)

// appendRoute begins a packet of a client that names the whole id.
func appendRoute(b []byte, id uint64) []byte {
	return binary.LittleEndian.AppendUint64(append(b, packetRouted), id)
}

// appendShortRoute begins a packet of a client that names the lowest bits of the id.
func appendShortRoute(b []byte, id uint64) []byte {
	return binary.LittleEndian.AppendUint16(append(b, packetShort), uint16(id))
}

// parseRoute splits a packet of a client after its connection id. With a short head, id has only
// the lowest bits.
func parseRoute(b []byte) (id uint64, packet []byte, ok bool) {
	switch {
	case len(b) >= routeBytes+clearBytes+tagBytes && b[0] == packetRouted:
		return binary.LittleEndian.Uint64(b[1:]), b[routeBytes:], true
	case len(b) >= shortBytes+clearBytes+tagBytes && b[0] == packetShort:
		return uint64(binary.LittleEndian.Uint16(b[1:])), b[shortBytes:], true
	}
	return 0, nil, false
}

// routed returns the connection that a packet of a client names, with its id and the rest of the
// packet. s is nil if this endpoint does not have it; id is then the one in the packet.
func (e *Endpoint) routed(b []byte) (s *connEntry, id uint64, packet []byte, ok bool) {
	id, packet, ok = parseRoute(b)
	s = e.byID[uint16(id)]
	if !ok || s == nil {
		return nil, id, packet, ok
	}
	for _, has := range s.routes {
		if has == id || b[0] == packetShort && has != 0 && uint16(has) == uint16(id) {
			return s, has, packet, true
		}
	}
	return nil, id, packet, true
}

// newRoute draws a route whose lowest bits no connection of this endpoint has.
func (e *Endpoint) newRoute() (r Route) {
	for r.ID == 0 || e.byID[uint16(r.ID)] != nil {
		r.ID = e.seed()
	}
	r.Reset = e.tokens.Token(r.ID)
	return r
}

// addRoute gives a connection a route. The newest two are valid: packets with the one before can
// still be under way.
func (e *Endpoint) addRoute(s *connEntry, r Route) {
	e.removeRoute(s, 0)
	s.routes[0], s.routes[1] = s.routes[1], r.ID
	e.byID[uint16(r.ID)] = s
}

// removeRoute removes the i-th route of a connection.
func (e *Endpoint) removeRoute(s *connEntry, i int) {
	if id := s.routes[i]; id != 0 {
		delete(e.byID, uint16(id))
		s.routes[i] = 0
	}
}

// handleRouted handles a packet of a client: it belongs to the connection that it names.
func (e *Endpoint) handleRouted(at Time, from Addr, b []byte) {
	s, id, packet, _ := e.routed(b)
	s.conn.receiveRouted(at, from, id, packet, len(b))
}

// guessed reports whether a packet with a short head can be a guess, and so changes nothing: it
// comes from no address of its connection, and it does not open. Only the first packet from a new
// address of a client opens twice.
func (e *Endpoint) guessed(now Time, from Addr, c *Conn, packet []byte) bool {
	if from == c.cfg.Addr || from == c.candidate.to {
		return false
	}
	own := guessesByAddress
	if e.limits.Exempt(from) {
		own = allGuesses
	}
	if !e.guesses.Admit(now, from, own, allGuesses) || !c.opens(packet) {
		return true
	}
	e.guesses.Return(now, from)
	return false
}

// routeAnnouncement is the part of the rate section that gives the client its next route.
type routeAnnouncement struct {
	announcement
	next Route
	used bool // the peer uses the newest route
}

// announceRoute gives the client another route.
func (c *Conn) announceRoute(r Route) {
	c.rates.route = routeAnnouncement{announcement: announcement{pending: true}, next: r}
}

// readRoute reads a route from the server.
func (c *Conn) readRoute(r *bitstream.Reader) error {
	var next Route
	next.serialize(&r.Codec)
	switch {
	case r.Err() != nil:
	case c.cfg.Route.ID == 0:
		return Violationf("a connection id for a side whose packets name none")
	default:
		c.useRoute(next)
	}
	return nil
}

// useRoute makes the packets of this side name another route. Only resets of that one are valid
// then.
func (c *Conn) useRoute(r Route) { c.cfg.Route = r }

// usesRoute notes that the peer uses a route.
func (c *Conn) usesRoute(id uint64) {
	if r := &c.rates.route; r.next.ID == id {
		r.used = true
	}
}
