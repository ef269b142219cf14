package tape

import (
	"bytes"
	"encoding/json"
	"net/netip"

	"github.com/torc-engine/torc/node/internal/journal"
	"github.com/torc-engine/torc/script/sockets"
)

// Network returns a network that records its events.
func (r *Recorder) Network(own sockets.Network) sockets.Network {
	if own == nil {
		return nil
	}
	return &recordedNetwork{own, r}
}

type recordedNetwork struct {
	sockets.Network
	to *Recorder
}

// eventBytes ends an entry of events: the next event begins another one. A single event has less
// than 2 MiB.
const eventBytes = 1 << 20

func (n *recordedNetwork) Events() []sockets.Event {
	events := n.Network.Events()
	number := n.to.question(journal.Events)
	if len(events) == 0 {
		return events
	}
	list := []byte{'['}
	for i, e := range events {
		list = append(list, encode(e)...)
		if len(list) < eventBytes && i < len(events)-1 {
			list = append(list, ',')
			continue
		}
		n.to.write(journal.Entry{Kind: journal.Events, Number: number, Data: append(list, ']')})
		list = list[:1]
	}
	return events
}

// Network returns a network that has the events of the journal, and reaches nobody.
func (p *Player) Network(sockets.Network) sockets.Network {
	if !p.Config.Network {
		return nil
	}
	return playedNetwork{p}
}

type playedNetwork struct{ from *Player }

func (playedNetwork) HTTP(sockets.ID, sockets.HTTPRequest) {}
func (playedNetwork) Connect(sockets.ID, sockets.Target)   {}
func (playedNetwork) Listen(sockets.ID, netip.AddrPort)    {}
func (playedNetwork) Send(sockets.ID, []byte)              {}
func (playedNetwork) Credit(sockets.ID, int)               {}
func (playedNetwork) Close(sockets.ID, bool)               {}

func (n playedNetwork) Events() (events []sockets.Event) {
	for a, ok := n.from.numbered(journal.Events); ok; a, ok = n.from.more(journal.Events) {
		events = n.from.appendEvents(events, a.Data)
	}
	return events
}

// appendEvents appends the events of an entry.
func (p *Player) appendEvents(events []sockets.Event, b []byte) []sockets.Event {
	d := json.NewDecoder(bytes.NewReader(b))
	_, err := d.Token()
	for err == nil && d.More() {
		if len(events) == maxEvents {
			p.diverge("mods have more events than a server has")
			return events
		}
		events = append(events, sockets.Event{})
		err = d.Decode(&events[len(events)-1])
	}
	if err != nil {
		p.diverge("an answer is damaged: " + err.Error())
	}
	return events
}
