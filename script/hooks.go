package script

import (
	"log/slog"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// hooks implements engine.Scripts for a Scripts. Programs do not see these methods.
type hooks Scripts

var _ engine.Scripts = (*hooks)(nil)

// Hooks returns what the engine calls.
func (s *Scripts) Hooks() engine.Scripts { return (*hooks)(s) }

// EnteredGame calls onClientEnterGame in every mod of the server.
func (s *hooks) EnteredGame(c *engine.Connection) {
	s.dispatch.callEach("onClientEnterGame", c, nil, nil)
}

// ConnectionEvent calls a callback of GameConnection in every mod of the client.
func (s *hooks) ConnectionEvent(c *engine.Connection, name string, args ...sim.Value) {
	s.dispatch.callEach(name, c, args, nil)
}

// InitialControlSet calls initialControlSet in every mod of the client.
func (s *hooks) InitialControlSet(c *engine.Connection) {
	s.dispatch.callEach("initialControlSet", c, nil, nil)
}

// Event runs the callback of an object's class and datablock. It returns false without running them
// if one of their mods is over its share of the tick.
func (s *hooks) Event(o sim.Object, name string, args []sim.Value) bool {
	if s.Runtime.Busy() && s.dispatch.mustWait(o, name) {
		return false
	}
	if !s.chains.has(name) {
		return true
	}
	cause := s.causes.causeOf(o, name, args)
	if s.Runtime.OverShare(cause) {
		return s.dispatch.postpone(cause, name)
	}
	defer s.Runtime.SetPeer(s.Runtime.SetPeer(cause))
	s.dispatch.callback(o, name, payload{plain: args})
	return true
}

// Busy reports whether postponable work must wait for the next tick.
func (s *hooks) Busy() bool { return s.Runtime.Busy() }

// OverBudget reports whether a mod has used up its share of this tick. The owner "" stands for no
// mod.
func (s *hooks) OverBudget(owner string) bool {
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
func (s *hooks) OverShare(c *engine.Connection) bool { return s.Runtime.OverShare(peerOf(c)) }

// Ahead returns how much a client has used recently beyond its fair part.
func (s *hooks) Ahead(c *engine.Connection) int64 { return s.Runtime.Ahead(peerOf(c)) }

// CommandsRefused calls onCommandsRefused in every mod.
func (s *hooks) CommandsRefused(c *engine.Connection, n int) {
	s.dispatch.callEach("onCommandsRefused", c, []sim.Value{sim.Number(float64(n))}, nil)
}

func (s *hooks) Connected(c *engine.Connection, args []string) {
	s.dispatch.callEach("onConnect", c, stringValues(args), nil)
}

// Arrived calls onArrived in every mod of the server.
func (s *hooks) Arrived(c *engine.Connection) { s.dispatch.callEach("onArrived", c, nil, nil) }

func (s *hooks) Dropped(c *engine.Connection, reason string) {
	s.dispatch.callEach("onDrop", c, []sim.Value{sim.String(reason)}, nil)
}

// Accepted loads the client files of the server's mods, then calls onConnectionAccepted.
func (s *hooks) Accepted(c *engine.Connection) {
	s.mods.unloadServerMods()
	s.mods.loadFor(c)
	s.dispatch.callEach("onConnectionAccepted", c, nil, nil)
}

func (s *hooks) Entered(c *engine.Connection) { s.dispatch.callEach("onEnterGame", c, nil, nil) }

func (s *hooks) ConnectionEnded(c *engine.Connection, reason string, timedOut bool) {
	if timedOut {
		s.dispatch.callEach("onConnectionTimedOut", c, nil, nil)
	}
	s.dispatch.callEach("onConnectionDropped", c, []sim.Value{sim.String(reason)}, nil)
	s.screen.clearHud()
	s.mods.leftServer = true
}

// BeginTick resets the time budget of callbacks for a new tick. It also unloads the mods of a
// server left in the previous tick; they have received the removal of its objects by now.
func (s *hooks) BeginTick() {
	s.mods.unloadServerMods()
	s.reloads.betweenTicks()
	s.Runtime.BeginTick()
	for _, m := range s.Runtime.Mods {
		instanceOf(m).beginThreads()
	}
	s.gates.used = 0
	s.gates.watch()
	clear(s.dispatch.postponed)
	s.storage.RunCallbacks()
	s.sockets.Begin()
	if s.fleet != nil {
		s.fleet.BeginTick()
	}
	s.tellFleetNews()
	s.messages.Begin()
}

func (s *hooks) ConnectFailed(address, reason string) {
	s.dispatch.callEach("onConnectFailed", nil, stringValues([]string{address, reason}), nil)
}

func (s *hooks) DataBlocksDone(c *engine.Connection, seq uint32) {
	s.dispatch.callEach("onDataBlocksDone", c, []sim.Value{sim.Number(float64(seq))}, nil)
}

func (s *hooks) DataBlockReceived(c *engine.Connection, index, total int) {
	s.dispatch.callEach("onDataBlockObjectReceived", c, []sim.Value{sim.Number(float64(index)), sim.Number(float64(total))}, nil)
}

func (s *hooks) GhostAlwaysDone(c *engine.Connection) {
	s.dispatch.callEach("onGhostAlwaysObjectsReceived", c, nil, nil)
}

// Command runs the overrides of a command, then the handler of the last loaded mod.
func (s *hooks) Command(c *engine.Connection, name string, args []sim.Value) bool {
	scripts := (*Scripts)(s)
	event, chain, rule := scripts.commandChain(c.Inbound(), name)
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
	scripts.handleCommand(c, event, chain, args, saidLineOf(c, name, args))
	return true
}

// runCommand runs a command of a client because a mod asks for it, and reports whether there is
// one. Its rule does not count, and the player has typed no line.
func (s *Scripts) runCommand(c *engine.Connection, name string, args []sim.Value) bool {
	event, chain, _ := s.commandChain(true, name)
	if len(chain) > 0 {
		s.handleCommand(c, event, chain, args, saidLine{})
	}
	return len(chain) > 0
}

// commandChain returns the event of a command, its overrides and then its handler, and its rule.
func (s *Scripts) commandChain(inbound bool, name string) (event string, chain []target, rule *commandRule) {
	key := "clientCmd"
	if inbound {
		key = "serverCmd"
	}
	t, rule, found := s.dispatch.handler(inbound, name)
	owner := ""
	if found {
		owner = t.mod.Name
	}
	chain = s.chains.appendOverrides(nil, key, name, owner)
	if found {
		chain = append(chain, t)
	}
	return key + " " + name, chain, rule
}

// handleCommand runs the chain of a command. said is the line that the player has typed for it.
func (s *Scripts) handleCommand(c *engine.Connection, event string, chain []target, args []sim.Value, said saidLine) {
	defer func(before saidLine) { s.chat.said = before }(s.chat.said)
	s.chat.said = said
	if slices.ContainsFunc(chain, func(t target) bool { return t.mod.Refuses(event, false) }) {
		return
	}
	s.dispatch.runChain(event, chain, func(x *bind.Binding) ([]lua.LValue, error) {
		values := x.ToLuaAll(args)
		if c.Inbound() {
			values = append([]lua.LValue{x.Object(c.ID())}, values...)
		}
		return values, nil
	})
}

// Removed runs onRemove and removes all data about the object.
func (s *hooks) Removed(o sim.Object) {
	s.env.WithDeleted(o, func() { s.dispatch.callback(o, "onRemove", payload{}) })
	s.Undone(o)
}

// Undone removes all data about the object.
func (s *hooks) Undone(o sim.Object) {
	id := o.Ident().ID()
	s.objects.drop(id)
	s.fields.forget(id)
	delete(s.objects.steeredBy, id)
	for _, m := range s.Runtime.Mods {
		instanceOf(m).forget(id)
	}
}

// Tick goes on with long threads, then runs onTick of every mod and of every object whose class has
// it.
func (s *hooks) Tick(n uint64) {
	s.runThreads()
	for _, m := range append([]*vm.Mod(nil), s.Runtime.Mods...) {
		if fn, ok := m.Global("onTick").(*lua.LFunction); ok {
			s.Runtime.Dispatch(m, "onTick", fn, s.env.Boxes.Number(float64(n)))
		}
	}
	s.ticks.run()
	s.storage.Commit()
	s.sockets.Flush()
	s.messages.Flush()
}
