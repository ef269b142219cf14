package script

import (
	"maps"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/vm"
)

// Allocated calls onAllocated in every mod, with what those say who have taken the server for a
// match. Call it between ticks.
func (s *Scripts) Allocated(annotations map[string]string) {
	names := slices.Sorted(maps.Keys(annotations))
	s.dispatch.eachMod("onAllocated", func(m *vm.Mod) []lua.LValue {
		t := m.State.Lua().CreateTable(0, len(names))
		for _, name := range names {
			m.NoteString(len(name) + len(annotations[name]))
			t.RawSetString(name, lua.LString(annotations[name]))
		}
		return []lua.LValue{t}
	})
}
