package script

import (
	"net/netip"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/vm"
)

// localAddress is the address of the client that runs in the server's process.
const localAddress = "local"

// peerOf returns the peer of a client's connection. Bots, the client in the server's process and the
// server of a client are no peers: their faults are faults of the mod.
func peerOf(c *engine.Connection) vm.Peer {
	if c == nil || !c.Inbound() || c.Bot() || c.Address() == localAddress {
		return 0
	}
	return vm.Peer(c.ID())
}

// causeOf returns the peer that causes an event of an object: the client that controls the object,
// or an object in the arguments. An event within an event has the cause of the outer one.
func (s *Scripts) causeOf(o sim.Object, args []sim.Value) vm.Peer {
	if p := s.Peer(); p != 0 {
		return p
	}
	if p := s.controllerOf(o.Ident().ID()); p != 0 {
		return p
	}
	for _, v := range args {
		if v.Kind() == sim.KindObject {
			if p := s.controllerOf(v.Object()); p != 0 {
				return p
			}
		}
	}
	return 0
}

// controllerOf returns the peer that controls an object, or 0.
func (s *Scripts) controllerOf(id sim.ID) vm.Peer {
	world := s.engine.World()
	o := world.Find(id)
	if o == nil || o.Ident().Controller() == 0 {
		return 0
	}
	c, _ := world.Find(o.Ident().Controller()).(*engine.Connection)
	return peerOf(c)
}

// origin returns the host of a peer's address. Peers with one host count as one.
func (s *Scripts) origin(p vm.Peer) string {
	c, ok := s.engine.World().Find(sim.ID(p)).(*engine.Connection)
	if !ok {
		return ""
	}
	if at, err := netip.ParseAddrPort(c.Address()); err == nil {
		return at.Addr().Unmap().String()
	}
	return c.Address()
}
