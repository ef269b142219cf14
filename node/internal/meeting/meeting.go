package meeting

import (
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/query"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/core"
)

// Options say how players find a server.
type Options struct {
	Listen     string                    // HOST:PORT of the UDP socket; "" opens none
	Rendezvous string                    // HOST:PORT of a rendezvous to register at; "" is none
	Own        seal.KeyPair              // of the server
	Resolve    engine.Resolver           // finds its addresses
	MapPort    func(c *core.Core) func() // asks the router to forward the port of the socket, and returns what ends that, nil for nothing; nil: nobody asked for it
}

// A Service is how players find a server: its socket, the answers to queries, and its registration
// at a rendezvous.
type Service struct {
	core.Passive
	core      *core.Core
	opts      Options
	answers   answers
	public    bool          // sv.public
	page      func() string // the page for browsers, as in query.Info; nil: there is none
	registrar *registrar    // nil: the server does not register at a rendezvous
	unmap     func()        // ends the mapping of the port; nil: none is mapped
	// Answered gets the answers to the queries of this server itself; nil: it asks nobody.
	Answered func(from netcore.Addr, b []byte) bool
}

// New returns a service that answers queries.
func New(c *core.Core, opts Options) *Service {
	s := &Service{core: c, opts: opts, answers: answers{responder: query.NewResponder(c.From.Entropy), query: true, lan: true}}
	c.Loop.Other = s.Other
	return s
}

// SetPage says where the page for browsers is, as in query.Info.
func (s *Service) SetPage(page func() string) { s.page = page }

// Start opens the socket, and begins to register the server.
func (s *Service) Start(c *core.Core) (err error) {
	if s.opts.Listen == "" {
		return nil
	}
	if c.Loop.Socket, err = core.Listen(s.opts.Listen); err != nil {
		return err
	}
	s.joinGroup()
	s.register()
	if s.opts.MapPort != nil {
		s.unmap = s.opts.MapPort(c)
	}
	return nil
}

// AddAddresses adds the address of the socket.
func (s *Service) AddAddresses(a *core.Addresses) {
	a.Game = s.core.Loop.Addr()
}

// Close closes the socket.
func (s *Service) Close() error {
	s.answers.close()
	s.registrar.leave()
	if s.unmap != nil {
		s.unmap()
	}
	if s.core.Loop.Socket != nil {
		_ = s.core.Loop.Socket.Close()
	}
	return nil
}
