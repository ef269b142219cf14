package bench

import (
	"crypto/rand"
	"math"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
)

// simServer is a server with the world of movers and the scripts for its clients' joins.
type simServer struct {
	engine.NopScripts
	host    *engine.Host
	movers  *movers
	load    Load
	rate    netcore.Rate // send rate; zero uses the negotiated one
	inScope int          // ghosts per client
	clients map[*engine.Connection]*joinProgress
	took    []float64 // ms from the start of ghosting to the last ghost, per client
	lost    string    // reason of the last disconnect
	clock   func() time.Time
}

// joinProgress is the progress of a client's ghosts.
type joinProgress struct {
	since time.Time
	acked int
}

// newSimServer returns a server without clients. It overwrites the fields of cfg that it needs.
func newSimServer(load Load, objects int, cfg engine.Config) (*simServer, error) {
	id, err := seal.NewIdentity(rand.Reader)
	if err != nil {
		return nil, err
	}
	classes, err := benchClasses()
	if err != nil {
		return nil, err
	}
	s := &simServer{load: load, inScope: objects, clients: map[*engine.Connection]*joinProgress{}, clock: time.Now}
	if load.Scope > 0 {
		s.inScope = min(load.Scope, objects)
	}
	cfg.Server, cfg.Name, cfg.MaxClients, cfg.JoinTimeout = true, "bench", math.MaxInt, joinMost
	cfg.Classes, cfg.Identity, cfg.Entropy, cfg.NoDeltas = classes, id, rand.Reader, load.Whole
	cfg.Ended = func(c *engine.Connection, reason string) { s.lost = reason }
	s.host = engine.NewHost(cfg)
	s.host.SetScripts(s)
	s.movers = newMovers(s.host, objects, s.inScope, load.Active)
	return s, nil
}

// Connected starts a client's join.
func (s *simServer) Connected(c *engine.Connection, _ []string) {
	if s.rate != (netcore.Rate{}) {
		c.Line.SetSendRate(s.rate)
		c.Net().Boost(s.rate.Packets > boostAbove)
	}
	s.look(c)
	c.Blocks.Transmit(1)
}

// look gives a client a view, if the load asks for one. Without a view, everything is visible and
// equally near.
func (s *simServer) look(c *engine.Connection) {
	var at sim.Vec3
	view := engine.ScopeView{Distance: boxView, FOV: 360}
	switch {
	case s.load.Distance:
		place := splitmix64(c.ID()) // a different point for each client
		at, view.Distance = place.point(), 4*boxSide
	case s.load.Scope == 0:
		return
	}
	e := &eye{at: at}
	s.host.World().Add(e)
	if err := c.Visible.SetObject(e); err != nil {
		panic("BUG: " + err.Error())
	}
	c.Visible.SetView(view)
}

func (s *simServer) DataBlocksDone(c *engine.Connection, _ uint32) { c.Ghosting.Activate() }

func (s *simServer) GhostAlwaysDone(c *engine.Connection) {
	s.clients[c] = &joinProgress{since: s.clock()}
	c.Join.Enter()
}

func (s *simServer) WatchesAcks() bool { return true }

func (s *simServer) GhostAcked(c *engine.Connection, _ sim.Object) {
	p := s.clients[c]
	if p.acked++; p.acked == s.inScope {
		s.took = append(s.took, milliseconds(s.clock().Sub(p.since)))
	}
}

func (s *simServer) Tick(uint64) { s.movers.step() }
