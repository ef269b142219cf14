package script

import (
	"log/slog"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/texts"
	"github.com/torc-engine/torc/script/vm"
)

// netLib has the functions for remote commands. The three callers are callable tables, so that
// `commandToClient.with{…}` works.
func netLib() vm.Lib {
	return bind.Chapter("Commands", []bind.Row{
		bind.Def("commandToServer", "cmd: string|tag, ...: any", vm.Client, "Calls serverCmd.CMD on the server, guaranteed and ordered.", nil),
		bind.Def("commandToClient", "client: Client|integer, cmd: string|tag, ...: any", vm.Server, "Calls clientCmd.CMD on one client, guaranteed and ordered.", nil),
		bind.Def("commandToAll", "cmd: string|tag, ...: any", vm.Server, "Calls clientCmd.CMD on every client, and later on every spectator.", nil),
		bind.Def("commandToWatchers", "cmd: string|tag, ...: any", vm.Server, "Calls clientCmd.CMD on every spectator when it sees the present tick, sv.watchDelay later. Objects that spectators do not see are nil. Costs nothing on a server without places for spectators.", sendToWatchers),
		bind.Def(`commandToClient.with{guarantee = "ordered", priority = 0}(client, cmd, ...)`, "", vm.Both, `The same with another delivery: "ordered", "guaranteed" or "none". The priority 0…3 applies only to commands that are not ordered. life, 1…60000, only with "none": milliseconds after which a command that no packet has carried yet is dropped.`, nil),
		bind.Def("commandToServer.with", deliveryParams+" -> fun(cmd: string|tag, ...: any)", vm.Client, "commandToServer with another delivery.", nil),
		bind.Def("commandToClient.with", deliveryParams+" -> fun(client: Client|integer, cmd: string|tag, ...: any)", vm.Server, "commandToClient with another delivery.", nil),
		bind.Def("commandToAll.with", deliveryParams+" -> fun(cmd: string|tag, ...: any)", vm.Server, "commandToAll with another delivery.", nil),
		bind.Def("runCommand", "cmd: string|tag, ...: any", vm.Client, "Runs clientCmd.CMD here, with its overrides, as if the server had called it.", runCommand),
		bind.Def("client:runCommand", "cmd: string|tag, ...: any", vm.Server, "Runs serverCmd.CMD with its overrides, as if the client had called it, for example with the key of a menu. The rules of allowCommand do not count. The player has typed nothing: a chat line with a command that needs a role is refused.", runClientCommand),
		bind.Def("function serverCmd.NAME(client: Client, ...: any)", "", vm.Server, "Handles commandToServer. serverCmdNAME is the same. Names are case-insensitive.", nil),
		bind.Def("function clientCmd.NAME(...: any)", "", vm.Client, "Handles commandToClient. clientCmdNAME is the same. A client among the arguments is a value with id and name here, and tostring is its name. Sent back, it is the client again, or nil if the client has left.", nil),
		bind.Def("allowCommand", "name: string, options: {args: string[]?, rate: number?, burst: number?}", vm.Both, "Sets the argument types and the rate limit of a command. They are checked before the handler runs. The types are \""+strings.Join(argTypes, "\", \"")+"\"; \"?\" after a type also allows nil. burst is how many calls can come at once (default rate).", allowCommand),
	})
}

const deliveryParams = `delivery: {guarantee: "ordered"|"guaranteed"|"none"?, priority: integer?, life: number?}`

// A commandSender is a function that sends a command.
type commandSender struct {
	name, params string
	realm        vm.Realm
	send         func(a bind.Call, o engine.CommandOptions)
}

var commandSenders = []commandSender{
	{"commandToServer", "cmd: string|tag, ...: any", vm.Client, sendToServer},
	{"commandToClient", "client: Client|integer, cmd: string|tag, ...: any", vm.Server, sendToClient},
	{"commandToAll", "cmd: string|tag, ...: any", vm.Server, sendToAll},
}

// installSenders creates the tables of the three callers.
func (x *instance) installSenders() {
	for i := range commandSenders {
		c := &commandSenders[i]
		l := x.mod.State.Lua()
		t, meta := l.CreateTable(0, 1), l.CreateTable(0, 2)
		meta.RawSetString("__call", x.bindSender(c, engine.CommandOptions{}, true))
		meta.RawSetString("__metatable", lua.LFalse)
		t.RawSetString("with", bind.Bind(x.mod.State, bind.Row{Name: c.name + ".with", Params: deliveryParams, Realm: c.realm, Fn: func(a bind.Call) int {
			return a.Return(x.bindSender(c, commandOptions(a), false))
		}}))
		t.Metatable = meta
		x.mod.SetGlobal(c.name, t)
	}
}

// bindSender makes a function that sends with options o. If asTable is set, it drops the first
// argument: the table passed by __call.
func (x *instance) bindSender(c *commandSender, o engine.CommandOptions, asTable bool) *lua.LFunction {
	return bind.Bind(x.mod.State, bind.Row{Name: c.name, Params: c.params, Realm: c.realm, Fn: func(a bind.Call) int {
		if asTable {
			a.L.Remove(1)
		}
		o.Mod = a.Mod.Name
		if t := a.Runtime().Tracer(); t != nil {
			t.Sent(o.Mod, c.name, bind.Rest(a, 1))
		}
		c.send(a, o)
		return 0
	}})
}

var guarantees = map[string]engine.Guarantee{
	"ordered": engine.Ordered, "guaranteed": engine.Guaranteed, "none": engine.Unguaranteed,
}

func commandOptions(a bind.Call) engine.CommandOptions {
	t := a.Options(1, "guarantee", "priority", "life")
	var o engine.CommandOptions
	if v := t.RawGetString("guarantee"); v != lua.LNil {
		g, ok := guarantees[bind.TextOf(v)]
		if !ok {
			a.Fail(`guarantee must be "ordered", "guaranteed" or "none", not %q`, bind.TextOf(v))
		}
		o.Guarantee = g
	}
	if v := t.RawGetString("priority"); v != lua.LNil {
		n, ok := v.(lua.LNumber)
		if !ok || !(n >= 0 && n <= 3) {
			a.Fail("priority must be 0…3")
		}
		o.Priority = uint8(n)
	}
	if v := t.RawGetString("life"); v != lua.LNil {
		n, ok := v.(lua.LNumber)
		if !ok || !(n >= 1 && n <= maxLife) {
			a.Fail("life must be 1…%d milliseconds", maxLife)
		}
		if o.Guarantee != engine.Unguaranteed {
			a.Fail(`life needs guarantee = "none": any other command arrives, however late`)
		}
		o.Life = time.Duration(float64(n) * float64(time.Millisecond))
	}
	return o
}

// maxLife is the longest life of a command in milliseconds.
const maxLife = 60_000

// commandArgs reads a command's name from argument i and its arguments after it.
func commandArgs(a bind.Call, i int) (sim.Value, []sim.Value) {
	return commandName(a, i), a.Values(i + 1)
}

// messageArgs is commandArgs for a command whose arguments can be texts.
func messageArgs(a bind.Call, i int) (name sim.Value, m commandMessage) {
	name = commandName(a, i)
	for at := i + 1; at <= a.N(); at++ {
		if t := textOf(a.Get(at)); t != nil {
			if m.texts == nil {
				m.texts = make([]*textValue, a.N()-i)
			}
			m.texts[at-i-1] = t
			a.Charge(t.parts)
		}
	}
	if m.texts == nil {
		m.values = a.Values(i + 1)
		return name, m
	}
	for at := i + 1; at <= a.N(); at++ {
		v := sim.Nil()
		if m.texts[at-i-1] == nil {
			var err error
			if v, err = bind.FromLua(a.Get(at)); err != nil {
				a.Fail("command argument %d: %s", at-i, err)
			}
		}
		m.values = append(m.values, v)
	}
	return name, m
}

// commandName reads a command's name from argument i.
func commandName(a bind.Call, i int) sim.Value {
	name, err := bind.FromLua(a.Any(i))
	if err != nil || name.Kind() != sim.KindTag && name.Kind() != sim.KindString {
		a.Wrong(i, "a tag or a string")
	}
	return name
}

func sendCommand(a bind.Call, c *engine.Connection, o engine.CommandOptions, name sim.Value, args []sim.Value) {
	a.Check(post(a, c, o, name, args))
}

func post(a bind.Call, c *engine.Connection, o engine.CommandOptions, name sim.Value, args []sim.Value) error {
	if a.Binding().World().InTransaction() {
		o.Failed = a.DeferredFailure()
	}
	if o.Guarantee == engine.Ordered {
		caller(a).warnOfQueue(c)
	}
	return c.Commands.Send(o, name, args)
}

// longQueue is how many bytes of a mod's commands wait for one client when the mod is warned: at
// 64 kbit/s the next one comes after 16 s.
const longQueue = 128 << 10

// warnOfQueue tells a mod once that its ordered commands wait for each other.
func (x *instance) warnOfQueue(c *engine.Connection) {
	if x.toldQueue || x.mod == x.scripts.operator || c.Commands.Queued(x.mod.Name) <= longQueue {
		return
	}
	x.toldQueue = true
	x.scripts.Runtime.Log(slog.LevelWarn, x.mod.Name+`: 128 KiB of its ordered commands wait for one client, and later ones wait behind them: send bulk with commandToClient.with { guarantee = "guaranteed" }`,
		"mod", x.mod.Name, "connection", uint32(c.ID()))
}

func sendToServer(a bind.Call, o engine.CommandOptions) {
	name, args := commandArgs(a, 1)
	c := caller(a).scripts.engine.Server()
	if c == nil {
		a.Check(caller(a).scripts.engine.Dialer.Unconnected())
	}
	sendCommand(a, c, o, name, args)
}

func sendToClient(a bind.Call, o engine.CommandOptions) {
	c := a.Client(1)
	name, message := messageArgs(a, 2)
	sendCommand(a, c, o, name, message.in(caller(a).scripts.readerOf(c)))
}

// sendToWatchers sends to the spectators.
func sendToWatchers(a bind.Call) int {
	name, message := messageArgs(a, 1)
	toWatchers(a, name, &message)
	return 0
}

// runCommand runs a command of the server without the server.
func runCommand(a bind.Call) int {
	name, args := commandArgs(a, 1)
	s := caller(a).scripts
	c := s.engine.Server()
	if c == nil {
		a.Check(s.engine.Dialer.Unconnected())
	}
	if !s.Hooks().Command(c, name.Text(), args) {
		a.Fail("unknown command %q", name.Text())
	}
	return 0
}

// runClientCommand runs a command of a client without the client.
func runClientCommand(a bind.Call) int {
	c := a.Client(1)
	name, args := commandArgs(a, 2)
	if !caller(a).scripts.runCommand(c, name.Text(), args) {
		a.Fail("unknown command %q", name.Text())
	}
	return 0
}

// toWatchers records a command for the spectators. All read one recording, in English.
func toWatchers(a bind.Call, name sim.Value, m *commandMessage) {
	s := caller(a).scripts
	a.Check(s.engine.Demos.Command(name, m.in(reader{language: texts.English, isolates: true, engine: s.engine})))
}

// installCommands creates the tables serverCmd and clientCmd. Assigning a function registers a
// handler; reading returns it.
func (x *instance) installCommands() {
	for _, t := range []*commandTable{&x.server, &x.client} {
		l := x.mod.State.Lua()
		table, meta := l.CreateTable(0, 0), l.CreateTable(0, 3)
		meta.RawSetString("__newindex", bind.Bind(x.mod.State, bind.Row{Name: t.prefix, Params: "table: table, name: string, handler: function?", Realm: vm.Both, Fn: func(a bind.Call) int {
			name := t.prefix + a.ShortString(2)
			t.defined(name)
			x.mod.SetGlobal(name, a.Get(3))
			return 0
		}}))
		meta.RawSetString("__index", bind.Bind(x.mod.State, bind.Row{Name: t.prefix, Params: "table: table, name: string", Realm: vm.Both, Fn: func(a bind.Call) int {
			if fn := t.find(x.mod, a.String(2)); fn != nil {
				return a.Return(fn)
			}
			return a.Return(lua.LNil)
		}}))
		meta.RawSetString("__metatable", lua.LFalse)
		table.Metatable = meta
		x.mod.SetGlobal(t.prefix, table)
	}
}

// isClient reports whether an object is a client of this server.
func (s *Scripts) isClient(id sim.ID) bool {
	c := s.engine.Connection(id)
	return c != nil && c.Inbound()
}

func allowCommand(a bind.Call) int {
	name, t := strings.ToLower(bind.TextOf(a.Any(1))), a.Options(2, "args", "rate", "burst")
	r := &commandRule{}
	switch args := t.RawGetString("args").(type) {
	case *lua.LNilType:
	default:
		a.Fail("args must be a list of types, not %s", bind.KindOf(args))
	case *lua.LTable:
		var types []string
		for i := 1; i <= args.Len(); i++ {
			types = append(types, bind.TextOf(args.RawGetInt(i)))
		}
		var err error
		if r.Args, err = parseArgs(types); err != nil {
			a.FailWith(err)
		}
	}
	r.Rate, r.Burst = a.Positive(t, "rate"), a.Positive(t, "burst")
	switch {
	case r.Burst == 0:
		r.Burst = max(1, r.Rate)
	case r.Burst < 1:
		a.Fail("burst must be at least 1, or every call is refused")
	}
	x := caller(a)
	if a.Mod.Runtime.Side == vm.Server {
		r.ownClient = x.scripts.isClient
		x.server.rules[name] = r
	} else {
		x.client.rules[name] = r
	}
	return 0
}
