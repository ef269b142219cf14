package script

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// The chatBook holds the commands that players can run from the chat.
type chatBook struct {
	commands map[string]chatCommand // by name in lower case
	said     typedLine
}

// A chatCommand is a command for players. If role is set, only players with that role can run it.
type chatCommand struct {
	mod          *vm.Mod
	run          *lua.LFunction
	name, params string
	help, role   string
}

// detach returns a function that restores the commands of a mod, which the console forgets meanwhile.
func (h *chatBook) detach(m *vm.Mod) (restore func()) {
	chat := maps.Clone(h.commands)
	maps.DeleteFunc(chat, func(_ string, c chatCommand) bool { return c.mod != m })
	return func() { maps.Copy(h.commands, chat) }
}

var roleName = regexp.MustCompile(`^[a-z0-9_]{1,32}$`)

// noCommand is the answer for an unknown command, and for one the player has no right to run. The
// player cannot tell the difference.
const noCommand = "no such command"

// notTyped is the answer if a mod runs a line that needs a role and the player has not typed it.
const notTyped = "a command that needs a role runs only as the player typed it, while that chat line is handled"

// typedLine is the chat line being handled and its sender.
type typedLine struct {
	from sim.ID
	line string
}

// typedLineOf returns the chat line of a command. Only MessageSent carries a line typed by a person.
// Clients send other commands automatically, some with data the server has just sent them.
func typedLineOf(c *engine.Connection, name string, args []sim.Value) typedLine {
	if !strings.EqualFold(name, "MessageSent") || len(args) == 0 {
		return typedLine{}
	}
	return typedLine{c.ID(), args[0].Text()}
}

// matches reports whether a client has just typed this line after a slash. Roles belong to players,
// so a mod must not run a line on a player's behalf.
func (s typedLine) matches(c *engine.Connection, line string) bool {
	return s.from == c.ID() && s.line == "/"+line
}

// runChatCommand returns to Lua whether the command succeeded, and its output.
func runChatCommand(a bind.Call) int {
	c, line := a.Client(1), a.String(2)
	words, err := console.Words(line)
	if err != nil || len(words) == 0 {
		return a.Return(lua.LFalse, lua.LString(noCommand))
	}
	for i, w := range words[1:] {
		words[i+1] = console.Clean(w) // quoted escapes can produce control characters
	}
	s := caller(a).scripts
	cmd, ok := s.chat.commands[strings.ToLower(words[0])]
	switch {
	case !ok && !s.permissions.rights.May(c, words[0]), ok && (cmd.mod.Suspended() != "" || cmd.role != "" && !s.permissions.hasRole(c, cmd.role)):
		return a.Return(lua.LFalse, lua.LString(noCommand))
	case (!ok || cmd.role != "") && a.Mod != s.operator && !s.chat.said.matches(c, line):
		return a.Return(lua.LFalse, lua.LString(notTyped))
	case !ok:
		return runForRole(a, c, words)
	}
	values := []lua.LValue{instanceOf(cmd.mod).values.Object(c.ID())}
	for _, w := range words[1:] {
		values = append(values, lua.LString(w))
	}
	out, err := s.Runtime.EnterCallback("command "+cmd.name, cmd.mod, cmd.run, values)
	if cmd.role != "" {
		s.permissions.audit(auditName(c), "/"+strings.Join(words, " "), err)
	}
	if err != nil {
		s.Runtime.Fail(cmd.mod, "/"+words[0], err)
		return a.Return(lua.LFalse, lua.LString("the command failed"))
	}
	return a.Return(lua.LTrue, lua.LString(joinText(out)))
}

// runForRole runs a console command for a client with a role that allows it.
func runForRole(a bind.Call, c *engine.Connection, words []string) int {
	s := caller(a).scripts
	if cmd, _ := s.console.Lookup(words[0]); cmd == nil {
		return a.Return(lua.LFalse, lua.LString(noCommand))
	}
	out, err := s.console.Call(words[0], words[1:])
	s.permissions.audit(auditName(c), "/"+strings.Join(words, " "), err)
	if err != nil {
		return a.Return(lua.LFalse, lua.LString(err.Error()))
	}
	return a.Return(lua.LTrue, lua.LString(out))
}

// auditName returns a client's name and key for the audit log.
func auditName(c *engine.Connection) string {
	return fmt.Sprintf("player %s (%s)", c.PlayerName, c.Key())
}

// chatCommands lists the commands available to a client, sorted by name.
func chatCommands(a bind.Call) int {
	c, s := a.Client(1), caller(a).scripts
	var lines []string
	for _, cmd := range s.chat.commands {
		if cmd.mod.Suspended() == "" && (cmd.role == "" || s.permissions.hasRole(c, cmd.role)) {
			lines = append(lines, chatLine(cmd.name, cmd.params, cmd.help))
		}
	}
	for _, name := range s.console.Names() {
		if cmd, _ := s.console.Lookup(name); cmd != nil && s.chat.commands[strings.ToLower(name)].mod == nil && s.permissions.rights.May(c, name) {
			lines = append(lines, chatLine(name, cmd.Params, cmd.Help))
		}
	}
	slices.Sort(lines)
	return a.Return(a.Binding().StringList(lines))
}

func chatLine(name, params, help string) string {
	line := strings.TrimSuffix("/"+name+" "+params, " ")
	if help != "" {
		line += ": " + help
	}
	return line
}
