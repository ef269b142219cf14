package script

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/script/bind"
)

// allPlayers returns the clients in the game to Lua.
func allPlayers(a bind.Call) int {
	x, all := a.Binding(), connections(a)
	if a.Has(1) {
		all = ofKind(a, all)
	}
	t := a.Mod.State.Lua().CreateTable(len(all), 0)
	for _, c := range all {
		if plays(c) {
			t.Append(x.Object(c.ID()))
		}
	}
	return a.Return(t)
}

// ofKind returns the connections of the kind that the first argument names.
func ofKind(a bind.Call, all []*engine.Connection) (list []*engine.Connection) {
	kind := a.String(1)
	if kind != "people" && kind != "bots" {
		a.Fail(`argument %s must be "people" or "bots", not %s`, a.Label(1), bind.Literal(a.Get(1)))
	}
	for _, c := range all {
		if c.Bot() == (kind == "bots") {
			list = append(list, c)
		}
	}
	return list
}

// connections returns all connections in the order of their ids, and charges for a look at each.
func connections(a bind.Call) []*engine.Connection {
	all := caller(a).scripts.engine.Connections()
	a.Charge(len(all))
	return all
}

// plays reports whether a connection is a client in the game.
func plays(c *engine.Connection) bool {
	return c.Inbound() && !c.Spectator() && c.Join.Phase() == engine.PhaseGame
}

// findPlayer finds a client in the game by its name. Without one it returns nil, the reason as a
// sentence, and as a word for mods that say it in another language.
func findPlayer(a bind.Call) int {
	x, name := caller(a), a.String(1)
	list := connections(a)
	for _, matches := range []func(of string) bool{
		func(of string) bool { return of == name },
		func(of string) bool { return strings.EqualFold(of, name) },
		func(of string) bool { return len(of) > len(name) && strings.EqualFold(of[:len(name)], name) },
	} {
		var found []*engine.Connection
		for _, c := range list {
			if plays(c) && matches(c.PlayerName) {
				found = append(found, c)
			}
		}
		if len(found) == 1 && name != "" {
			return a.Return(x.values.Object(found[0].ID()))
		}
		if len(found) > 1 && name != "" {
			return a.Return(lua.LNil, lua.LString("ambiguous player name "+bind.Quote(name)+": "+found[0].PlayerName+" and "+found[1].PlayerName), lua.LString("several"))
		}
	}
	return a.Return(lua.LNil, lua.LString("no player has the name "+bind.Quote(name)), lua.LString("none"))
}
