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
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/manifest"
	"github.com/torc-engine/torc/script/vm"
)

// Setup configures the scripts of a host.
type Setup struct {
	Engine  *engine.Host
	Console *console.Console
	Mods    []fs.FS // folders of mods; a mod in a later folder wins
	Echo    func(line string)
	Hud     func(line int, text string) // shows a line of the client's HUD, 1…HudLines; nil: none
	Log     func(level slog.Level, msg string, args ...any)
	Seed    uint64
	Clock   func() time.Duration            // wall clock of the meter; nil: no time limits
	Heap    func() uint64                   // live heap for the meter, in bytes; nil: no memory limits
	Protos  *vm.Protos                      // compiled files, shared within one goroutine; nil: not shared
	Collect func()                          // requests a garbage collection on another goroutine; nil: none
	Rights  Rights                          // roles and permissions; nil: no roles, permissions in memory
	Audit   func(by, did string, err error) // records the use of permissions and roles; nil: none
	Store   Store                           // keeps stored values of mods; nil: mods cannot store values

	// Trial runs the tests of a mod with changed files elsewhere, with the mods of these folders.
	// It reports the result between ticks, after its last read from the folders. If Trial is nil,
	// mods are reloaded without tests.
	RunTests    func(name string, folders []fs.FS, done func(error))
	TestNetwork TestNetwork // runs simulated clients for tests of mods; nil: no tests
}

// Scripts is the complete Lua side of a server or client: a Host and its connection to the engine
// and the console. It implements engine.Scripts.
type Scripts struct {
	*vm.Runtime
	boxes   vm.Boxes
	engine  *engine.Host
	console *console.Console
	folders []fs.FS
	echo    func(line string)

	rows          map[string]*vm.Func // methods, by "kind:name"
	makers        map[sim.ID]maker    // mod that made an object
	objects       map[string]int      // number of living objects, by the name of the mod that made them
	overrides     []override          // in load order of their mods
	defined       map[string]bool     // names of callbacks that any datablock or class has, in lower case
	definedCache  map[string]bool     // cache of defined, by name as queried
	chains        map[chainKey][]target
	parts         map[partKey]chainPart
	labels        map[partKey]string
	chainsVersion int          // value of changes when chains and parts were made
	ticking       []tickTarget // scratch space of tickObjects
	tickFrom      sim.ID       // object to continue with, because its onTick was deferred to this tick
	chat          map[string]chatCommand
	said          typedLine
	registered    map[string]*vm.Mod // console commands and variables of mods
	alive         []*vm.Mod          // every mod that was made and not yet retired
	serverMods    []*vm.Mod          // mods loaded for the current server of this client
	leftServer    bool               // the client has left that server; the end of the tick unloads them
	operator      *vm.Mod            // the state of the console
	clashes       map[string]bool    // commands with two handlers that have been logged
	rights        Rights
	audit         func(by, did string, err error)
	mission       mission
	storage       storage
	loading       *sim.Group // group for new objects while a mission loads
	caps          caps
	hud           hud
	testNetwork   TestNetwork
	testState     *testState        // nil until the first test file is loaded
	steeredBy     map[sim.ID]string // the mod that last steered a bot or the client
	removing      sim.Object        // object with a running onRemove: deleted but still usable

	runTests         func(name string, folders []fs.FS, done func(error))
	reloading        map[string]bool               // mods with a pending reload
	queued           []func()                      // actions to run before the next tick
	blocks           map[string]string             // mod that declared a datablock first, by its name in lower case
	keptSettings     map[string]map[string]string  // setting values of unloaded and replaced mods, by mod and setting
	expectedSettings map[string]string             // values of settings that no mod has declared yet, by setting
	disabled         map[string]*manifest.Manifest // mods that the operator has disabled
	roster           []string                      // all mods ever loaded, also disabled ones, in load order
	fileWatch        fileWatch
}

// NewScripts makes the scripts of a host, with no mods except the console's own state.
func NewScripts(s Setup) (*Scripts, error) {
	side := vm.Client
	if s.Engine.IsServer() {
		side = vm.Server
	}
	x := &Scripts{
		engine: s.Engine, console: s.Console, folders: s.Mods, echo: s.Echo,
		rows: map[string]*vm.Func{}, makers: map[sim.ID]maker{}, objects: map[string]int{},
		defined: map[string]bool{}, definedCache: map[string]bool{}, chains: map[chainKey][]target{}, parts: map[partKey]chainPart{}, labels: map[partKey]string{},
		chat: map[string]chatCommand{}, registered: map[string]*vm.Mod{}, clashes: map[string]bool{},
		mission: mission{seq: 1}, caps: defaultCaps,
		storage: storage{store: s.Store, modStores: map[string]*modStore{}},
		hud:     hud{show: s.Hud}, testNetwork: s.TestNetwork, steeredBy: map[sim.ID]string{},
		runTests: s.RunTests, reloading: map[string]bool{}, blocks: map[string]string{},
		keptSettings: map[string]map[string]string{}, expectedSettings: map[string]string{}, disabled: map[string]*manifest.Manifest{},
	}
	if x.rights = s.Rights; x.rights == nil {
		x.rights = memoryRights{}
	}
	if x.audit = s.Audit; x.audit == nil {
		x.audit = func(string, string, error) {}
	}
	x.Runtime = vm.New(vm.Config{
		Side: side, Seed: s.Seed, Clock: s.Clock, Heap: s.Heap, Log: s.Log, Protos: s.Protos, Collect: s.Collect, Kind: kindOfUserData,
		Now: func() time.Duration { return time.Duration(s.Engine.Now()) * time.Millisecond },
		OnModCreated: func(m *vm.Mod) {
			newExt(x, m)
			x.loadStore(m)
			x.alive = append(x.alive, m)
		},
	})
	x.Install(API()...)
	if err := x.nameClash(); err != nil {
		return nil, err
	}
	x.Install(gameLibs(s.Engine.World().Classes())...)
	for i := range x.List() {
		for j := range x.List()[i].Funcs {
			row := &x.List()[i].Funcs[j]
			x.rows[row.Name] = row
		}
	}
	x.operator = x.NewMod(manifest.Console, nil)
	if err := errors.Join(x.caps.bind(s.Console), bindLimits(x.LimitsVar(), s.Console)); err != nil {
		return nil, err
	}
	return x, x.bindConsole()
}

// API returns all chapters that mods can call besides Lua's own library.
func API() []vm.Lib {
	return []vm.Lib{
		outputLib(), tagsLib(), netLib(), dataBlockLib(), classLib(), objectLib(), vecLib(),
		timeLib(), connectionLib(), scopeLib(), pilotLib(), hudLib(), modsLib(), consoleLib(), missionLib(), storeLib(), callbackLib(),
	}
}

// LoadMods loads the named mods and their dependencies, base first. It returns an error for each
// mod that it cannot load, and loads the others.
func (s *Scripts) LoadMods(names ...string) []error {
	installed, bad := manifest.Discover(s.folders...)
	order, err := manifest.Order(installed, names...)
	if err != nil {
		return append(bad, err)
	}
	bad = append(bad, s.load(order)...)
	return bad
}

// transact runs load, and undoes its changes to the world if it fails.
func (s *Scripts) transact(load func() error) error {
	world := s.engine.World()
	if world.InTransaction() {
		return load()
	}
	change := world.Begin()
	if err := load(); err != nil {
		change.Rollback()
		return err
	}
	change.Commit()
	return nil
}

// load loads manifests in order and keeps the console as the last mod. A mod that fails leaves no
// objects, registrations or stored values behind.
func (s *Scripts) load(order []*manifest.Manifest) []error {
	s.Remove(s.operator)
	stored := len(s.storage.next)
	bad := s.LoadAll(order)
	s.Mods = append(s.Mods, s.operator)
	failed := map[string]*vm.Mod{}
	for _, m := range s.alive {
		if !slices.Contains(s.Mods, m) {
			failed[m.Name] = m
			s.storage.undo(stored, m.Name)
		}
	}
	s.deleteAll(s.fileObjects(failed))
	s.purgeUnloaded()
	s.updateRoster()
	return bad
}

// ModInfos returns the mods that a server announces, in load order.
func (s *Scripts) ModInfos() []engine.ModInfo {
	var list []engine.ModInfo
	for _, m := range s.Mods {
		if manifestOf(m) != nil {
			list = append(list, engine.ModInfo{Name: m.Name, Version: manifestOf(m).Version.String()})
		}
	}
	return list
}

// call runs a function of a mod as an event. An error counts as a fault of the mod.
func (s *Scripts) call(m *vm.Mod, event string, fn *lua.LFunction, args ...lua.LValue) ([]lua.LValue, bool) {
	if s.Depth() == 0 {
		return s.Dispatch(m, event, fn, args...)
	}
	out, err := s.EnterCallback(event, m, fn, args)
	if err != nil {
		s.Fail(m, event, err)
	}
	return out, err == nil
}
