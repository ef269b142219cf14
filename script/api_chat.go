package script

import (
	"fmt"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/script/bind"
)

// A chatRefusal is an answer of the engine itself to a chat line: in English, and by a name with
// which base says it in the language of the player.
type chatRefusal struct{ name, english string }

var (
	// noCommand is the answer for an unknown command, and for one the player has no right to run.
	// The player cannot tell the difference.
	noCommand = chatRefusal{"unknown", "no such command"}

	// notTyped is the answer if a mod runs a line that needs a role and the player has not typed
	// it.
	notTyped = chatRefusal{"untyped", "a command that needs a role runs only as the player typed it, while that chat line is handled"}

	// commandFailed is the answer if the function of the command has an error, which the log has.
	commandFailed = chatRefusal{"failed", "the command failed"}
)

// refuse returns a refusal to Lua.
func (r chatRefusal) refuse(a bind.Call) int {
	return a.Return(lua.LFalse, lua.LString(r.english), lua.LString(r.name))
}

// runChatCommand returns to Lua whether the command succeeded, its output, and the name of a
// refusal.
func runChatCommand(a bind.Call) int {
	c, line := a.Client(1), a.String(2)
	words, err := console.Words(line)
	if err != nil || len(words) == 0 {
		return noCommand.refuse(a)
	}
	for i, w := range words[1:] {
		words[i+1] = console.Readable(w) // quoted escapes can produce control characters
	}
	s := caller(a).scripts
	cmd, ok := s.chat.commands[strings.ToLower(words[0])]
	switch {
	case !ok && !s.permissions.rights.May(c, words[0]), ok && (cmd.mod.Suspended() != "" || cmd.role != "" && !s.permissions.hasRole(c, cmd.role)):
		return noCommand.refuse(a)
	case (!ok || cmd.role != "") && a.Mod != s.operator && !s.chat.said.matches(c, line):
		return notTyped.refuse(a)
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
		return commandFailed.refuse(a)
	}
	return a.Return(lua.LTrue, lua.LString(s.answerText(c, out)))
}

// runForRole runs a console command for a client with a role that allows it.
func runForRole(a bind.Call, c *engine.Connection, words []string) int {
	s := caller(a).scripts
	if cmd, _ := s.console.Lookup(words[0]); cmd == nil {
		return noCommand.refuse(a)
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
	for _, cmd := range s.chat.commands { // any order: the lines are sorted
		if cmd.mod.Suspended() == "" && (cmd.role == "" || s.permissions.hasRole(c, cmd.role)) {
			help := cmd.help
			if cmd.helpText != nil {
				help = cmd.helpText.finish(s.readerOf(c))
			}
			lines = append(lines, chatLine(cmd.name, cmd.params, help))
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
