package script

import (
	"maps"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/vm"
)

// The chatBook holds the commands that players can run from the chat.
type chatBook struct {
	commands map[string]chatCommand // by name in lower case
	said     saidLine
}

// detach returns a function that restores the commands of a mod, which the console forgets
// meanwhile.
func (h *chatBook) detach(m *vm.Mod) (restore func()) {
	chat := maps.Clone(h.commands)
	maps.DeleteFunc(chat, func(_ string, c chatCommand) bool { return c.mod != m })
	return func() { maps.Copy(h.commands, chat) }
}

// A chatCommand is a command for players. If role is set, only players with that role can run it.
type chatCommand struct {
	mod          *vm.Mod
	run          *lua.LFunction
	name, params string
	help, role   string
	helpText     *textValue // of the help, if it is a text
}

// saidLine is the chat line being handled and its sender.
type saidLine struct {
	from sim.ID
	line string
}

// saidLineOf returns the chat line of a command. Only MessageSent carries a line typed by a person.
// Clients send other commands automatically, some with data the server has just sent them.
func saidLineOf(c *engine.Connection, name string, args []sim.Value) saidLine {
	if !strings.EqualFold(name, "MessageSent") || len(args) == 0 {
		return saidLine{}
	}
	return saidLine{c.ID(), args[0].Text()}
}

// matches reports whether a client has just typed this line after a slash. Roles belong to players,
// so a mod must not run a line on a player's behalf.
func (s saidLine) matches(c *engine.Connection, line string) bool {
	return s.from == c.ID() && s.line == "/"+line
}
