package script

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/manifest"
	"github.com/torc-engine/torc/script/vm"
)

var _ engine.Scripts = (*Scripts)(nil)

// callEach runs a callback of GameConnection in every mod, in load order. It ends early if stop returns
// true for a result.
func (s *Scripts) callEach(name string, c *engine.Connection, args []sim.Value, stop func(lua.LValue) bool) {
	if !slices.ContainsFunc(s.Runtime.Mods, func(m *vm.Mod) bool { return connectionCallback(m, name) != nil }) {
		return // the usual case of frequent callbacks
	}
	defer s.Runtime.SetPeer(s.Runtime.SetPeer(peerOf(c)))
	for _, m := range append([]*vm.Mod(nil), s.Runtime.Mods...) {
		fn := connectionCallback(m, name)
		if fn == nil {
			continue
		}
		x := instanceOf(m)
		values := x.values.ToLuaAll(args)
		if c != nil {
			values = append([]lua.LValue{x.values.Object(c.ID())}, values...)
		}
		out, ok := s.call(m, name, fn, values...)
		if ok && stop != nil && len(out) > 0 && stop(out[0]) {
			return
		}
	}
}

// connectionCallback returns a mod's callback of GameConnection, or nil.
func connectionCallback(m *vm.Mod, name string) *lua.LFunction {
	table, ok := m.Global("GameConnection").(*lua.LTable)
	if !ok {
		return nil
	}
	fn, _ := table.RawGetString(name).(*lua.LFunction)
	return fn
}

func stringValues(args []string) []sim.Value {
	values := make([]sim.Value, len(args))
	for i, a := range args {
		values[i] = sim.String(a)
	}
	return values
}

// EnteredGame calls onClientEnterGame in every mod of the server.
func (s *Scripts) EnteredGame(c *engine.Connection) { s.callEach("onClientEnterGame", c, nil, nil) }

// ConnectionEvent calls a callback of GameConnection in every mod of the client.
func (s *Scripts) ConnectionEvent(c *engine.Connection, name string, args ...sim.Value) {
	s.callEach(name, c, args, nil)
}

// InitialControlSet calls initialControlSet in every mod of the client.
func (s *Scripts) InitialControlSet(c *engine.Connection) {
	s.callEach("initialControlSet", c, nil, nil)
}

// Event runs the callback of an object's class and datablock. It returns false without running them
// if one of their mods is over its share of the tick.
func (s *Scripts) Event(o sim.Object, name string, args []sim.Value) bool {
	if s.Runtime.Busy() && s.mustWait(o, name) {
		return false
	}
	if !s.hasCallback(name) {
		return true
	}
	cause := s.causeOf(o, name, args)
	if s.Runtime.OverShare(cause) {
		return s.postpone(cause, name)
	}
	defer s.Runtime.SetPeer(s.Runtime.SetPeer(cause))
	s.callback(o, name, payload{plain: args})
	return true
}

// maxPostponed is the number of events of one peer that wait in a tick. The engine offers each of them
// twice.
const maxPostponed = 128

// postpone lets an event wait for the share of its peer. It returns true if too many wait and the mods
// can miss this one.
func (s *Scripts) postpone(p vm.Peer, name string) (drop bool) {
	s.postponed[p]++
	return s.postponed[p] > maxPostponed && repeated[name]
}

// mustWait reports whether a mod with a callback for the event has used up its share of this tick.
func (s *Scripts) mustWait(o sim.Object, name string) bool {
	if !s.hasCallback(name) {
		return false
	}
	wait := func(t target) bool { return s.Runtime.BusyFor(t.mod) }
	data := sim.BlockOf(o)
	return slices.ContainsFunc(s.classChain(o.Ident().Class(), name), wait) ||
		data != nil && slices.ContainsFunc(s.blockChain(data, name), wait)
}

// Busy reports whether postponable work must wait for the next tick.
func (s *Scripts) Busy() bool { return s.Runtime.Busy() }

// OverBudget reports whether a mod has used up its share of this tick. The owner "" stands for no mod.
func (s *Scripts) OverBudget(owner string) bool {
	if !s.Runtime.Busy() {
		return false
	}
	i := slices.IndexFunc(s.Runtime.Mods, func(m *vm.Mod) bool { return m.Owner() == owner })
	if i < 0 {
		return s.Runtime.BusyFor(nil)
	}
	return s.Runtime.BusyFor(s.Runtime.Mods[i])
}

// OverShare reports whether a client has used its share of this tick.
func (s *Scripts) OverShare(c *engine.Connection) bool { return s.Runtime.OverShare(peerOf(c)) }

// RecentUse returns how much a client has used recently.
func (s *Scripts) RecentUse(c *engine.Connection) int { return s.Runtime.RecentUse(peerOf(c)) }

// CommandsRefused calls onCommandsRefused in every mod.
func (s *Scripts) CommandsRefused(c *engine.Connection, n int) {
	s.callEach("onCommandsRefused", c, []sim.Value{sim.Number(float64(n))}, nil)
}

func (s *Scripts) Connected(c *engine.Connection, args []string) {
	s.callEach("onConnect", c, stringValues(args), nil)
}

func (s *Scripts) Dropped(c *engine.Connection, reason string) {
	s.callEach("onDrop", c, []sim.Value{sim.String(reason)}, nil)
}

// Accepted loads the client files of the server's mods, then calls onConnectionAccepted.
func (s *Scripts) Accepted(c *engine.Connection) {
	s.unloadServerMods()
	s.loadFor(c)
	s.callEach("onConnectionAccepted", c, nil, nil)
}

// loadFor loads the installed mods of the same name and major version as the server's mods, in the
// server's order. It skips mods that are already loaded.
func (s *Scripts) loadFor(c *engine.Connection) {
	installed, _ := manifest.Discover(s.folders...)
	var wanted []*manifest.Manifest
	for _, info := range c.Server.Mods {
		m := installed[info.Name]
		if m == nil || s.Runtime.Mod(info.Name) != nil || s.disabled[info.Name] != nil || !m.Compatible(info.Version) {
			continue
		}
		wanted = append(wanted, m)
	}
	before := len(s.Runtime.Mods) - 1 // without the console, always the last element
	for _, err := range s.load(wanted) {
		s.Runtime.Log(slog.LevelError, err.Error())
	}
	s.serverMods = append(s.serverMods, s.Runtime.Mods[before:len(s.Runtime.Mods)-1]...)
}

func (s *Scripts) Entered(c *engine.Connection) { s.callEach("onEnterGame", c, nil, nil) }

func (s *Scripts) ConnectionEnded(c *engine.Connection, reason string, timedOut bool) {
	if timedOut {
		s.callEach("onConnectionTimedOut", c, nil, nil)
	}
	s.callEach("onConnectionDropped", c, []sim.Value{sim.String(reason)}, nil)
	for _, do := range s.onDisconnect {
		do()
	}
	s.leftServer = true
}

// BeginTick resets the time budget of callbacks for a new tick. It also unloads the mods of a
// server left in the previous tick; they have received the removal of its objects by now.
func (s *Scripts) BeginTick() {
	s.unloadServerMods()
	s.betweenTicks()
	s.Runtime.BeginTick()
	s.gateUsed = 0
	clear(s.postponed)
	s.runStoreCallbacks()
	s.sockets.Begin()
}

func (s *Scripts) ConnectFailed(address, reason string) {
	s.callEach("onConnectFailed", nil, stringValues([]string{address, reason}), nil)
}

func (s *Scripts) DataBlocksDone(c *engine.Connection, seq uint32) {
	s.callEach("onDataBlocksDone", c, []sim.Value{sim.Number(float64(seq))}, nil)
}

func (s *Scripts) DataBlockReceived(c *engine.Connection, index, total int) {
	s.callEach("onDataBlockObjectReceived", c, []sim.Value{sim.Number(float64(index)), sim.Number(float64(total))}, nil)
}

func (s *Scripts) GhostAlwaysDone(c *engine.Connection) {
	s.callEach("onGhostAlwaysObjectsReceived", c, nil, nil)
}

// Command runs the overrides of a command, then the handler of the last loaded mod.
func (s *Scripts) Command(c *engine.Connection, name string, args []sim.Value) bool {
	key := "clientCmd"
	if c.Inbound() {
		key = "serverCmd"
	}
	t, rule, found := s.handler(c.Inbound(), name)
	owner := ""
	if found {
		owner = t.mod.Name
	}
	chain := s.addOverrides(nil, key, name, owner)
	if found {
		chain = append(chain, t)
	}
	if len(chain) == 0 {
		return false
	}
	if rule != nil {
		if err := rule.Check(c.ID(), s.engine.Now(), args); err != nil {
			c.Commands.CountRefusal()
			s.Runtime.Log(slog.LevelWarn, "command refused", "command", name, "connection", uint32(c.ID()), "why", err)
			return true
		}
	}
	defer s.Runtime.SetPeer(s.Runtime.SetPeer(peerOf(c)))
	defer func(before typedLine) { s.said = before }(s.said)
	s.said = typedLineOf(c, name, args)
	event := key + " " + name
	if slices.ContainsFunc(chain, func(t target) bool { return t.mod.Refuses(event, false) }) {
		return true
	}
	s.dispatchChain(event, chain, func(x *bind.Binding) ([]lua.LValue, error) {
		values := x.ToLuaAll(args)
		if c.Inbound() {
			values = append([]lua.LValue{x.Object(c.ID())}, values...)
		}
		return values, nil
	})
	return true
}

// handler finds the handler of a command: the definition of the last loaded mod.
func (s *Scripts) handler(called bool, name string) (t target, rule *commandRule, found bool) {
	for i := len(s.Runtime.Mods) - 1; i >= 0; i-- {
		m := s.Runtime.Mods[i]
		table := &instanceOf(m).client
		if called {
			table = &instanceOf(m).server
		}
		if r := table.rules[strings.ToLower(name)]; r != nil && rule == nil {
			rule = r
		}
		fn := table.find(m, name)
		switch {
		case fn == nil || m.Suspended() != "":
		case !found:
			t, found = target{mod: m, fn: fn}, true
		default:
			s.warnDuplicate(table.prefix, name, t.mod, m)
		}
	}
	return t, rule, found
}

// warnDuplicate warns once if two mods handle the same command.
func (s *Scripts) warnDuplicate(prefix, name string, last, first *vm.Mod) {
	key := prefix + strings.ToLower(name)
	if s.clashes[key] || last == s.operator {
		return
	}
	s.clashes[key] = true
	s.Runtime.Log(slog.LevelWarn, fmt.Sprintf("mods %s and %s both handle %s%s; only %s runs. To run both, use override(%s, %q, function(parent, ...) end)",
		first.Name, last.Name, prefix, name, last.Name, prefix, name))
}

// Added does nothing. For objects made by new, onAdd must wait until their fields are set; whole
// runs it.
func (s *Scripts) Added(sim.Object) {}

// objectAdded runs onAdd of an object's class and datablock.
func (s *Scripts) objectAdded(o sim.Object) { s.callback(o, "onAdd", payload{}) }

// Removed runs onRemove and removes all data about the object.
func (s *Scripts) Removed(o sim.Object) {
	s.env.WithDeleted(o, func() { s.callback(o, "onRemove", payload{}) })
	s.Undone(o)
}

// Undone removes all data about the object.
func (s *Scripts) Undone(o sim.Object) {
	id := o.Ident().ID()
	s.dropMaker(id)
	delete(s.steeredBy, id)
	for _, m := range s.Runtime.Mods {
		instanceOf(m).forget(id)
	}
}

// Tick runs onTick of every mod, then of every object whose class has it.
func (s *Scripts) Tick(n uint64) {
	for _, m := range append([]*vm.Mod(nil), s.Runtime.Mods...) {
		if fn, ok := m.Global("onTick").(*lua.LFunction); ok {
			s.Runtime.Dispatch(m, "onTick", fn, s.env.Boxes.Number(float64(n)))
		}
	}
	s.tickObjects()
	s.storage.commit()
	s.sockets.Flush()
}
