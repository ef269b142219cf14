package fleet

import (
	"cmp"
	"slices"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/query"
	"github.com/torc-engine/torc/script"
)

const (
	askEvery     = 5 * time.Second
	answerTime   = 4 * time.Second // for the answers of a round
	resolveEvery = time.Minute
)

// asking asks the peers for their numbers: all of them in one round, through the socket of the server.
type asking struct {
	service  *Service
	at       map[string][]netcore.Addr // of the names of peers; never iterated
	round    *query.Search             // nil: none is under way
	next     netcore.Time              // of the next round
	until    netcore.Time              // the end of this one
	resolves netcore.Time              // when the names of the peers are looked up again
}

func newAsking(s *Service) *asking { return &asking{service: s, at: map[string][]netcore.Addr{}} }

// step runs before each tick.
func (a *asking) step() {
	c := a.service.core
	now := c.Now()
	if now >= a.resolves {
		a.resolves = now + resolveEvery
		a.resolve()
	}
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

// resolve looks up the names of the peers.
func (a *asking) resolve() {
	for _, p := range a.service.opts.Peers {
		a.service.opts.Resolve(p.Address, func(to []netcore.Addr, err error) {
			if err == nil {
				a.at[p.Name] = to
			}
		})
	}
}

// begin begins a round, if the address of a peer is known.
func (a *asking) begin(now netcore.Time) {
	var targets []netcore.Addr
	for _, p := range a.service.opts.Peers {
		targets = append(targets, a.at[p.Name]...)
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

func (a *asking) receive(from netcore.Addr, b []byte) {
	if a.round != nil {
		a.round.Receive(a.service.core.Now(), from, b)
	}
}

// all reports whether every peer has answered.
func (a *asking) all(found []query.Found) bool {
	return !slices.ContainsFunc(a.service.opts.Peers, func(p Peer) bool { return a.answer(p, found) == nil })
}

// answer returns the answer of a peer, nil without one. An answer with another key is that of another
// server at the address.
func (a *asking) answer(p Peer, found []query.Found) *query.Found {
	for i := range found {
		f := &found[i]
		if f.Info.Key == p.Key && slices.ContainsFunc(f.Addrs, func(at netcore.Addr) bool { return slices.Contains(a.at[p.Name], at) }) {
			return f
		}
	}
	return nil
}

// list returns what mods see of the peers: those that have answered, by name, before the silent ones.
func (a *asking) list(found []query.Found) (list []script.FleetServer) {
	for _, p := range a.service.opts.Peers {
		s := unknown(p)
		if f := a.answer(p, found); f != nil {
			i := &f.Info
			s.Title, s.Mission, s.State = console.Clean(i.Name), console.Clean(i.Mission), stateOf(i.Draining)
			s.Players, s.Max = i.Players, i.MaxPlayers
			s.Free, s.Ping = max(i.MaxPlayers-i.Players-i.Bots, 0), int(f.RTT.Milliseconds())
		}
		list = append(list, s)
	}
	sortPeers(list)
	return list
}

// sortPeers brings peers into the order in which mods see them: by name, and the silent ones last.
func sortPeers(list []script.FleetServer) {
	slices.SortFunc(list, func(a, b script.FleetServer) int {
		return cmp.Or(cmp.Compare(silent(a), silent(b)), cmp.Compare(a.Name, b.Name))
	})
}

// silent is 1 for a server that does not answer.
func silent(s script.FleetServer) int {
	if s.State == stateUnknown {
		return 1
	}
	return 0
}
