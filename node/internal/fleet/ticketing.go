package fleet

import (
	"cmp"
	"errors"
	"maps"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/tape"
)

// ticketing makes and opens the tickets of a server.
type ticketing struct {
	service *Service
	table   *seal.TicketTable
	warned  map[string]time.Time // by the name of a peer: the last warning about its tickets
}

// warnEvery is the time between two warnings about the tickets of a peer.
const warnEvery = 10 * time.Second

// Tickets returns what makes and opens tickets. A server without peers and without a fleet
// opens none.
func (s *Service) Tickets() tape.Tickets {
	t := &ticketing{service: s, table: seal.NewTicketTable(s.core.From.Began), warned: map[string]time.Time{}}
	own := tape.Tickets{Seal: t.seal}
	if len(s.opts.Peers) > 0 || s.joined() {
		own.Open = t.open
	}
	return own
}

func (t *ticketing) seal(to, client seal.Key, data []byte) ([]byte, error) {
	c := t.service.core
	return t.service.opts.Own.SealTicket(c.From.Entropy, to, client, c.From.Date(), data)
}

// open opens a ticket, and says when it was issued. The key of the sender must be that of a peer or
// of a server of the fleet, which costs nothing to ask, before anything is computed.
func (t *ticketing) open(ticket []byte, client seal.Key) (is tape.Opened, err error) {
	is.Now = t.service.core.From.Date()
	sender, ok := seal.TicketSender(ticket)
	if !ok {
		return is, seal.ErrTicketForged
	}
	from := cmp.Or(t.service.NameOf(sender), t.service.presence.lately(sender))
	if from == "" {
		t.warn("", is, seal.ErrTicketUnknown, "key", sender.String())
		return is, seal.ErrTicketUnknown
	}
	text, err := t.service.opts.Own.OpenTicket(ticket, client)
	if err == nil {
		is.Issued = text.Issued
		err = t.table.Use(text, is.Now)
	}
	if err != nil {
		t.warn(from, is, err, "peer", from)
		return is, err
	}
	is.Arrival = engine.Arrival{From: from, Data: text.Data}
	return is, nil
}

// warn logs why a ticket does not count. If that is because of a clock, the log has both clocks.
func (t *ticketing) warn(from string, is tape.Opened, why error, who ...any) {
	maps.DeleteFunc(t.warned, func(_ string, told time.Time) bool { return is.Now.Sub(told).Abs() >= warnEvery })
	if _, told := t.warned[from]; told {
		return
	}
	t.warned[from] = is.Now
	if errors.Is(why, seal.ErrTicketLate) || errors.Is(why, seal.ErrTicketEarly) || errors.Is(why, seal.ErrTicketOld) {
		who = append(who, "issued by the clock of "+from, is.Issued.UTC().Format(clockLayout), "clock of this server", is.Now.UTC().Format(clockLayout))
	}
	t.service.core.Log.Warn("a ticket does not count: "+why.Error(), who...)
}

// clockLayout is the form of times of clocks in the log.
const clockLayout = "2006-01-02T15:04:05.000Z"
