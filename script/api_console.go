package script

import (
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/names"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/texts"
	"github.com/torc-engine/torc/script/vm"
)

// consoleLib has the functions for console commands and variables.
func consoleLib() vm.Lib {
	return bind.Chapter("Console", []bind.Row{
		bind.Def("addCommand", "command: {name: string, params: string?, description: string|Text?, role: string?, chat: boolean?, run: function}", vm.Both, "Adds a console command. It calls run(caller, ...) and prints the results. At the console caller is nil. With chat = true, players call it as /name; with a role, only players with that role.", addCommand),
		bind.Def("setting \"name\" {default, min, max, integer, choices, description, changed}", "", vm.Both, "Adds a console variable and returns a handle with .value. integer = true allows only whole numbers, choices = {…} only these strings. changed(value) runs after a change.", nil),
		bind.Def("setting", "name: string -> fun(options: {default: any, min: number?, max: number?, integer: boolean?, choices: string[]?, description: string?, changed: function?}): Setting", vm.Both, "The function that the notation above calls.", setting),
		bind.Def("Setting.value", ": any", vm.Both, "The value of a setting. A new value must be in the setting's range.", nil),
		bind.Def("runChatCommand", "client: Client|integer, line: string -> boolean, string?, string?", vm.Server, "Runs the line \"name words\" for a client: a command with chat = true, or a console command that a role of the client allows. Returns false and the reason on failure. A third result names a reason of torc itself, for texts in other languages: \"unknown\", \"untyped\" or \"failed\". A line that needs a role must be the text that the client has sent after a slash with the command MessageSent, and must run while that command is handled.", runChatCommand),
		bind.Def("chatCommands", "client: Client|integer -> string[]", vm.Server, "Lists the commands that a client can run from the chat, one per line: /NAME PARAMS and the description.", chatCommands),
		bind.Def("kick, net.rate, …", "", vm.Both, "At the console, every command is a function and every variable a field. A mod can read variables. A mod can call a command if its mod.toml asks for the permission console.NAME and the operator grants it with `mod.grant`.", nil),
	})
}

func addCommand(a bind.Call) int {
	t := a.Options(1, "name", "params", "description", "role", "chat", "run")
	name, named := t.RawGetString("name").(lua.LString)
	if !named {
		a.Fail("name must be a string")
	}
	if len(name) > sim.MaxName {
		a.Fail("the name of a command has at most %d bytes, not %d", sim.MaxName, len(name))
	}
	a.Charge(bind.MakeCost)
	return registerCommand(a, string(name), t)
}

// registerCommand registers a console command from a table of options.
func registerCommand(a bind.Call, name string, t *lua.LTable) int {
	x := caller(a)
	run, ok := t.RawGetString("run").(*lua.LFunction)
	if !ok {
		a.Fail("run must be a function")
	}
	text := func(key string) string {
		if v := t.RawGetString(key); v != lua.LNil {
			return resultText(v)
		}
		return ""
	}
	c := x.scripts.console
	if old, _ := c.Lookup(name); old != nil && x.scripts.settings.registered[name] == a.Mod {
		c.Unregister(name)
		delete(x.scripts.chat.commands, strings.ToLower(name))
	}
	checkConsoleName(a, name)
	role := text("role")
	if role != "" && !names.Short(role) {
		a.Fail("role %s must be 1 to 32 of a–z, 0–9 and _", console.Quote(role))
	}
	err := c.Register(console.Command{
		Name: name, Params: text("params"), Help: text("description"),
		Run: func(args []string) (string, error) { return x.runCommand(name, run, args) },
	})
	if err != nil {
		a.Fail("%s", err)
	}
	x.scripts.settings.registered[name] = a.Mod
	if t.RawGetString("chat") == lua.LTrue {
		x.scripts.chat.commands[strings.ToLower(name)] = chatCommand{mod: a.Mod, run: run, name: name, params: text("params"), help: text("description"), helpText: textOf(t.RawGetString("description")), role: role}
	}
	return 0
}

// runCommand runs a Lua command from the console.
func (x *instance) runCommand(name string, run *lua.LFunction, args []string) (string, error) {
	values := []lua.LValue{lua.LNil}
	for _, arg := range args {
		values = append(values, lua.LString(arg))
	}
	out, err := x.scripts.Runtime.EnterEvent("command "+name, x.mod, run, x.scripts.Runtime.Limits().Line, values)
	if err != nil {
		return "", x.forPlayer(err)
	}
	return joinText(out), nil
}

// forPlayer returns the error of a command as its user reads it. That there is no server at present
// is no mistake of the mod, so the sentence goes without file and line.
func (x *instance) forPlayer(err error) error {
	if why := x.scripts.engine.Dialer.Unconnected(); strings.HasSuffix(err.Error(), ": "+why.Error()) {
		return why
	}
	return err
}

// joinText joins the results of a command, one line per value.
func joinText(values []lua.LValue) string {
	var lines []string
	for _, v := range values {
		if v != lua.LNil {
			lines = append(lines, resultText(v))
		}
	}
	return strings.Join(lines, "\n")
}

// resultText returns a result of a command: text as it is, any other value in Lua syntax.
func resultText(v lua.LValue) string {
	switch v := v.(type) {
	case lua.LString:
		return string(v)
	case *lua.LUserData:
		if t, ok := v.Value.(bind.Tag); ok {
			return t.Value.Text()
		}
		if t, ok := v.Value.(*textValue); ok {
			return t.finish(reader{language: texts.English})
		}
	}
	return bind.NewPrinter().Line(v)
}

func anyToLua(v any) lua.LValue {
	switch v := v.(type) {
	case float64:
		return lua.LNumber(v)
	case bool:
		return lua.LBool(v)
	case string:
		return lua.LString(v)
	}
	return lua.LString(fmt.Sprint(v))
}

// A namespace is the prefix of dotted console names: net in net.rate.
type namespace struct{ prefix string }

// ConsoleName implements store.Holder.
func (x *instance) ConsoleName(name string) lua.LValue { return x.consoleName(name) }

// consoleName returns the Lua value of a console name: a function for a command, the value of a
// variable, or a namespace for a prefix of dotted names. A namespace can be called if it is also a
// command. For an unknown name consoleName returns nil.
func (x *instance) consoleName(name string) lua.LValue {
	c := x.scripts.console
	cmd, v := c.Lookup(name)
	if v != nil {
		return anyToLua(console.Any(v.Value))
	}
	for _, n := range c.Names() {
		if strings.HasPrefix(n, name+".") {
			return x.values.Userdata(namespace{name + "."}, x.meta.namespace)
		}
	}
	if cmd != nil {
		return bind.Bind(x.mod.State, commandRow(cmd.Name))
	}
	return nil
}

// commandRow makes a row that runs a console command. Mods need the permission for it.
func commandRow(name string) bind.Row {
	return bind.Row{Name: name, Params: "...: any", Realm: vm.Both, Fn: func(a bind.Call) int {
		a.Check(caller(a).checkPermission("console." + name))
		var args []string
		for i := 1; i <= a.N(); i++ {
			v, err := bind.FromLua(a.Get(i))
			if err != nil {
				a.Fail("argument %d: %s", i, err)
			}
			if v.Kind() == sim.KindObject {
				args = append(args, fmt.Sprint(uint32(v.Object())))
				continue
			}
			args = append(args, v.String())
		}
		out, err := caller(a).scripts.console.Call(name, args)
		if manifestOf(a.Mod) != nil {
			caller(a).scripts.permissions.audit("mod "+a.Mod.Name, strings.TrimSuffix(name+" "+console.Join(args), " "), err)
		}
		if err != nil {
			a.Fail("%s", err)
		}
		if out == "" {
			return 0
		}
		return a.Text(out)
	}}
}

var namespaceMeta = []bind.Row{
	bind.Def("__call", "", vm.Both, "", callNamespace),
	bind.Def("__index", "", vm.Both, "", indexNamespace),
	bind.Def("__newindex", "", vm.Both, "", setNamespace),
}

func namespaceArg(a bind.Call) string {
	n, ok := bind.DataArg[namespace](a, 1)
	if !ok {
		a.Wrong(1, "a name of the console")
	}
	return n.prefix
}

func indexNamespace(a bind.Call) int {
	name := namespaceArg(a) + a.String(2)
	v := caller(a).consoleName(name)
	if v == nil {
		a.Fail("the console has no %s", name)
	}
	return a.Return(v)
}

// callNamespace runs a command whose name is also a namespace. Example: net is a command, and
// net.rate is a variable.
func callNamespace(a bind.Call) int {
	name := strings.TrimSuffix(namespaceArg(a), ".")
	if cmd, _ := caller(a).scripts.console.Lookup(name); cmd == nil {
		a.Fail("%s is not a console command", name)
	}
	a.L.Remove(1)
	command := commandRow(name).Func()
	return command.Fn(vm.Args{L: a.L, Mod: a.Mod, Row: &command})
}

func setNamespace(a bind.Call) int {
	name := namespaceArg(a) + a.String(2)
	if manifestOf(a.Mod) != nil {
		a.Fail("%s is read-only for mods; the operator sets it", name)
	}
	a.Check(caller(a).scripts.console.Set(name, settingText(a, 3)))
	return 0
}
