package script

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// missionLib has the functions for missions and the chat filter.
func missionLib() vm.Lib {
	return bind.Chapter("Missions and chat", []bind.Row{
		bind.Def("loadMission", "name: string", vm.Server, "Ends the mission and runs missions/NAME.lua. If several mods have the file, the mod loaded last provides it. New objects are put into missionGroup. The change happens at the next tick. After a load that took 1 s, the next load waits 9 s.", loadMission),
		bind.Def("function onMissionEnd(sequence: integer)", "", vm.Server, "Runs before the mission ends and its objects are deleted.", nil),
		bind.Def("function onMissionLoaded(sequence: integer, name: string)", "", vm.Server, "Runs after a mission is loaded.", nil),
		bind.Def("function onAllocated(annotations: table)", "", vm.Server, "Runs when the server is one of Agones, and somebody has taken it for a match. annotations is what they say about the match: texts by name, at most 64 with 16,384 bytes. They come from outside, so check them. It runs again with the next allocation, and after a restart.", nil),
		bind.Def("function onDrain(seconds: integer) -> boolean?", "", vm.Server, "Runs when the server begins to drain: it takes nobody in, and ends when nobody is left, after this time at the latest. Return true to decide yourself where the players go. Otherwise each goes to the least full server with the same mission.", nil),
		bind.Def("function onChat(client: Client, text: string) -> boolean|string?", "", vm.Server, "Runs for each chat line. Return false to suppress the line, or a text to replace it.", nil),
		bind.Def("chatFilter", "client: Client|integer, text: string -> string|boolean, string?, string?", vm.Server, "Calls onChat of every mod in load order. Returns the text to show, or false. If a mod fails, returns false, a text for the author of the line, and the name of the mod.", chatFilter),
	})
}

func loadMission(a bind.Call) int {
	a.Check(caller(a).scripts.mission.next(a.String(1)))
	return 0
}

// Ending calls onShutdown in every mod, before the server ends. restart is set if it starts again.
// Call it between ticks.
func (s *Scripts) Ending(restart bool) { s.dispatch.everyMod("onShutdown", sim.Bool(restart)) }

// chatEvent is the global function of a mod that filters chat lines.
const chatEvent = "onChat"

// unfiltered returns to Lua that a mod could not check a chat line: as a text for its author, and
// the name of the mod for a text in another language.
func unfiltered(a bind.Call, m *vm.Mod) int {
	text := "Your line was not sent: the mod " + m.Name + " cannot check it at the moment."
	return a.Return(lua.LFalse, lua.LString(text), lua.LString(m.Name))
}

// chatFilter drops a line that a mod cannot check.
func chatFilter(a bind.Call) int {
	x, c, text := caller(a), a.Client(1), a.String(2)
	for _, m := range append([]*vm.Mod(nil), x.scripts.Runtime.Mods...) {
		fn, ok := m.Global("onChat").(*lua.LFunction)
		if !ok {
			continue
		}
		if !m.Receives(chatEvent) {
			return unfiltered(a, m)
		}
		out, err := x.scripts.Runtime.EnterCallback(chatEvent, m, fn, []lua.LValue{bind.Of(m).Object(c.ID()), lua.LString(text)})
		if err != nil {
			x.scripts.Runtime.Fail(m, chatEvent, err)
			return unfiltered(a, m)
		}
		if len(out) == 0 {
			continue
		}
		if out[0] == lua.LFalse {
			return a.Return(lua.LFalse)
		}
		if changed, ok := out[0].(lua.LString); ok {
			text = string(changed)
		}
	}
	return a.Text(text)
}
