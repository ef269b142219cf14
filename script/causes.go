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
	c, fn, m, h := a.Client(1), a.Function(2), a.Mod, a.Runtime()
	r := m.PartRecord(fn)
	defer h.SetPeer(h.SetPeer(vm.Peer(c.ID())))
	if !m.ReceivesOn(r) || m.RefusesOn(r, false) {
		return a.Return(lua.LFalse)
	}
	n, err := callFor(a, c, r, fn)
	if rootExhausted(err) {
		a.Raise(err)
	}
	if err != nil {
		h.Fail(m, r.Event, err)
		return a.Return(lua.LFalse)
	}
	return n
}

// callFor calls fn with a client and the arguments of pcallFor after the function. It pushes true
// and the results, and returns their number.
func callFor(a bind.Call, c *engine.Connection, r *vm.EventRecord, fn *lua.LFunction) (int, error) {
	h := a.Runtime()
	e, err := h.OpenNested(a.Mod, r, &vm.Limit{Instructions: h.Limits().PeerShare()}, fn)
	if err != nil {
		return 0, err
	}
	n := a.N() - 1
	e.Thread.Push(a.Binding().Object(c.ID()))
	for i := 3; i <= n+1; i++ {
		e.Thread.Push(a.Get(i))
	}
	if err := e.Run(n, lua.MultRet); err != nil {
		return 0, err
	}
	n = e.Thread.GetTop()
	a.L.Push(lua.LTrue)
	for i := 1; i <= n; i++ {
		a.L.Push(e.Thread.Get(i))
	}
	return n + 1, e.Close(nil)
}
