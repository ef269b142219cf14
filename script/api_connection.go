package script

import (
	"math"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// connectionLib has the functions of connections: the clients of a server, or the server of a
// client.
func connectionLib() vm.Lib {
	return bind.Chapter("Connections", []bind.Row{
		bind.Def("connect", "address: string, [options: {name: string?, password: string?, args: string[]?}]", vm.Client, "Joins a server at HOST:PORT. HOST:PORT#KEY pins the server's key.", connect),
		bind.Def("disconnect", "[reason: string]", vm.Client, "Leaves the server.", disconnect),
		bind.Def("server", ": Client?", vm.Client, "The connection to the server, or nil.", nil),
		bind.Def("client.ping", ": number", vm.Both, "The round-trip time, in milliseconds.", nil),
		bind.Def("client.packetLoss", ": number", vm.Both, "The share of lost packets, 0…1.", nil),
		bind.Def("client.pingLeast", ": integer", vm.Both, "The shortest round-trip time of this connection in milliseconds. The difference to ping is the queue of the line, and its jitter.", nil),
		bind.Def("client.pingVariation", ": integer", vm.Both, "How much the round-trip time varies, in milliseconds.", nil),
		bind.Def("client.lineRate", ": number", vm.Both, "The rate that this side may send at, in bits per second, as the congestion control has found it. It is not the rate of the line until the line was full.", nil),
		bind.Def("client.queued", ": integer", vm.Both, "Bytes of this mod's commands to the peer that are not acknowledged yet. At 524,288 further commands fail.", nil),
		bind.Def("client.name", ": string", vm.Both, "The player's name; can be set.", nil),
		bind.Def("client.language", ": string", vm.Server, "The player's language, such as \"de\" or \"pt-BR\": what the client asked for, cleaned. It is \"en\" for bots and for clients that name none. text chooses by it.", nil),
		bind.Def("client.address", ": string", vm.Both, "The peer's address, HOST:PORT.", nil),
		bind.Def("client.key", ": string", vm.Both, "The fingerprint of the peer's key. All bots have the same: do not store scores by it.", nil),
		bind.Def("client.roles", ": string[]", vm.Server, "The roles that the operator gave the player, sorted.", nil),
		bind.Def("client.muted", ": string?", vm.Server, "Why the operator has muted the player, or nil. Then nobody else may see the player's text: chatLine of base and the stock mods hold to it.", nil),
		bind.Def("client:hasRole", "role: string -> boolean", vm.Server, "Returns whether the player has a role. The role admin satisfies every check.", func(a bind.Call) int {
			return a.Return(lua.LBool(caller(a).scripts.permissions.hasRole(a.Client(1), a.String(2))))
		}),
		bind.Def("client.phase", ": string", vm.Both, "The phase of the join.", nil),
		bind.Def("client.serverName", ": string", vm.Client, "The server's name.", nil),
		bind.Def("client:setRate", "rate: {packets: number?, size: number?}", vm.Both, "Limits what the server sends to the client: packets per second (1…5000) and bytes per packet (100…1400). setRate {} hands the rate back to the settings of the server and the client. On a client it is setReceiveRate, on a server setSendRate.", setRate),
		bind.Def("client:setReceiveRate", "rate: {packets: number?, size: number?}", vm.Both, "Sets the rate that this side can receive from the peer, whatever net.rate and net.size say.", setReceiveRate),
		bind.Def("client:setSendRate", "rate: {packets: number?, size: number?}", vm.Both, "Limits the rate at which this side sends to the peer. sv.maxRate and sv.maxSize hold as well.", setSendRate),
		bind.Def("client:disconnect", "[reason: string|Text]", vm.Both, "Ends the connection and tells the peer why.", disconnectClient),
		bind.Def("client:defer", "text: string -> function", vm.Server, "In onConnectRequest, makes the request wait, for example for the answer of a web service. The client shows the text (255 bytes at most). Returns a function: ok() lets the client in, ok(\"reason\") refuses it. Call it within 10 s, or the request is refused. It returns false if the answer comes too late, a second time, or for a client that has gone. Until then client:defer changes the text. Other clients do not wait. If several mods defer a request, all must agree. Seats, bans and sv.accepting are asked again at the answer. The request is refused if the mod is reloaded or suspended, and if the mission changes.", deferRequest),
		bind.Def("client:transmitDataBlocks", "sequence: integer", vm.Server, "Sends every datablock newer than the client's. Then onDataBlocksDone runs.", transmitMethod),
		bind.Def("client:enterGame", "", vm.Server, "Ends the join. The client is then in the game.", func(a bind.Call) int { a.Client(1).Join.Enter(); return 0 }),
		bind.Def("players", "[kind: \"people\"|\"bots\"] -> Client[]", vm.Server, "Returns the clients in the game in the order of their ids: people and bots, or one kind of them. clientGroup also has those that still join.", allPlayers),
		bind.Def("player", "name: string -> Client?, string?, string?", vm.Server, "Finds a client in the game by its name: the exact name first, then without regard to case, then the only name that begins so. If there is none or more than one, it returns nil, the reason in English, and \"none\" or \"several\".", findPlayer),
		bind.Def("pcallFor", "client: Client|integer, fn: function, ...: any -> boolean, ...: any", vm.Server, "Calls fn(client, ...) and returns true and its results. If fn fails, pcallFor reports a fault and returns false. After repeated faults, pcallFor skips the calls for this client for some seconds. Use it in handlers that do something for each client: then an error with one client does not stop the handler for the others.", pcallFor),
		bind.Def("setSimulatedNetParams", "conn: Client|integer?, params: {loss: number?, duplicate: number?, reorder: number?, delay: number?, jitter: number?}", vm.Both, "Simulates a bad link for a connection, in both directions. loss, duplicate and reorder are probabilities, 0…1; delay and jitter are milliseconds. On a client conn can be nil.", simulateLink),
	})
}

// phaseTexts holds the names of the phases as values of Lua, so that reading one allocates nothing.
var phaseTexts = [...]lua.LValue{
	lua.LString(engine.PhaseJoining.String()), lua.LString(engine.PhaseDataBlocks.String()),
	lua.LString(engine.PhaseGhosts.String()), lua.LString(engine.PhaseGame.String()),
}

// connectionProperty returns a reader of a property of connections, or nil.
func (x *instance) connectionProperty(key string) func(*engine.Connection) lua.LValue {
	switch key {
	case "controlObject":
		return func(c *engine.Connection) lua.LValue { return x.values.ObjectOrNil(c.Control.Object()) }
	case "scopeObject":
		return func(c *engine.Connection) lua.LValue { return x.values.ObjectOrNil(c.Visible.Object()) }
	case "ping", "pingLeast", "pingVariation", "lineRate", "packetLoss":
		return func(c *engine.Connection) lua.LValue { return lua.LNumber(c.Line.Measured()[key]) }
	case "damageFlash", "whiteOut", "firstPerson", "controlCameraFov":
		return func(c *engine.Connection) lua.LValue { return viewProperty(c, key) }
	case "queued":
		return func(c *engine.Connection) lua.LValue { return lua.LNumber(c.Commands.Queued(x.mod.Name)) }
	case "arrival":
		if x.scripts.parts != nil {
			return x.scripts.parts.arrival(x)
		}
	case "address":
		return func(c *engine.Connection) lua.LValue { return lua.LString(c.Address()) }
	case "language":
		return func(c *engine.Connection) lua.LValue { return lua.LString(c.Language()) }
	case "key":
		return func(c *engine.Connection) lua.LValue { return lua.LString(c.Key().String()) }
	case "roles":
		return x.rolesOf
	case "muted":
		return x.muted
	case "phase":
		return func(c *engine.Connection) lua.LValue { return phaseTexts[c.Join.Phase()] }
	case "serverName":
		return func(c *engine.Connection) lua.LValue { return lua.LString(c.Server.Name) }
	case "isBot":
		return func(c *engine.Connection) lua.LValue { return lua.LBool(c.Bot()) }
	case "moving":
		return func(c *engine.Connection) lua.LValue { return lua.LBool(c.Pilot.Moving()) }
	case "steeredBy":
		return x.steeredBy
	case "moves":
		return x.moveStats
	}
	return nil
}

// rolesOf returns the roles of a player as a list.
func (x *instance) rolesOf(c *engine.Connection) lua.LValue {
	return x.values.StringList(x.scripts.permissions.rights.Roles(c))
}

// muted returns why a player is muted, or nil.
func (x *instance) muted(c *engine.Connection) lua.LValue {
	if why := x.scripts.permissions.rights.Muted(c); why != "" {
		return lua.LString(why)
	}
	return lua.LNil
}

// viewProperty reads a property of a player's view.
func viewProperty(c *engine.Connection, key string) lua.LValue {
	first, fov := c.Camera.View()
	switch key {
	case "damageFlash":
		return lua.LNumber(c.Tints.Strength(engine.DamageFlash))
	case "whiteOut":
		return lua.LNumber(c.Tints.Strength(engine.WhiteOut))
	case "firstPerson":
		return lua.LBool(first)
	}
	return lua.LNumber(fov)
}

func connect(a bind.Call) int {
	var args engine.ConnectArgs
	if a.Has(2) {
		t := a.Options(2, "name", "password", "args")
		if v := t.RawGetString("name"); v != lua.LNil {
			args.Name = bind.TextOf(v)
		}
		if v := t.RawGetString("password"); v != lua.LNil {
			args.Password = bind.TextOf(v)
		}
		if list, ok := t.RawGetString("args").(*lua.LTable); ok {
			for i := 1; i <= list.Len(); i++ {
				args.Args = append(args.Args, bind.TextOf(list.RawGetInt(i)))
			}
		}
	}
	a.Check(caller(a).scripts.engine.Dialer.Connect(a.String(1), args))
	return 0
}

func disconnect(a bind.Call) int {
	a.Check(caller(a).scripts.engine.Dialer.Disconnect(a.OptString(1, "")))
	return 0
}

func disconnectClient(a bind.Call) int {
	c := a.Client(1)
	if t := textOf(a.Get(2)); t != nil {
		c.Disconnect(t.finish(caller(a).scripts.readerOf(c)))
		return 0
	}
	c.Disconnect(a.OptString(2, ""))
	return 0
}

func rateArg(a bind.Call, i int) engine.Rate {
	t := a.Options(i, "packets", "size")
	packets, size := a.Positive(t, "packets"), a.Positive(t, "size")
	if packets == 0 && size == 0 {
		return engine.Rate{} // back to the settings
	}
	if packets < 1 || packets > engine.MaxPacketRate {
		a.Fail("packets must be 1…5000")
	}
	if size < 100 || size > engine.MaxPacket {
		a.Fail("size must be 100…%d", engine.MaxPacket)
	}
	return engine.Rate{Packets: packets, Size: int(size)}
}

func setRate(a bind.Call) int {
	if a.Client(1).Inbound() {
		return setSendRate(a)
	}
	return setReceiveRate(a)
}

func setReceiveRate(a bind.Call) int {
	a.Client(1).Line.SetReceiveRate(rateArg(a, 2))
	return 0
}

func setSendRate(a bind.Call) int {
	a.Client(1).Line.SetSendRate(rateArg(a, 2))
	return 0
}

// sequence returns argument i, a sequence number that the peer sends back.
func sequence(a bind.Call, i int) uint32 {
	n := a.Number(i)
	if !(n >= 0 && n <= math.MaxUint32) || n != math.Trunc(n) {
		a.Fail("argument %s must be a whole number from 0 to 2^32-1, not %g", a.Label(i), n)
	}
	return uint32(n)
}

func transmitMethod(a bind.Call) int {
	a.Client(1).Blocks.Transmit(sequence(a, 2))
	return 0
}

func simulateLink(a bind.Call) int {
	c := caller(a).scripts.engine.Server()
	if a.Has(1) {
		c = a.Client(1)
	}
	if c == nil {
		a.Check(caller(a).scripts.engine.Dialer.Unconnected())
	}
	t := a.Options(2, "loss", "duplicate", "reorder", "delay", "jitter")
	share := func(key string) float64 {
		v, ok := t.RawGetString(key).(lua.LNumber)
		if ok && v >= 0 && v <= 1 {
			return float64(v)
		}
		if t.RawGetString(key) != lua.LNil {
			a.Fail("%s must be 0…1", key)
		}
		return 0
	}
	ms := func(key string) time.Duration {
		v, ok := t.RawGetString(key).(lua.LNumber)
		if ok && v >= 0 && v <= 60_000 {
			return time.Duration(float64(v) * float64(time.Millisecond))
		}
		if t.RawGetString(key) != lua.LNil {
			a.Fail("%s must be 0…60000 ms", key)
		}
		return 0
	}
	c.Line.SetLink(engine.LinkParams{
		Loss: share("loss"), Duplicate: share("duplicate"), Reorder: share("reorder"),
		Delay: ms("delay"), Jitter: ms("jitter"),
	})
	return 0
}

// moveStats returns the move statistics of a connection as a table.
func (x *instance) moveStats(c *engine.Connection) lua.LValue {
	s := &c.Control.Stats
	t := x.mod.State.Lua().CreateTable(0, 10)
	for _, row := range []struct {
		name string
		n    float64
	}{
		{"done", float64(s.Moves)}, {"null", float64(s.Null)}, {"dropped", float64(s.Dropped)},
		{"mismatches", float64(s.Mismatches)}, {"made", float64(s.Made)}, {"halts", float64(s.Halts)},
		{"states", float64(s.States)}, {"corrections", float64(s.Corrections)}, {"visible", float64(s.Visible)},
		{"largestWarp", s.LargestWarp},
	} {
		t.RawSetString(row.name, lua.LNumber(row.n))
	}
	return t
}

// steeredBy returns the name of the mod that steered a connection last, or nil.
func (x *instance) steeredBy(c *engine.Connection) lua.LValue {
	if by := x.scripts.objects.steeredBy[c.ID()]; by != "" {
		return lua.LString(by)
	}
	return lua.LNil
}
