package fleet

import (
	"cmp"
	"slices"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/script"
)

// Options say which peers a server has.
type Options struct {
	Peers   []Peer
	Own     seal.KeyPair    // of this server
	Resolve engine.Resolver // finds the addresses of the peers; nil: they are not asked
	// Find returns the player with an id or a name.
	Find func(who string) (*engine.Connection, error)
	// Told begins the news that the numbers of the peers have changed, for a journal. The caller of the
	// result ends them.
	Told func(list []script.FleetServer) (done func())
}

// A Service is the fleet of a server. It implements script.Fleet.
type Service struct {
	core.Passive
	core  *core.Core
	opts  Options
	asks  *asking              // nil: nobody is asked
	known []script.FleetServer // what the peers said last
}

// New returns the fleet of a server.
func New(c *core.Core, opts Options) (*Service, error) {
	if err := check(opts.Peers, opts.Own.Public); err != nil {
		return nil, err
	}
	s := &Service{core: c, opts: opts}
	for _, p := range opts.Peers {
		s.known = append(s.known, unknown(p))
	}
	sortPeers(s.known)
	return s, nil
}

// Start begins to ask the peers, through the socket of the server.
func (s *Service) Start(c *core.Core) error {
	if len(s.opts.Peers) > 0 && (c.Loop.Socket != nil || c.Loop.Out != nil) && s.opts.Resolve != nil {
		s.asks = newAsking(s)
		s.core.Before(s.asks.step)
	}
	return nil
}

// Answered handles the answer of a peer to a query. It reports whether this server asks anybody.
func (s *Service) Answered(from netcore.Addr, b []byte) bool {
	if s.asks == nil {
		return false
	}
	s.asks.receive(from, b)
	return true
}

// Servers returns this server, then the peers: those that have answered by name, then the silent ones.
func (s *Service) Servers() []script.FleetServer {
	h := s.core.Side.Host
	numbers := h.Summary()
	own := script.FleetServer{
		Title: h.Admission.Name, Mission: s.core.Side.Scripts.Mission(), State: stateOf(numbers.Draining),
		Players: numbers.Players, Max: numbers.MaxPlayers, Free: max(numbers.MaxPlayers-numbers.Players-numbers.Bots, 0),
	}
	return append([]script.FleetServer{own}, s.known...)
}

// Peer returns the order to go to a peer.
func (s *Service) Peer(name string) (o engine.TransferOrder, known bool) {
	for _, p := range s.opts.Peers {
		if p.Name == name {
			return engine.TransferOrder{Address: p.Address, Key: p.Key, Name: p.Name}, true
		}
	}
	return o, false
}

// Target returns the order to go to a peer, or to HOST:PORT#KEY. The name of the order is that of the
// peer with the key, if there is one.
func (s *Service) Target(text string) (o engine.TransferOrder, err error) {
	if o, known := s.Peer(text); known {
		return o, nil
	}
	if o, err = ParseTarget(text); err != nil {
		return o, err
	}
	o.Name = cmp.Or(s.NameOf(o.Key), o.Name)
	return o, nil
}

// NameOf returns the name of the peer with a key, "" if there is none.
func (s *Service) NameOf(key seal.Key) string {
	if i := slices.IndexFunc(s.opts.Peers, func(p Peer) bool { return p.Key == key }); i >= 0 {
		return s.opts.Peers[i].Name
	}
	return ""
}

// The states of servers.
const (
	stateReady   = "ready"
	stateDrains  = "draining"
	stateUnknown = "unknown" // it does not answer
)

// stateOf returns the state of a server that answers.
func stateOf(draining bool) string {
	if draining {
		return stateDrains
	}
	return stateReady
}

// unknown returns a peer that has not answered.
func unknown(p Peer) script.FleetServer {
	return script.FleetServer{Name: p.Name, Address: p.Address, State: stateUnknown}
}

// Tell takes over what the peers have said.
func (s *Service) Tell(list []script.FleetServer) {
	if slices.Equal(list, s.known) {
		return
	}
	if s.opts.Told != nil {
		defer s.opts.Told(list)()
	}
	s.Take(list)
}

// Take is Tell of a replay.
func (s *Service) Take(list []script.FleetServer) { s.known = list }
