package tape

import (
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/journal"
)

// Tickets make and open the tickets of players who go to other servers, and come from them.
type Tickets struct {
	Seal func(to, client seal.Key, data []byte) ([]byte, error)
	Open func(ticket []byte, client seal.Key) (Opened, error) // nil: the server takes nobody
}

// Opened is what a ticket says, and by which clocks it counts. A journal has it, and has no key to
// a ticket.
type Opened struct {
	engine.Arrival
	Issued time.Time // by the clock of the other server; zero of a ticket that cannot be opened
	Now    time.Time // by the clock of this one
}

// Config sets how a host makes and opens tickets.
func (t Tickets) Config(cfg *engine.Config) {
	cfg.SealTicket = t.Seal
	if t.Open == nil {
		return
	}
	cfg.OpenTicket = func(ticket []byte, client seal.Key) (engine.Arrival, error) {
		is, err := t.Open(ticket, client)
		return is.Arrival, err
	}
}

// Tickets records the sealed tickets, and what the opened ones say.
func (r *Recorder) Tickets(own Tickets) Tickets {
	t := Tickets{Seal: func(to, client seal.Key, data []byte) ([]byte, error) {
		ticket, err := own.Seal(to, client, data)
		r.write(journal.Entry{Kind: journal.Sealed, Name: text(err), Data: ticket})
		return ticket, err
	}}
	if own.Open != nil {
		t.Open = func(ticket []byte, client seal.Key) (Opened, error) {
			is, err := own.Open(ticket, client)
			r.write(journal.Entry{Kind: journal.Arrival, Name: text(err), Data: encode(is)})
			return is, err
		}
	}
	return t
}

// Tickets returns the tickets of the journal.
func (p *Player) Tickets(Tickets) Tickets {
	t := Tickets{Seal: func(seal.Key, seal.Key, []byte) ([]byte, error) {
		a := p.answer(journal.Sealed)
		return a.Data, textError(a.Name)
	}}
	if len(p.Config.Peers) > 0 || p.Config.Fleet != "" {
		t.Open = func([]byte, seal.Key) (is Opened, err error) {
			a := p.answer(journal.Arrival)
			p.decode(a.Data, &is)
			return is, textError(a.Name)
		}
	}
	return t
}

// Fleet begins the news of what the peers of a server said.
func (r *Recorder) Fleet(list any) {
	if r.begin() {
		r.write(journal.Entry{Kind: journal.Fleet, Data: encode(list)})
	}
}
