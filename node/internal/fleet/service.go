package fleet

import (
	"cmp"
	"net/netip"
	"reflect"
	"slices"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
	"github.com/torc-engine/torc/script"
)

// Options say which other servers a server has.
type Options struct {
	Peers   []Peer
	Own     seal.KeyPair    // of this server
	Resolve engine.Resolver // finds the addresses of the peers; nil: they are not asked
	// Find returns the player with an id or a name.
	Find func(who string) (*engine.Connection, error)
	// Told begins the news that the numbers of the peers have changed, for a journal. The caller of
	// the result ends them.
	Told func(list []script.FleetServer) (done func())
	// Joins says how the server joins its fleet; nil: it has none.
	Joins *Joins
	// Addresses returns where the server is reached, after its start, and Reached the HOST:PORT of
	// such an address for other machines.
	Addresses func() core.Addresses
	Reached   func(netip.AddrPort) string
	// Heard begins news of the fleet, as Told does.
	Heard func(n *bus.News) (done func())
	// Machine returns a command whose outcome depends on the machine, for a journal.
	Machine func(console.Command) console.Command
	// Copy is the file with the copy of what the fleet keeps; nil: there is none. LoadCopy reads a
	// bucket of it through the tape; nil: the server is in no fleet.
	Copy     CopyFile
	LoadCopy func(name string) (map[string][]byte, error)
	// Lists are those of this server; nil: the lists of the fleet do not count.
	Lists Lists
}

// A Service is the fleet of a server. It implements script.Fleet.
type Service struct {
	core.Passive
	core    *core.Core
	opts    Options
	asks    *asking              // nil: nobody is asked
	answers []script.FleetServer // to the last queries
	known   []script.FleetServer // the other servers, as mods see them
	peers   map[seal.Key]bool    // those of the options

	bus      bus.Bus // nil: the server is in no fleet, or this is a replay
	up       bool    // the line to the fleet
	sync     string  // as in bus.Line
	present  netcore.Time
	presence presence
	handlers handlers
	admit    func(*bus.Message) bool // bounds messages in front of the tape; nil: all count
	talk     *talk
	due      []func()          // for the next tick
	wrong    map[string]string // what is wrong with fleet.own, by mod
	values   *values           // nil: the server is in no fleet
	lists    *lists            // nil: the server is in no fleet, or has no lists
	saving   *saving           // nil: there is no copy
}

// New returns the fleet of a server.
func New(c *core.Core, opts Options) (*Service, error) {
	if err := check(opts.Peers, opts.Own.Public); err != nil {
		return nil, err
	}
	if err := opts.Joins.check(opts.Peers); err != nil {
		return nil, err
	}
	s := &Service{core: c, opts: opts, peers: map[seal.Key]bool{}, wrong: map[string]string{}, handlers: handlers{values: map[bus.Bucket]valueHandler{}, ended: map[uint64]func(*bus.Outcome){}}}
	s.presence = presence{service: s, gone: map[seal.Key]leaver{}, warned: map[string]bool{}}
	for _, p := range opts.Peers {
		s.known, s.peers[p.Key] = append(s.known, unknown(p)), true
	}
	sortPeers(s.known)
	if s.joined() {
		s.values = newValues(s)
	}
	if s.joined() && opts.Lists != nil {
		s.lists = newLists(s)
	}
	if s.joined() && opts.Copy != nil {
		s.saving = &saving{values: s.values, lists: s.lists, file: opts.Copy}
	}
	return s, nil
}

// Start joins the fleet, and begins to ask the other servers, through the socket of this one.
func (s *Service) Start(c *core.Core) error {
	if (len(s.opts.Peers) > 0 || s.joined()) && (c.Loop.Socket != nil || c.Loop.Out != nil) && s.opts.Resolve != nil {
		s.asks = newAsking(s)
		s.core.Before(s.asks.step)
	}
	return s.join()
}

// Answered handles the answer of a peer to a query. It reports whether this server asks anybody.
func (s *Service) Answered(from netcore.Addr, b []byte) bool {
	if s.asks == nil {
		return false
	}
	s.asks.receive(from, b)
	return true
}

// Name returns the name of this server in its fleet, "" without one.
func (s *Service) Name() string {
	if s.joined() {
		return s.opts.Joins.Name
	}
	return ""
}

// Servers returns this server, then the others: those that live by name, then the silent ones.
func (s *Service) Servers() []script.FleetServer {
	h := s.core.Side.Host
	numbers := h.Summary()
	own := script.FleetServer{
		Name: s.Name(), Title: h.Admission.Name, Mission: s.core.Side.Scripts.Mission(), State: stateOf(numbers.Draining),
		Players: numbers.Players, Max: numbers.MaxPlayers, Free: max(numbers.MaxPlayers-numbers.Players-numbers.Bots, 0),
	}
	return append([]script.FleetServer{own}, s.known...)
}

// Peer returns the order to go to a server with a name: a peer, or a server of the fleet.
func (s *Service) Peer(name string) (o engine.TransferOrder, known bool) {
	for _, p := range s.targets() {
		if p.Name == name {
			return engine.TransferOrder{Address: p.Address, Key: p.Key, Name: p.Name}, true
		}
	}
	return o, false
}

// Target returns the order to go to a server with a name, or to HOST:PORT#KEY. The name of the
// order is that of the server with the key, if there is one.
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

// NameOf returns the name of the server with a key: that of a peer, or that in the fleet; "" if
// there is none.
func (s *Service) NameOf(key seal.Key) string {
	if i := slices.IndexFunc(s.opts.Peers, func(p Peer) bool { return p.Key == key }); i >= 0 {
		return s.opts.Peers[i].Name
	}
	if p := s.presence.keyed(key); p != nil {
		return p.Name
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

// Tell takes over what the other servers have answered.
func (s *Service) Tell(list []script.FleetServer) {
	if reflect.DeepEqual(list, s.answers) {
		return
	}
	if s.opts.Told != nil {
		defer s.opts.Told(list)()
	}
	s.Take(list)
}

// Take is Tell of a replay.
func (s *Service) Take(list []script.FleetServer) {
	s.answers = list
	s.merge()
}

// lined takes over what the line to the fleet is like.
func (s *Service) lined(l *bus.Line) {
	s.sync = l.Sync
	changed := s.up != l.Up
	s.up = l.Up
	switch {
	case l.Warn != "":
		s.core.Log.Warn("fleet: " + console.Clean(l.Warn))
	case changed && l.Up:
		s.core.Log.Info("the line to the fleet is up")
	case changed:
		s.core.Log.Warn("the line to the fleet is down: the game goes on, and the list of servers is old")
	}
	if changed {
		s.merge()
	}
	for _, f := range s.handlers.line {
		f(l)
	}
}
