package script

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/script/bind"
)

// allPlayers returns the clients in the game to Lua.
func allPlayers(a bind.Call) int {
	list := playersInGame(a)
	t := a.Mod.State.Lua().CreateTable(len(list), 0)
	for i, c := range list {
		t.RawSetInt(i+1, a.Binding().Object(c.ID()))
	}
	return a.Return(t)
}

// playersInGame returns the clients in the game, in the order of their ids.
func playersInGame(a bind.Call) (list []*engine.Connection) {
	all := caller(a).scripts.engine.Connections()
	a.Charge(len(all))
	for _, c := range all {
		if c.Inbound() && !c.Spectator() && c.Join.Phase() == engine.PhaseGame {
			list = append(list, c)
		}
	}
	return list
}

// findPlayer finds a client in the game by its name.
func findPlayer(a bind.Call) int {
	x, name := caller(a), a.String(1)
	list := playersInGame(a)
	for _, matches := range []func(of string) bool{
		func(of string) bool { return of == name },
		func(of string) bool { return strings.EqualFold(of, name) },
		func(of string) bool { return len(of) > len(name) && strings.EqualFold(of[:len(name)], name) },
	} {
		var found []*engine.Connection
		for _, c := range list {
			if matches(c.PlayerName) {
				found = append(found, c)
			}
		}
		if len(found) == 1 && name != "" {
			return a.Return(x.values.Object(found[0].ID()))
		}
		if len(found) > 1 && name != "" {
			return a.Return(lua.LNil, lua.LString("ambiguous player name "+bind.Quote(name)+": "+found[0].PlayerName+" and "+found[1].PlayerName))
		}
	}
	return a.Return(lua.LNil, lua.LString("no player has the name "+bind.Quote(name)))
}
