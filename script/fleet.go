package script

import (
	"errors"
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/manifest"
	"github.com/torc-engine/torc/script/store"
	"github.com/torc-engine/torc/script/vm"
)

// A Fleet is the servers to which a server sends players. The program around the engine implements
// it.
type Fleet interface {
	// Name returns the name of this server in its fleet, "" without one.
	Name() string
	// Servers returns this server first, then the others.
	Servers() []FleetServer
	// Target returns the order to go to a server: a name, or HOST:PORT#KEY.
	Target(server string) (engine.TransferOrder, error)
	// BeginTick runs what waits for a tick.
	BeginTick()
}

// A FleetServer is a server as mods see it.
type FleetServer struct {
	Name    string // "" of this server without a name
	Address string // HOST:PORT for players; "" of this server
	Title   string // sv.name
	Mission string
	Players int    // people
	Max     int    // people and bots
	Free    int    // places
	State   string // ready, draining, or unknown of a silent server
	Ping    int    // from this server, in ms
	// Own is what its mods tell about it, by mod, encoded as stored values are. A stranger wrote
	// it.
	Own map[string][]byte `json:"-"`
}

// A FleetChange says what has happened to another server.
type FleetChange int

// The changes.
const (
	Changed FleetChange = iota // its state is another
	Joined
	Left
)

// fleetLib has the functions for other servers.
func fleetLib() vm.Lib {
	return bind.Chapter("Other servers", []bind.Row{
		bind.Def("client:transfer", "server: string, [data: any], [done: fun(ok: boolean, reason: string?)] -> boolean, string?", vm.Server, "Sends the player to another server: the name of a peer, or HOST:PORT#KEY. The player plays on here until it is there, and then onDrop runs here, whose reason is \"transferred to\" and the name of that server. Returns true, or false and the reason if this player cannot be transferred: a bot, a spectator, the own client of torc play, or a player with a transfer under way. done runs once: with true just before onDrop, with false and a reason if the player stays. data is what the other server gets as client.arrival.data: a copy from now, a value as for store:put, at most 2,048 bytes. Never put anything of value into it: the player can stay, or come back. A server sends 20 players a second; the others wait, and mods take turns. The mod needs the permission transfer for peers, and transfer:HOST:PORT for another address.", transferClient),
		bind.Def("client.arrival", ": {from: string, data: any}?", vm.Server, "Where a player comes from whom another server has sent, in onConnectRequest and later: the name of that server here, and the data of its mod. nil for all other players. The data is what a mod of the other server wrote: check its types.", nil),
		bind.Def("fleet.servers", "-> FleetServer[]", vm.Server, "Returns this server first, then the others by name, and the silent ones last: its peers, and the servers of its fleet. The numbers of peers are up to 5 s old, and those of the fleet up to 2 s.", fleetServers),
		bind.Def("fleet.name", ": string?", vm.Server, "The name of this server among the others; nil without a fleet.", nil),
		bind.Def("fleet.own", ": table", vm.Server, "What this mod tells about this server: others see it as own of this server. The fleet gets it every 2 s, if it is a value as for store:put with at most 1,024 bytes; else the log has a warning.", nil),
		bind.Def("function onFleetChange(server: FleetServer, joined: boolean?)", "", vm.Server, "Runs when another server has come (joined is true), has gone (false), or has another state (nil). A mod hears of 16 servers in a tick at most, and then of the others: of each server the newest state. It hears nothing of a server that has come and gone meanwhile, and nil of one that has gone and come.", nil),
		bind.Def("FleetServer.name", ": string?", vm.Server, "The name for client:transfer; nil of this server without a fleet.", nil),
		bind.Def("FleetServer.address", ": string?", vm.Server, "HOST:PORT for players; nil of this server.", nil),
		bind.Def("FleetServer.title", ": string", vm.Server, "Its sv.name; \"\" while it was never heard.", nil),
		bind.Def("FleetServer.mission", ": string", vm.Server, "The mission that it plays; \"\" for none.", nil),
		bind.Def("FleetServer.players", ": integer", vm.Server, "How many people play there.", nil),
		bind.Def("FleetServer.max", ": integer", vm.Server, "Its sv.maxClients.", nil),
		bind.Def("FleetServer.free", ": integer", vm.Server, "How many places are free.", nil),
		bind.Def("FleetServer.state", ": string", vm.Server, "\"ready\", \"draining\", or \"unknown\" of a server that does not answer.", nil),
		bind.Def("FleetServer.own", ": any", vm.Server, "The table fleet.own of this mod there, as a copy; nil of peers outside the fleet. Another server wrote it: check its types.", nil),
		bind.Def("FleetServer.ping", ": integer", vm.Server, "The round-trip time from this server in milliseconds.", nil),
	})
}

// transferEvent is the event of the function done of a transfer.
const transferEvent = "transfer"

// transferClient is client:transfer.
func transferClient(a bind.Call) int {
	x, c, server, done := caller(a), a.Client(1), a.String(2), a.OptFunction(4)
	order, err := x.transferTarget(server)
	a.Check(err)
	var data []byte
	if a.Has(3) {
		var size int
		data, size, err = store.EncodeSized(a.Any(3))
		a.Charge(256 + size)
		a.Check(err)
	}
	if len(data) > maxTransferData {
		a.Fail("the data of a transfer can have at most %d bytes, not %d", maxTransferData, len(data))
	}
	err = c.Transfer(order, data, a.Mod.Name, func(ok bool, reason string) { x.transferred(c, done, ok, reason) })
	if err != nil {
		return a.Return(lua.LFalse, lua.LString(err.Error()))
	}
	return a.Return(lua.LTrue)
}

// maxTransferData is the most data of a transfer in bytes.
const maxTransferData = 2048

// transferTarget returns the order to go to a server. The mod needs the permission for it.
func (x *instance) transferTarget(server string) (engine.TransferOrder, error) {
	fleet := x.scripts.fleet
	if fleet == nil {
		return engine.TransferOrder{}, fmt.Errorf("there is no server %q: this program has no others", server)
	}
	order, err := fleet.Target(server)
	if err != nil {
		return order, err
	}
	return order, x.checkPermission(manifest.TransferOf(server))
}

// transferred calls done of a transfer, unless its mod runs no more code.
func (x *instance) transferred(c *engine.Connection, done *lua.LFunction, ok bool, reason string) {
	if done == nil || x.disabled {
		return
	}
	s := x.scripts
	defer s.Runtime.SetPeer(s.Runtime.SetPeer(peerOf(c)))
	if ok {
		s.dispatch.call(x.mod, transferEvent, done, lua.LTrue)
		return
	}
	x.mod.NoteString(len(reason))
	s.dispatch.call(x.mod, transferEvent, done, lua.LFalse, lua.LString(reason))
}

// arrivalOf returns where a player comes from, as a table, or nil.
func (x *instance) arrivalOf(c *engine.Connection) lua.LValue {
	is := c.Arrival()
	if is == nil {
		return lua.LNil
	}
	t := x.mod.State.Lua().CreateTable(0, 2)
	x.mod.NoteString(len(is.From) + len(is.Data))
	t.RawSetString("from", lua.LString(is.From))
	if len(is.Data) > 0 {
		if v, err := store.Decode(x.values, is.Data); err == nil { // else another torc has written it
			t.RawSetString("data", v)
		}
	}
	return t
}

// fleetServers is fleet.servers.
func fleetServers(a bind.Call) int {
	x := caller(a)
	l := x.mod.State.Lua()
	list := l.NewTable()
	if x.scripts.fleet == nil {
		return a.Return(list)
	}
	for i, s := range x.scripts.fleet.Servers() {
		a.Charge(fleetServerCost + len(s.Own[x.mod.Name]))
		if i == 0 {
			own, size, _ := x.fleetOwn() // the log has the error
			a.Charge(size)
			s.Own = map[string][]byte{x.mod.Name: own}
		}
		list.Append(x.fleetServer(&s))
	}
	return a.Return(list)
}

// fleetServerCost is what a server in the list costs a mod, in instructions.
const fleetServerCost = 200

// fleetServer returns a server as a table.
func (x *instance) fleetServer(s *FleetServer) *lua.LTable {
	t := x.mod.State.Lua().CreateTable(0, 10)
	for _, f := range []struct{ key, text string }{{"name", s.Name}, {"address", s.Address}} {
		if f.text != "" {
			t.RawSetString(f.key, lua.LString(f.text))
		}
	}
	t.RawSetString("title", lua.LString(s.Title))
	t.RawSetString("mission", lua.LString(s.Mission))
	t.RawSetString("state", lua.LString(s.State))
	for _, f := range []struct {
		key string
		n   int
	}{{"players", s.Players}, {"max", s.Max}, {"free", s.Free}, {"ping", s.Ping}} {
		t.RawSetString(f.key, lua.LNumber(f.n))
	}
	if own := s.Own[x.mod.Name]; len(own) > 0 {
		if v, err := store.Decode(x.values, own); err == nil { // else it is damaged, or of a newer torc
			t.RawSetString("own", v)
		}
	}
	return t
}

// A FleetProblem says why fleet.own of a mod cannot be told.
type FleetProblem struct {
	Mod string
	Err error
}

// maxFleetOwn is the most that a mod can tell about its server, in bytes.
const maxFleetOwn = 1 << 10

// FleetOwn returns what mods tell about this server, by mod, encoded as stored values are.
func (s *Scripts) FleetOwn() (own map[string][]byte, wrong []FleetProblem) {
	own = map[string][]byte{}
	for _, m := range s.Runtime.Mods {
		if b, _, err := instanceOf(m).fleetOwn(); err != nil {
			wrong = append(wrong, FleetProblem{m.Name, err})
		} else if b != nil {
			own[m.Name] = b
		}
	}
	return own, wrong
}

// fleetOwn returns fleet.own of a mod, nil if it says nothing, and what that costs, as
// store.EncodeWithin does.
func (x *instance) fleetOwn() (own []byte, size int, err error) {
	if x.fleetLibrary == nil {
		return nil, 0, nil
	}
	switch v := x.fleetLibrary.RawGetString("own").(type) {
	case *lua.LNilType:
		return nil, 0, nil
	case *lua.LTable:
		if k, _ := v.Next(lua.LNil); k == lua.LNil {
			return nil, 0, nil
		}
		if own, size, err = store.EncodeWithin(v, maxFleetOwn); errors.Is(err, store.ErrTooLong) {
			err = fmt.Errorf("it can have at most %d bytes", maxFleetOwn)
		}
		return own, size, err
	default:
		return nil, 0, fmt.Errorf("it must be a table, not a %s", v.Type())
	}
}

// fillFleet adds the values of the table fleet.
func (x *instance) fillFleet(library *lua.LTable) {
	x.fleetLibrary = library
	library.RawSetString("own", x.mod.State.Lua().NewTable())
	if f := x.scripts.fleet; f != nil && f.Name() != "" {
		library.RawSetString("name", lua.LString(f.Name()))
	}
}
