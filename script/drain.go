package script

import (
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/vm"
)

// drainEvent is the global function of a mod that sends the players of a draining server on.
const drainEvent = "onDrain"

// Drain calls onDrain in every mod. It reports whether one of them decides where the players go. A
// mod that fails decides nothing.
func (s *hooks) Drain(most time.Duration) (taken bool) {
	seconds := lua.LNumber((most + time.Second - 1) / time.Second)
	for _, m := range append([]*vm.Mod(nil), s.Runtime.Mods...) {
		fn, ok := m.Global(drainEvent).(*lua.LFunction)
		if !ok || !m.Receives(drainEvent) {
			continue
		}
		out, ok := s.dispatch.call(m, drainEvent, fn, seconds)
		taken = taken || ok && len(out) > 0 && lua.LVAsBool(out[0])
	}
	return taken
}
