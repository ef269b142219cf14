package tape

import (
	"net/netip"

	"github.com/torc-engine/torc/engine/journal"
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

func (n *recordedNetwork) Events() []sockets.Event {
	events := n.Network.Events()
	number := n.to.question(journal.Events)
	if len(events) > 0 {
		n.to.write(journal.Entry{Kind: journal.Events, Number: number, Data: encode(events)})
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
	if a, ok := n.from.numbered(journal.Events); ok {
		n.from.decode(a.Data, &events)
	}
	return events
}
