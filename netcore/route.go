package netcore

import (
	"encoding/binary"
	"errors"

	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/seal"
)

// Route is how the packets of a client find their connection at the server, whatever address they
// come from. The server draws it and gives it to the client inside the seal: with the verdict, and
// again after each migration. Packets of the server carry no id, because its address is fixed.
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

// routeBytes is the length of the head of a client's packet: packetRouted and the connection id.
const routeBytes = 1 + 8

// appendRoute begins a packet of a client.
func appendRoute(b []byte, id uint64) []byte {
	return binary.LittleEndian.AppendUint64(append(b, packetRouted), id)
}

// parseRoute splits a packet of a client after its connection id.
func parseRoute(b []byte) (id uint64, packet []byte, ok bool) {
	if len(b) < routeBytes+clearBytes+tagBytes || b[0] != packetRouted {
		return 0, nil, false
	}
	return binary.LittleEndian.Uint64(b[1:]), b[routeBytes:], true
}

// newRoute draws a route that no connection of this endpoint has.
func (e *Endpoint) newRoute() (r Route) {
	for r.ID == 0 || e.byID[r.ID] != nil {
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
	e.byID[r.ID] = s
}

// removeRoute removes the i-th route of a connection.
func (e *Endpoint) removeRoute(s *connEntry, i int) {
	if id := s.routes[i]; id != 0 {
		delete(e.byID, id)
		s.routes[i] = 0
	}
}

// handleRouted handles a packet of a client: it belongs to the connection that it names.
func (e *Endpoint) handleRouted(at Time, from Addr, b []byte) {
	id, packet, _ := parseRoute(b)
	e.byID[id].conn.receiveRouted(at, from, id, packet)
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
