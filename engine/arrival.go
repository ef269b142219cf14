package engine

import (
	"errors"
	"time"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
)

// arrivalTime is how long a player whom another server has sent is safe in the game. A client that
// never says that it plays here counts as arrived then. It is counted in ticks.
const arrivalTime = 20 * time.Second

// An Arrival is what the ticket of another server says about a player whom it has sent.
type Arrival struct {
	From string // the name of the other server at this one
	Data []byte // of its mods
}

// arrival is the arrival of a connection.
type arrival struct {
	Arrival
	here  bool   // the player plays here, and scripts know
	said  bool   // the client has said so
	until uint64 // the tick from which on it counts as here; 0: it was not in the game yet
}

// Arrival returns what the ticket said with which the player of a connection has come, or nil.
func (c *Connection) Arrival() *Arrival {
	if c.rare == nil || c.rare.arrival == nil {
		return nil
	}
	return &c.rare.arrival.Arrival
}

// arriving returns the arrival of a player who still plays at another server, or nil.
func (c *Connection) arriving() *arrival {
	if c.rare == nil || c.rare.arrival == nil || c.rare.arrival.here {
		return nil
	}
	return c.rare.arrival
}

// Arriving reports whether the player of a connection still plays at the server that sends it. Its
// moves count for nothing then, and nothing harms its control object (sim.World.Spares).
func (c *Connection) Arriving() bool { return c.arriving() != nil }

// checkTicket opens the ticket of a connect request. It returns what the ticket says, or why the
// request is refused.
func (q *joinRequests) checkTicket(r *netcore.ConnectRequest) (a *Arrival, refuse string) {
	open := q.host.cfg.OpenTicket
	if open == nil || !q.host.Admission.Transfers {
		return nil, errNoTickets.Error()
	}
	is, err := open(r.Ticket, r.Key)
	if err != nil {
		return nil, err.Error()
	}
	return &is, ""
}

var errNoTickets = errors.New("this server takes no players from other servers")

// arrive notes that the client of a connection says that it plays here now. Only a player whom
// another server has sent can say so.
func (c *Connection) arrive() {
	if a := c.arriving(); a != nil {
		a.said = true
	}
}

// arrivals are the arrivals of a server.
type arrivals struct {
	host  *Host
	count int // players who still play at the servers that send them, about
}

// watch tells scripts which players have arrived.
func (s *arrivals) watch() {
	if s.count == 0 {
		return
	}
	s.count = 0
	h := s.host
	for _, c := range h.conns {
		a := c.arriving()
		if a == nil {
			continue
		}
		if c.Join.phase == PhaseGame && a.until == 0 {
			a.until = h.Pace.tickAfter(arrivalTime)
		}
		if a.until == 0 || !a.said && h.tick < a.until {
			s.count++
			continue
		}
		a.here = true
		h.scripts.Arrived(c)
	}
}

// spares reports whether nothing harms an object: the control object of a player who still plays at
// another server.
func (s *arrivals) spares(o sim.Object) bool {
	if s.count == 0 {
		return false
	}
	c := s.host.Connection(o.Ident().Controller())
	return c != nil && c.Arriving()
}
