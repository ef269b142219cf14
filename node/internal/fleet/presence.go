package fleet

import (
	"reflect"
	"slices"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// presence is the other servers of the fleet that live, as far as this one has heard.
type presence struct {
	service *Service
	list    []bus.Server // by name; a replay has the same one
	byKey   map[seal.Key]*bus.Server
	names   map[string]bool
	gone    map[seal.Key]leaver // servers that are gone, for the tickets on their way; never iterated
	warned  map[string]bool     // names of servers that were left out

	// The rest is in front of the tape.
	heard    []bus.Server // the newest list of the bus, as it came
	changed  bool         // it is to be looked at
	told     netcore.Time // when the last list went through the tape
	settles  netcore.Time // until then servers that are missing still count
	settling bool
	lost     bool // the line
}

// A leaver is a server that is gone.
type leaver struct {
	name  string
	until netcore.Time // its tickets count until then
}

const (
	// tellEvery is the time between two lists at least: somebody who comes and goes in a loop fills
	// no journal.
	tellEvery = 200 * time.Millisecond
	// leaveTime is how long the tickets of a server count that is gone: that of a ticket.
	leaveTime = 30 * time.Second
)

// admits keeps a list of the bus for later. It never passes on at once.
func (p *presence) admits(n *bus.Servers) bool {
	p.heard, p.changed = n.List, true
	return false
}

// line notes what the line is like. When it comes back, servers that are missing count for a while:
// the list of a fleet that was away is empty until all servers have told it that they live.
func (p *presence) line(up bool) {
	if up && p.lost {
		p.settles, p.settling = p.service.core.Now()+bus.GoneAfter, true
	}
	p.lost = !up
}

// due returns the news of a changed list, nil for none.
func (p *presence) due(now netcore.Time) *bus.News {
	if p.settling && now >= p.settles {
		p.settling, p.changed = false, true
	}
	if !p.changed || p.told > 0 && now < p.told+tellEvery {
		return nil
	}
	p.changed, p.told = false, now
	list := p.heard
	if p.settling {
		list = append(slices.Clone(list), p.list...) // of two with a name, the first counts
	}
	list = p.clean(list)
	if reflect.DeepEqual(list, p.list) {
		return nil
	}
	return &bus.News{Servers: &bus.Servers{List: list}}
}

// take takes over a list, in the server and in its replay.
func (p *presence) take(list []bus.Server) {
	now := p.service.core.Now()
	before := p.list
	p.list, p.byKey = list, map[seal.Key]*bus.Server{}
	p.names = map[string]bool{}
	for i := range list {
		p.names[list[i].Name] = true
		p.byKey[list[i].Key] = &list[i]
		delete(p.gone, list[i].Key)
	}
	for i := range before {
		if s := &before[i]; p.byKey[s.Key] == nil {
			p.leaves(s, now)
		}
	}
	p.service.merge()
}

// leaves notes a server that is gone. Those whose time is over make room.
func (p *presence) leaves(s *bus.Server, now netcore.Time) {
	for k, l := range p.gone { // any order: all that are over go
		if now >= l.until {
			delete(p.gone, k)
		}
	}
	if len(p.gone) < maxServers {
		p.gone[s.Key] = leaver{s.Name, now + leaveTime}
	}
}

// keyed returns the server with a key, nil if there is none.
func (p *presence) keyed(key seal.Key) *bus.Server { return p.byKey[key] }

// has reports whether a server with a name lives.
func (p *presence) has(name string) bool { return p.names[name] }

// lately returns the name of a server that has just gone, "" if none has the key.
func (p *presence) lately(key seal.Key) string {
	if l, is := p.gone[key]; is && p.service.core.Now() < l.until {
		return l.name
	}
	return ""
}
