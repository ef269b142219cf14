package trial

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/messages"
	"github.com/torc-engine/torc/script/store"
	"github.com/torc-engine/torc/script/vm"
)

// A Fleet has the other servers of a test, which the test plays. It carries the messages of mods to
// them. A test without such a server is in no fleet.
type Fleet struct {
	// Changed tells the mods that a server has come, has gone, or has another state.
	Changed func(s *FleetServer, how FleetChange)

	values    *values        // that the servers share
	tests     *testState     // nil until the first test file is loaded
	servers   []*FleetServer // by name, until they are gone
	changes   []change       // for the next tick
	questions []question     // of mods, for the next tick
	asked     uint64         // questions of the test
}

// NewFleet returns a fleet without other servers.
func NewFleet() *Fleet {
	f := &Fleet{}
	f.values = newValues(f)
	return f
}

// Values returns what keeps the values that the servers share.
func (f *Fleet) Values() store.Fleet { return f.values }

// FailValues makes the next batch of values fail, with a reason; "" takes that back.
func (f *Fleet) FailValues(why string) { f.values.fails = why }

// FailsValues reports whether the next batch of values fails.
func (f *Fleet) FailsValues() bool { return f.values.fails != "" }

// A change of a server, which mods hear of in the next tick.
type change struct {
	server *FleetServer
	how    FleetChange
}

// A FleetChange says what has happened to a server.
type FleetChange int

// The changes.
const (
	FleetServerChanged FleetChange = iota
	FleetServerJoined
	FleetServerLeft
)

// FleetName is the name of the server of the tests in its fleet.
const FleetName = "test"

const (
	maxFleetServers = 64     // of a test
	maxReceived     = 10_000 // messages that a server keeps for the test
)

// A FleetServer is another server, whom the test plays.
type FleetServer struct {
	Name, Title, Mission, State string
	Players, Max                int
	Own                         []byte // of the tested mod there, encoded as stored values are; nil: none

	dead     bool  // it says nothing more
	goneAt   int64 // simulation time in ms when the others notice that
	received []messages.Note
	answers  map[string]*lua.LFunction // by topic
	replies  map[uint64]reply          // to questions of the test
	arrived  []Arrival
	refuses  string // why it takes no players; "" if it takes them
}

// A question is one of a mod to a server of the test.
type question struct {
	to     *FleetServer
	number uint64
	messages.Note
}

// A reply is an answer of a mod to the test.
type reply struct {
	value []byte
	why   string
}

// Servers returns the servers, by name.
func (f *Fleet) Servers() []*FleetServer { return f.servers }

// server returns the server with a name, or nil.
func (f *Fleet) server(name string) *FleetServer {
	if i := slices.IndexFunc(f.servers, func(s *FleetServer) bool { return s.Name == name }); i >= 0 {
		return f.servers[i]
	}
	return nil
}

// Reaches is part of messages.Carrier.
func (f *Fleet) Reaches(server string) error {
	if f.server(server) == nil {
		return fmt.Errorf("there is no server %q in the fleet", server)
	}
	return nil
}

// Send is part of messages.Carrier.
func (f *Fleet) Send(to string, n messages.Note) {
	for _, s := range f.servers {
		if (to == "" || to == s.Name) && !s.dead && len(s.received) < maxReceived {
			s.received = append(s.received, n)
		}
	}
}

// Ask is part of messages.Carrier.
func (f *Fleet) Ask(to string, number uint64, n messages.Note) {
	if s := f.server(to); s != nil {
		f.questions = append(f.questions, question{s, number, n})
	}
}

// Answer is part of messages.Carrier.
func (f *Fleet) Answer(to string, number uint64, value []byte, why string) {
	if s := f.server(to); s != nil {
		s.replies[number] = reply{value, why}
	}
}

// BeginTick tells the mods which servers have changed, and answers their questions. Call it at the
// start of each tick.
func (f *Fleet) BeginTick() {
	t := f.tests
	if t == nil {
		return
	}
	for _, s := range slices.Clone(f.servers) {
		if s.dead && t.trial.engine.Now() >= s.goneAt {
			f.remove(s)
		}
	}
	changes, questions := f.changes, f.questions
	f.changes, f.questions = nil, nil
	for _, c := range changes {
		f.Changed(c.server, c.how)
	}
	for _, q := range questions {
		if fn := q.to.answers[q.Topic]; fn != nil && !q.to.dead {
			t.reply(fn, q)
		} // else the question ends after its time
	}
}

// remove takes a server out of the fleet.
func (f *Fleet) remove(s *FleetServer) {
	f.servers = slices.DeleteFunc(f.servers, func(o *FleetServer) bool { return o == s })
	f.changes = append(f.changes, change{s, FleetServerLeft})
}

// reply answers a question of a mod with the function of a test.
func (t *testState) reply(fn *lua.LFunction, q question) {
	value, err := t.answer(fn, q)
	why := ""
	if err != nil {
		why = "the answer of the test fails: " + err.Error()
		t.trial.runtime.Log(slog.LevelError, why, "server", q.to.Name, "topic", q.Topic)
	}
	t.messages().Reply(q.number, value, why)
}

// answer calls the function of a test that answers a question.
func (t *testState) answer(fn *lua.LFunction, q question) ([]byte, error) {
	asked, err := t.decode(q.Value)
	if err != nil {
		return nil, err
	}
	out, err := t.trial.runtime.EnterWith(testLimit, t.mod, fn, asked)
	if err != nil || len(out) == 0 || out[0] == lua.LNil {
		return nil, err
	}
	return store.Encode(out[0])
}

// messages returns the messages of the mods.
func (t *testState) messages() *messages.Set { return t.mod.Binding.(messages.Holder).Messages() }

// decode decodes a value of a message.
func (t *testState) decode(value []byte) (lua.LValue, error) {
	if len(value) == 0 {
		return lua.LNil, nil
	}
	return store.Decode(bind.Of(t.mod), value)
}

// decodedRow returns a table with a decoded value under a key.
func decodedRow(a bind.Call, key string, value []byte) *lua.LTable {
	t := testsOf(a)
	row := t.mod.State.Lua().NewTable()
	v, err := t.decode(value)
	a.Check(err)
	row.RawSetString(key, v)
	return row
}

// fleetRows are the functions of test files for other servers.
func fleetRows() []bind.Row {
	return slices.Concat(serverRows(), valueRows(), arrivalRows())
}

func serverRows() []bind.Row {
	return []bind.Row{
		bind.Def("fleetServer", "name: string, [state: {title: string?, mission: string?, players: number?, max: number?, state: string?, own: table?}] -> TestServer", vm.Server, "Adds a server to the fleet, whom the test plays; mods see it from the next tick on. The server of the test has the name \"test\" then. own is fleet.own of the tested mod there. The server leaves at the end of the test.", addFleetServer),
		bind.Def("TestServer.name", ": string", vm.Server, "Its name.", nil),
		bind.Def("TestServer:set", "state: {title: string?, mission: string?, players: number?, max: number?, state: string?, own: table?}", vm.Server, "Changes what the other servers see of it.", setFleetServer),
		bind.Def("TestServer:send", "topic: string, [value: any]", vm.Server, "Sends a message to the tested mod: onFleetMessage runs in the next tick.", sendAsServer),
		bind.Def("TestServer:messages", "-> {mod: string, topic: string, value: any}[]", vm.Server, "Returns the messages that mods have sent to it since the last call. They leave at the end of a tick.", readMessages),
		bind.Def("TestServer:answers", "topic: string, fn: fun(value: any): any", vm.Server, "Answers the questions of this topic from now on. Other questions get no answer.", answerAsServer),
		bind.Def("TestServer:ask", "topic: string, [value: any] -> any, string?", vm.Server, "Asks the tested mod, waits, and returns the result of onFleetAsk, or nil and the reason.", askAsServer),
		bind.Def("TestServer:die", "", vm.Server, "Ends the server without a word: nobody answers from now on, and the others notice it after 6 s.", killServer),
	}
}

// serverMeta is the metatable of the servers of a test.
var serverMeta = []bind.Row{
	bind.Def("__index", "", vm.Server, "", indexServer),
	bind.Def("__newindex", "", vm.Server, "", func(a bind.Call) int { a.Fail("change a test server with set { … }"); return 0 }),
	bind.Def("__tostring", "", vm.Server, "", func(a bind.Call) int { return a.Text("test server " + serverArg(a).Name) }),
}

func (*FleetServer) Kind() string { return "a test server" }

func indexServer(a bind.Call) int {
	s, key := serverArg(a), a.String(2)
	if key == "name" {
		return a.Text(s.Name)
	}
	if fn := testsOf(a).serverMethods[key]; fn != nil {
		return a.Return(fn)
	}
	a.Fail("a test server has no %q", key)
	return 0
}

// serverArg returns argument 1, a server of the test.
func serverArg(a bind.Call) *FleetServer {
	s, ok := bind.DataArg[*FleetServer](a, 1)
	if !ok {
		a.Wrong(1, "a test server")
	}
	return s
}

// livingArg returns argument 1, a server of the test that lives.
func livingArg(a bind.Call) *FleetServer {
	s := serverArg(a)
	if s.dead {
		a.Fail("the server %s is dead", s.Name)
	}
	return s
}

func addFleetServer(a bind.Call) int {
	runningTest(a)
	t, name := testsOf(a), a.String(1)
	f := t.stage.Fleet()
	switch {
	case !validServer(name) || name == FleetName:
		a.Fail("%s is not the name of another server: 1 to 32 of a-z, 0-9 and -", bind.Quote(name))
	case f.server(name) != nil:
		a.Fail("the fleet has a server %s already", name)
	case len(f.servers) >= maxFleetServers:
		a.Fail("a test can have at most %d servers", maxFleetServers)
	}
	s := &FleetServer{Name: name, Title: name, State: "ready", Max: 32, answers: map[string]*lua.LFunction{}, replies: map[uint64]reply{}}
	readServer(a, s)
	f.servers = append(f.servers, s)
	slices.SortStableFunc(f.servers, func(x, y *FleetServer) int { return strings.Compare(x.Name, y.Name) })
	t.nameServer(lua.LString(FleetName))
	f.changes = append(f.changes, change{s, FleetServerJoined})
	return a.Return(bind.Of(t.mod).Userdata(s, t.serverMeta))
}

// validServer reports whether a text can be the name of a server.
func validServer(name string) bool {
	return name != "" && len(name) <= 32 && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// readServer reads argument 2, what the others see of a server.
func readServer(a bind.Call, s *FleetServer) {
	if !a.Has(2) {
		return
	}
	o := a.Options(2, "title", "mission", "players", "max", "state", "own")
	for key, to := range map[string]*string{"title": &s.Title, "mission": &s.Mission, "state": &s.State} { // any order: each sets one field
		if o.RawGetString(key) != lua.LNil {
			*to = optionText(a, o, key)
		}
	}
	for key, to := range map[string]*int{"players": &s.Players, "max": &s.Max} { // any order: each sets one field
		if n, ok := o.RawGetString(key).(lua.LNumber); ok {
			*to = int(n)
		}
	}
	if own := o.RawGetString("own"); own != lua.LNil {
		b, err := store.Encode(own)
		a.Check(err)
		s.Own = b
	}
}

func setFleetServer(a bind.Call) int {
	s, f := livingArg(a), testsOf(a).stage.Fleet()
	readServer(a, s)
	f.changes = append(f.changes, change{s, FleetServerChanged})
	return 0
}

// noteArg reads a topic and a value from argument 2 on.
func noteArg(a bind.Call) messages.Note {
	n := messages.Note{Mod: a.Mod.Name, Topic: a.String(2)}
	if a.Has(3) {
		b, err := store.Encode(a.Get(3))
		a.Check(err)
		n.Value = b
	}
	a.Check(n.Check())
	return n
}

func sendAsServer(a bind.Call) int {
	s := livingArg(a)
	testsOf(a).messages().Receive(messages.Incoming{From: s.Name, Note: noteArg(a)})
	return 0
}

func readMessages(a bind.Call) int {
	s := serverArg(a)
	list := testsOf(a).mod.State.Lua().NewTable()
	for _, n := range s.received {
		line := decodedRow(a, "value", n.Value)
		line.RawSetString("mod", lua.LString(n.Mod))
		line.RawSetString("topic", lua.LString(n.Topic))
		list.Append(line)
	}
	s.received = nil
	return a.Return(list)
}

func answerAsServer(a bind.Call) int {
	livingArg(a).answers[a.String(2)] = a.Function(3)
	return 0
}

func askAsServer(a bind.Call) int {
	s, t, note := livingArg(a), testsOf(a), noteArg(a)
	f := t.stage.Fleet()
	f.asked++
	number := f.asked
	t.messages().Receive(messages.Incoming{From: s.Name, Question: true, Number: number, Note: note})
	until := t.trial.engine.Now() + messages.AskTime.Milliseconds()
	return waitUntil(a, "ask "+s.Name, func() ([]lua.LValue, bool, error) {
		r, answered := s.replies[number]
		switch {
		case answered && r.why != "":
			return []lua.LValue{lua.LNil, lua.LString(r.why)}, true, nil
		case answered:
			value, err := t.decode(r.value)
			return []lua.LValue{value}, true, err
		case t.trial.engine.Now() >= until:
			return []lua.LValue{lua.LNil, lua.LString("the mod has not answered within 2 s")}, true, nil
		}
		return nil, false, nil
	})
}

func killServer(a bind.Call) int {
	s := livingArg(a)
	s.dead, s.goneAt = true, testsOf(a).trial.engine.Now()+goneAfter
	return 0
}

// goneAfter is how long a server counts after its last word, in ms.
const goneAfter = 6000

// leaveFleet takes all servers out of the fleet at the end of a test.
func (t *testState) leaveFleet() {
	f := t.stage.Fleet()
	for _, s := range slices.Clone(f.servers) {
		s.dead = true
		f.remove(s)
	}
	f.questions = nil
	t.nameServer(lua.LNil)
}

// nameServer sets fleet.name of all mods.
func (t *testState) nameServer(name lua.LValue) {
	for _, m := range t.trial.runtime.Mods {
		if library, ok := m.Global("fleet").(*lua.LTable); ok {
			library.RawSetString("name", name)
		}
	}
}
