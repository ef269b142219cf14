package script

import (
	"cmp"
	"net/netip"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// localAddress is the address of the client that runs in the server's process.
const localAddress = "local"

// causes tells which client causes what happens.
type causes struct {
	world   *sim.World
	runtime *vm.Runtime
}

// peerOf returns the peer of a client's connection. Bots, the client in the server's process and
// the server of a client are no peers: their faults are faults of the mod.
func peerOf(c *engine.Connection) vm.Peer {
	if c == nil || !c.Inbound() || c.Bot() || c.Address() == localAddress {
		return 0
	}
	return vm.Peer(c.ID())
}

// causeOf returns the peer that causes an event of an object. The source of a shot or of damage
// comes first, then the client that controls the object, then an object in the arguments, such as
// the one that enters a trigger. An event within an event has the cause of the outer one.
func (ps *causes) causeOf(o sim.Object, name string, args []sim.Value) vm.Peer {
	if p := ps.runtime.Peer(); p != 0 {
		return p
	}
	if f := o.Ident().Class().Lookup("source"); f != nil {
		return ps.controllerOf(f.Get(o).Object())
	}
	var of vm.Peer
	for _, v := range args {
		if v.Kind() == sim.KindObject && of == 0 {
			of = ps.controllerOf(v.Object())
		}
	}
	if name == damageRequest || name == "onDamage" || name == "onDestroyed" {
		return of
	}
	return cmp.Or(ps.controllerOf(o.Ident().ID()), of)
}

// controllerOf returns the peer that controls an object, or 0.
func (ps *causes) controllerOf(id sim.ID) vm.Peer {
	world := ps.world
	o := world.Find(id)
	if o == nil || o.Ident().Controller() == 0 {
		return 0
	}
	c, _ := world.Find(o.Ident().Controller()).(*engine.Connection)
	return peerOf(c)
}

// origin returns the IPv4 address or the IPv6 /64 of a peer, "" if its connection has ended. Peers
// with one origin count as one.
func (ps *causes) origin(p vm.Peer) string {
	c, ok := ps.world.Find(sim.ID(p)).(*engine.Connection)
	if !ok {
		return ""
	}
	at, err := netip.ParseAddrPort(c.Address())
	if err != nil {
		return c.Address()
	}
	ip := at.Addr().Unmap()
	if ip.Is4() {
		return ip.String()
	}
	return netip.PrefixFrom(ip, 64).Masked().String()
}

// connected returns p, or 0 if its connection has ended: then nobody else can pay for a fault.
func (ps *causes) connected(p vm.Peer) vm.Peer {
	if p != 0 && ps.origin(p) == "" {
		return 0
	}
	return p
}

// pcallFor calls a function for one client. A fault is booked to the client, also if the client is
// a bot. It concerns only this part of the running handler, so it does not suspend the handler. The
// part can use as many instructions as the client has in a tick.
func pcallFor(a bind.Call) int {
	c, fn, m, s := a.Client(1), a.Function(2), a.Mod, caller(a).scripts
	event := m.PartOf(fn)
	defer s.Runtime.SetPeer(s.Runtime.SetPeer(vm.Peer(c.ID())))
	if !m.Receives(event) || m.Refuses(event, false) {
		return a.Return(lua.LFalse)
	}
	args := append([]lua.LValue{a.Binding().Object(c.ID())}, bind.Rest(a, 3)...)
	out, err := s.Runtime.EnterEvent(event, m, fn, vm.Limit{Instructions: s.Runtime.Limits().PeerShare()}, args)
	if rootExhausted(err) {
		a.Raise(err)
	}
	if err != nil {
		s.Runtime.Fail(m, event, err)
		return a.Return(lua.LFalse)
	}
	return a.Return(append([]lua.LValue{lua.LTrue}, out...)...)
}
