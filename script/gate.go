package script

import (
	"fmt"
	"log/slog"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/vm"
)

// gateEvent is the callback of GameConnection that accepts or refuses a connect request.
const gateEvent = "onConnectRequest"

// gateInstructions limits the instructions of all gates of a tick: when they are used up, requests
// wait for the next tick. The last request can use as many again. The instructions of gates are not
// booked to the budget of the tick, so a crowd of requests postpones no event.
const gateInstructions = 1_000_000

// CanCheck reports whether the gates have instructions left in this tick.
func (s *Scripts) CanCheck() bool { return s.gateUsed < gateInstructions }

// ConnectRequest calls onConnectRequest in every mod. The first returned reason refuses the
// connection. A gate that fails, is suspended or uses up the budget refuses it too.
func (s *Scripts) ConnectRequest(c *engine.Connection, args []string) (refuse string) {
	defer s.SetPeer(s.SetPeer(peerOf(c)))
	values := append([]sim.Value{sim.String(c.Address())}, stringValues(args)...)
	for _, m := range slices.Clone(s.Mods) {
		table, _ := m.Global("GameConnection").(*lua.LTable)
		if table == nil {
			continue
		}
		fn, ok := table.RawGetString(gateEvent).(*lua.LFunction)
		if !ok {
			continue
		}
		refuse, why := s.askGate(m, fn, c, values)
		if why != "" {
			s.Log(slog.LevelWarn, "connect request refused: the mod "+m.Name+" cannot check it", "mod", m.Name, "address", c.Address(), "name", c.PlayerName, "why", why)
		}
		if refuse != "" {
			return refuse
		}
	}
	return ""
}

// askGate asks one mod about a connect request. refuse is the reason for the client. why is set if the
// mod could not answer.
func (s *Scripts) askGate(m *vm.Mod, fn *lua.LFunction, c *engine.Connection, values []sim.Value) (refuse, why string) {
	failed := fmt.Sprintf("the mod %s cannot check connect requests at the moment: try again later", m.Name)
	if !m.Receives(gateEvent) {
		return failed, "it is suspended"
	}
	x := bindingOf(m)
	limit, before := s.Limits().Callback, s.InstructionCount()
	limit.Instructions = min(limit.Instructions, max(2*gateInstructions-s.gateUsed, 1))
	out, err := s.EnterEvent(gateEvent, m, fn, limit, append([]lua.LValue{x.object(c.ID())}, x.toLuaAll(values)...))
	s.gateUsed += min(limit.Instructions, s.InstructionCount()-before)
	switch {
	case err != nil:
		return failed, s.Fail(m, gateEvent, err).Text
	case len(out) == 0 || out[0] == lua.LNil || out[0] == lua.LFalse:
		return "", ""
	}
	return textOf(out[0]), ""
}
