package script

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// bindLib has the functions for keys of the player.
func bindLib() vm.Lib {
	return bind.Chapter("Keys", []bind.Row{
		bind.Def("client:bind", "name: string, key: string, [text: any]", vm.Server, "Asks the player for a key: A to Z, 0 to 9 or F1 to F12. Each press calls serverCmd.NAME(client), with the limits of a command. text says what the key does, in the language of the client if it is a value of text. The client asks the player once per server, and the player can take another key or none. A key that the client uses itself stays what it is. Another call with this name changes key and text. A client has at most 16 binds. A bind ends by unbind, with the mission, and when the mod is reloaded or unloaded.", bindKey),
		bind.Def("client:unbind", "name: string -> boolean", vm.Server, "Ends this mod's bind of a name. Returns whether there was one.", func(a bind.Call) int {
			return a.Return(lua.LBool(a.Client(1).Binds().End(a.Mod.Name, a.String(2))))
		}),
	})
}

// bindKey asks a player for a key. While files are loading it waits until the load succeeds, like
// commands: then the handler of the command is known, too.
func bindKey(a bind.Call) int {
	c, x := a.Client(1), caller(a)
	key, err := engine.ParseKey(a.String(3))
	a.Check(err)
	b := engine.Bind{Mod: a.Mod.Name, Name: a.String(2), Key: key}
	if text := a.Get(4); text != lua.LNil {
		b.Text = formReader{a, x.scripts.readerOf(c)}.plain(text, "text")
	}
	onceLoaded(a, func() error {
		if x.server.find(a.Mod, b.Name) == nil {
			return fmt.Errorf("this mod has no function serverCmd.%.64s, so the key would do nothing", b.Name)
		}
		return c.Binds().Ask(x, b)
	})
	return 0
}
