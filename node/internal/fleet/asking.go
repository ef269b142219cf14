package fleet

import (
	"slices"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/query"
	"github.com/torc-engine/torc/script"
)

const (
	askEvery     = 5 * time.Second
	answerTime   = 4 * time.Second // for the answers of a round
	resolveEvery = time.Minute
	// maxAddresses is how many addresses of a name are asked: each gets packets in each round.
	maxAddresses = 4
)

// asking asks the other servers for their numbers: all of them in one round, through the socket of
// this one.
type asking struct {
	service  *Service
	asked    []Peer                    // in this round
	at       map[string][]netcore.Addr // of their addresses as texts; never iterated
	round    *query.Search             // nil: none is under way
	next     netcore.Time              // of the next round
	until    netcore.Time              // the end of this one
	tried    map[string]bool           // addresses that were looked up
	resolves netcore.Time              // when all are looked up again
}

func newAsking(s *Service) *asking {
	return &asking{service: s, at: map[string][]netcore.Addr{}, tried: map[string]bool{}}
}

// step runs before each tick.
func (a *asking) step() {
	c := a.service.core
	now := c.Now()
	if a.round == nil && now >= a.next {
		a.begin(now)
	}
	if a.round == nil {
		return
	}
	a.round.Send(now, c.Loop.Send)
	if found := a.round.Found(); now >= a.until || a.all(found) {
		a.round = nil
		a.service.Tell(a.list(found))
	}
}

// begin begins a round, if the address of a server is known. Those in front count: the peers.
func (a *asking) begin(now netcore.Time) {
	a.asked = a.service.targets()
	a.asked = a.asked[:min(len(a.asked), MaxPeers)]
	a.resolve(now)
	var targets []netcore.Addr
	for _, p := range a.asked {
		targets = append(targets, a.at[p.Address]...)
	}
	if len(targets) == 0 {
		return
	}
	round, err := query.NewSearch(now, a.service.core.From.Entropy, targets...)
	if err != nil {
		return // without entropy nothing works
	}
	a.round, a.next = round, now+askEvery
	a.until = now + answerTime
}

// resolve looks up the addresses that are new, and now and then all of them.
func (a *asking) resolve(now netcore.Time) {
	again := now >= a.resolves
	if again {
		a.resolves = now + resolveEvery
		clear(a.tried)
	}
	for _, p := range a.asked {
		if a.tried[p.Address] {
			continue
		}
		a.tried[p.Address] = true
		a.service.opts.Resolve(p.Address, func(to []netcore.Addr, err error) {
			if err == nil {
				a.at[p.Address] = slices.Clone(to[:min(len(to), maxAddresses)]) // not all that a name server answers
			}
		})
	}
	if again {
		a.forget()
	}
}

// forget forgets the addresses of servers that are gone.
func (a *asking) forget() {
	for text := range a.at { // any order: all that are gone go
		if !slices.ContainsFunc(a.asked, func(p Peer) bool { return p.Address == text }) {
			delete(a.at, text)
		}
	}
}

func (a *asking) receive(from netcore.Addr, b []byte) {
	if a.round != nil {
		a.round.Receive(a.service.core.Now(), from, b)
	}
}

// all reports whether every server has answered.
func (a *asking) all(found []query.Found) bool {
	return !slices.ContainsFunc(a.asked, func(p Peer) bool { return a.answer(p, found) == nil })
}

// answer returns the answer of a server, nil without one. An answer with another key is that of
// another server at the address.
func (a *asking) answer(p Peer, found []query.Found) *query.Found {
	for i := range found {
		f := &found[i]
		if f.Info.Key == p.Key && slices.ContainsFunc(f.Addrs, func(at netcore.Addr) bool { return slices.Contains(a.at[p.Address], at) }) {
			return f
		}
	}
	return nil
}

// list returns what the servers have answered, as mods see it.
func (a *asking) list(found []query.Found) (list []script.FleetServer) {
	for _, p := range a.asked {
		if f := a.answer(p, found); f != nil {
			list = append(list, answeredServer(p, f))
		} else {
			list = append(list, unknown(p))
		}
	}
	sortPeers(list)
	return list
}
