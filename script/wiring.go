package script

import (
	"errors"
	"io/fs"
	"log/slog"
	"slices"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/form"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/manifest"
	"github.com/torc-engine/torc/script/messages"
	"github.com/torc-engine/torc/script/sockets"
	"github.com/torc-engine/torc/script/store"
	"github.com/torc-engine/torc/script/trial"
	"github.com/torc-engine/torc/script/vm"
)

// NewScripts makes the scripts of a host, with no mods except the console's own state. The order
// of its steps matters: the values exist before the API is installed, and the API before the first
// state, because the runtime's OnModCreated gives each new state its instance, which refers to all
// of them.
func NewScripts(s Setup) (*Scripts, error) {
	if s.Engine.IsServer() && s.Parts == nil {
		return nil, errors.New("BUG: the scripts of a server need Setup.Parts")
	}
	x := &Scripts{engine: s.Engine, console: s.Console, env: &bind.Env{Engine: s.Engine, MaxTags: defaultTags}, caps: defaultCaps, parts: s.Parts, fleet: s.Fleet, fleetNews: map[string]*fleetNews{}}
	x.Runtime = vm.New(runtimeConfig(x, s))
	x.env.Runtime = x.Runtime
	makeValues(x, s)
	if err := install(x); err != nil {
		return nil, err
	}
	makeOperator(x)
	if err := errors.Join(x.caps.bind(s.Console, &x.env.MaxTags, &x.storage.MaxBytes), bindLimits(x.Runtime.LimitsVar(), s.Console)); err != nil {
		return nil, err
	}
	return x, bindConsole(x)
}

// runtimeConfig returns the config of the runtime. Its functions use values of x that makeValues
// makes later: the runtime calls them for the first time when makeOperator makes a state.
func runtimeConfig(x *Scripts, s Setup) vm.Config {
	side := vm.Client
	if s.Engine.IsServer() {
		side = vm.Server
	}
	return vm.Config{
		Side: side, Seed: s.Seed, Date: s.Date, Clock: s.Clock, Thread: s.Thread, Heap: s.Heap, Live: s.Live, Log: s.Log, Protos: s.Protos, Collect: s.Collect, Verdict: s.Verdict, Foretold: s.Foretold, Fault: s.Fault, Kind: bind.KindOfData, Origin: func(p vm.Peer) string { return x.causes.origin(p) },
		Now: func() time.Duration { return time.Duration(s.Engine.Now()) * time.Millisecond },
		OnModCreated: func(m *vm.Mod) {
			m.Vital = m.Name == manifest.Base || m.Name == manifest.Console
			newInstance(x, m)
			x.storage.Load(m)
			x.mods.alive = append(x.mods.alive, m)
		},
	}
}

// makeValues makes the values of scripts that have a runtime. Each stands behind those that it
// gets.
func makeValues(x *Scripts, s Setup) {
	world := s.Engine.World()
	x.screen = &screen{echo: s.Echo, message: s.Message, effect: s.Effect, show: s.Hud, elements: func() []*form.Element {
		if c := s.Engine.Server(); c != nil {
			return c.Forms().Elements()
		}
		return nil
	}}
	x.forms = &formBook{scripts: x, open: map[formKey]openedForm{}}
	x.chat = &chatBook{commands: map[string]chatCommand{}}
	x.settings = newModSettings(s.Console, &x.caps, x.warn)
	x.permissions = newPermissions(x.Runtime, s.Rights, s.Audit)
	x.objects = newObjectRoster(world, x.warn)
	x.owners = &blockOwners{runtime: x.Runtime, classes: world.Classes(), blocks: map[string]string{}}
	x.chains = newCallChains(x.Runtime, x.owners)
	x.dispatch = &dispatcher{runtime: x.Runtime, chains: x.chains, env: x.env, postponed: map[vm.Peer]int{}, clashes: map[string]bool{}}
	x.owners.handler = x.dispatch.handler
	x.gates = &gates{runtime: x.Runtime, dispatch: x.dispatch}
	x.ticks = &objectTicks{engine: s.Engine, dispatch: x.dispatch}
	x.fields = newFieldChanges(s.Engine, x.dispatch)
	x.causes = &causes{world: world, runtime: x.Runtime}
	x.mission = &mission{engine: s.Engine, dispatch: x.dispatch, gates: x.gates, forms: x.forms, seq: 1}
	x.mods = newModRoster(x, s.Mods)
	x.reloads = &reloads{scripts: x, runTests: s.RunTests, answerLater: s.AnswerLater, pending: map[string]bool{}}
	x.storage = store.New(x.Runtime, s.Store)
	if s.Shared != nil && x.parts != nil {
		x.parts.share(x.storage, s.Shared)
	}
	x.trial = trial.New(s.Engine, x.Runtime, s.TestNetwork)
	x.sockets, x.messages = noSockets{}, noMessages{}
	if x.parts != nil {
		x.messages = x.parts.messages(messages.Config{Runtime: x.Runtime, Carrier: s.Carrier, Connected: x.causes.connected})
		x.sockets = x.parts.sockets(sockets.Config{
			Runtime: x.Runtime, Network: s.Network, Connected: x.causes.connected,
			Permit:      func(m *vm.Mod, permission string) error { return instanceOf(m).checkPermission(permission) },
			Permissions: permissionsOf,
		})
	}
	x.permissions.recheck = x.sockets.Recheck
}

// install gives the runtime the API: first its own, whose names the game must not use, then the
// methods of the game. The index needs both.
func install(x *Scripts) error {
	game := bind.GameRows
	x.Runtime.Install(baseLibs()...)
	if x.parts != nil {
		x.Runtime.Install(x.parts.libs()...)
		game = x.parts.game
	}
	if err := x.env.NameClash(); err != nil {
		return err
	}
	x.Runtime.Install(game(x.engine.World().Classes())...)
	x.env.Index()
	return nil
}

// makeOperator makes the first state, that of the console.
func makeOperator(x *Scripts) {
	x.operator = x.Runtime.NewMod(manifest.Console, nil)
	x.operator.State.Strict = true
	x.storage.Console, x.mission.operator = x.operator, x.operator
	x.prompt = &luaPrompt{operator: x.operator, world: x.engine.World(), env: x.env}
}

// API returns all chapters that mods can call besides Lua's own library.
func API() []vm.Lib { return append(baseLibs(), moreLibs()...) }

// baseLibs returns the chapters that also a page in a browser has.
func baseLibs() []vm.Lib {
	return []vm.Lib{
		outputLib(), inspectLib(), bind.TagsLib(), netLib(), dataBlockLib(), classLib(), objectLib(), bind.VecLib(),
		timeLib(), textLib(), connectionLib(), scopeLib(), pilotLib(), hudLib(), formLib(), bindLib(), viewLib(), modsLib(), consoleLib(), missionLib(), jsonLib(),
	}
}

// permissionsOf returns the permissions that a mod requests, none for the console.
func permissionsOf(m *vm.Mod) []string {
	if manifestOf(m) == nil {
		return nil
	}
	return manifestOf(m).Permissions
}

// Sockets returns the requests and connections of mods, nil in a page.
func (s *Scripts) Sockets() *sockets.Set {
	set, _ := s.sockets.(*sockets.Set)
	return set
}

// Messages returns the messages of mods for other servers, nil in a page.
func (s *Scripts) Messages() *messages.Set {
	set, _ := s.messages.(*messages.Set)
	return set
}

// Flush sends all queued changes to the store. Call it when a server ends, before its store is
// closed.
func (s *Scripts) Flush() { s.storage.Flush() }

// Saves returns what has changed since the last call in the values that a fleet shares, or with all
// everything.
func (s *Scripts) Saves(all bool) []store.Save { return s.storage.TakeSaves(all) }

// SettleShared takes the last news about the values that a fleet shares, when no tick follows.
func (s *Scripts) SettleShared() { s.storage.Settle() }

// Storage implements store.Holder.
func (x *instance) Storage() *store.Storage { return x.scripts.storage }

// Trial implements trial.Holder.
func (x *instance) Trial() *trial.Trial { return x.scripts.trial }

// Disabled implements store.Holder.
func (x *instance) Disabled() bool { return x.disabled }

// Sockets implements sockets.Holder.
func (x *instance) Sockets() *sockets.Set { return x.scripts.Sockets() }

// Messages implements messages.Holder.
func (x *instance) Messages() *messages.Set { return x.scripts.Messages() }

// newInstance prepares a new state: metatables, command tables, and globals for engine objects.
func newInstance(s *Scripts, m *vm.Mod) *instance {
	x := &instance{
		mod: m, scripts: s,
		callbacks:      map[string]map[string]*lua.LFunction{},
		exports:        map[string]lua.LValue{},
		imports:        map[exportKey]*importedCall{},
		lostExports:    map[string]bool{},
		packages:       map[string]*overridePackage{},
		declaredBlocks: map[string]bool{},
		plainTexts:     map[textKey]*lua.LUserData{},
		server:         newCommandTable("serverCmd"),
		client:         newCommandTable("clientCmd"),
	}
	m.Binding = x
	x.values = bind.New(s.env, m, x)
	x.meta.namespace = x.values.Metatable(namespaceMeta)
	x.meta.pendingBlock = x.values.Metatable(pendingBlockMeta)
	x.values.ComparesAsObject(x.meta.pendingBlock) // a future compares equal to its datablock
	x.meta.modHandle = x.values.Metatable(modHandleMeta)
	x.meta.previous = x.values.Metatable(previousMeta)
	x.meta.setting = x.values.Metatable(settingMeta)
	x.meta.class = x.values.Metatable(classMeta)
	x.meta.override = x.values.Metatable(overrideMeta)
	x.meta.text = x.values.Metatable(textMeta)

	m.State.OnLibrary = x.fillLibrary
	if s.parts != nil {
		x.meta.store = x.values.Metatable(s.parts.store)
	}
	x.installCommands()
	x.installSenders()
	m.SetGlobal("GameConnection", m.State.Lua().CreateTable(0, 4))
	m.State.OnGlobal = x.onGlobal
	m.State.Peek, m.State.Explainer = x.values.Peek, x.values
	m.State.Undefined = x.undefined
	return x
}

// undefined returns the predefined globals of the engine, then names of the console.
func (x *instance) undefined(name string) lua.LValue {
	w := x.values.World()
	switch name {
	case "rootGroup":
		return x.values.Object(w.Root.ID())
	case "clientGroup":
		return x.values.Object(w.Clients.ID())
	case "missionGroup":
		return x.values.Object(w.Mission.ID())
	case "dataBlockGroup":
		return x.values.Object(w.DataBlocks.ID())
	case "store", "shared":
		if x.meta.store == nil {
			return lua.LNil
		}
		return store.Global(x.values, x.meta.store, name == "shared")
	case "server":
		if c := x.scripts.engine.Server(); c != nil && x.scripts.Runtime.Side == vm.Client {
			return x.values.Object(c.ID())
		}
		return lua.LNil
	}
	if v := x.consoleName(name); v != nil {
		return v
	}
	if x.mod != x.scripts.operator {
		return nil
	}
	if o := w.FindName(name); o != nil { // in the console, an object's name is a global
		return x.values.Object(o.Ident().ID())
	}
	return nil
}

// bindConsole registers Lua as the console's evaluator and adds the commands of package script.
func bindConsole(s *Scripts) error {
	commands := slices.Concat(s.permissions.commands(), (&modCommands{s}).list(), (&modCommands{s}).topList())
	traces := newTrace(s.Runtime, s.screen.echo, bind.DataText)
	commands = append(commands, traces.Command(func() (names []string) {
		for _, m := range s.Runtime.Mods {
			names = append(names, m.Name)
		}
		return names
	}))
	if s.Runtime.Side == vm.Server {
		commands = append(commands, s.mission.command())
		commands = append(commands, s.storage.Commands()...)
		if err := s.storage.Bind(s.console); err != nil {
			return err
		}
	} else {
		commands = append(commands, s.screen.hudCommand(), s.forms.command(), bindCommand(s.engine))
	}
	for _, c := range commands {
		if err := s.console.Register(c); err != nil {
			return err
		}
	}
	if err := s.console.Bind(s.reloads.watchVar()); err != nil {
		return err
	}
	s.console.SetEval(s.prompt.eval)
	s.console.SetEvalFile(s.RunFile)
	s.console.SetComplete(s.prompt.completeLua)
	s.console.SetExplain(s.Help, func() []string { return s.currentReference().Names() })
	return nil
}

// A RunTests loads a mod with changed files elsewhere, with the mods of these folders, and runs its
// tests unless untested is true. It calls done between ticks, after its last read from the folders,
// with the first error and with the files that it has compiled. Nothing else may use these any
// more; nil: none.
type RunTests func(name string, folders []fs.FS, untested bool, done func(compiled *vm.Protos, err error))

// Setup configures the scripts of a host.
type Setup struct {
	Engine   *engine.Host
	Console  *console.Console
	Mods     []fs.FS // folders of mods; a mod in a later folder wins
	Echo     func(line string)
	Hud      func(line int, text string) // shows a line of the client's HUD, 1…HudLines; nil: none
	Message  func(kind, text string)     // shows a message of a type to the player; nil: Echo prints it
	Effect   func(kind string)           // shows a short effect to the player; nil: none
	Log      func(level slog.Level, msg string, args ...any)
	Seed     uint64
	Date     int64                           // the date at the start, in seconds since 1970
	Clock    func() time.Duration            // wall clock of the meter; nil: scripts have no usage of time
	Thread   vm.Thread                       // CPU clock of the meter; nil: no time limits
	Heap     func() uint64                   // heap with dead objects, for the meter, in bytes; nil: no memory limits
	Live     func() uint64                   // heap that the newest garbage collection found in use; nil: that of Heap
	Protos   *vm.Protos                      // compiled files, shared within one goroutine; nil: not shared
	Verdict  func(vm.Verdict)                // receives the decisions of the meter that depend on the machine; nil: none
	Foretold bool                            // the meter decides by Runtime.Foretell: Thread and Heap are nil, and Clock only measures the usage
	Fault    func(*vm.Fault)                 // receives the faults of mods within their rate limit; nil: they are only logged
	Collect  func()                          // requests a garbage collection on another goroutine; nil: none
	Rights   Rights                          // roles and permissions; nil: no roles, permissions in memory
	Audit    func(by, did string, err error) // records the use of permissions and roles; nil: none
	Store    store.Store                     // keeps stored values of mods; nil: mods cannot store values
	Fleet    Fleet                           // the other servers; nil: there are none
	Carrier  messages.Carrier                // carries messages to other servers; nil: there are none
	Shared   store.Fleet                     // keeps what the servers of a fleet share; nil: they share nothing
	Network  sockets.Network                 // makes the connections of mods; nil: they can have none

	Parts *Parts // nil: the program is a page in a browser

	RunTests RunTests // the trial of a mod before its reload; nil: mods are reloaded without one

	// AnswerLater returns the function that answers the console line that runs, when a command is
	// done. It returns nil if nobody waits. It can be nil.
	AnswerLater func() func(out string, err error)
	TestNetwork trial.TestNetwork // runs simulated clients for tests of mods; nil: no tests
}
