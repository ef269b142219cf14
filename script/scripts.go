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
)

// consoleMod is the mod that lines typed, --eval and --exec run in. It is the
// last of all and has the operator's rights.
const consoleMod = "console"

// Setup is what a host's scripts are made of.
type Setup struct {
	Engine  *engine.Host
	Console *console.Console
	Mods    []fs.FS // folders of mods; a later one wins a name
	Echo    func(line string)
	Hud     func(line int, text string) // shows a line of the client's HUD, 1…HudLines; nil: nobody does
	Log     func(level slog.Level, msg string, args ...any)
	Seed    uint64
	Clock   func() time.Duration            // wall clock of the meter; nil: no limits by time
	Heap    func() uint64                   // live heap of the meter; nil: no limit by memory
	Protos  *Protos                         // compiled files, shared between the scripts of one goroutine; nil: their own
	Collect func()                          // asks for a collection of garbage soon, on another goroutine; nil: nobody to ask
	Rights  Rights                          // who may do what; nil: nobody has a role, permissions are forgotten
	Audit   func(by, did string, err error) // told what mods and players do by permissions and roles; nil: nobody is
	Store   Store                           // what mods store is kept here; nil: they cannot store anything

	// Trial runs the tests of a mod whose files have changed, elsewhere, with the mods of these folders, and says between
	// ticks whether they pass, when it reads no more; nil: a mod is reloaded without.
	Trial func(name string, folders []fs.FS, done func(error))
	Stage Stage // where tests of mods play; nil: there are no tests here
}

// Scripts is all the Lua of one side: a Host, and what ties it to the engine
// and the console. It implements engine.Scripts.
type Scripts struct {
	*Host
	engine  *engine.Host
	console *console.Console
	folders []fs.FS
	echo    func(line string)

	rows       map[string]*Func // methods, by "kind:name"
	made       map[sim.ID]maker // who made an object
	objects    map[string]int   // alive that a mod made, by its name
	overrides  []override       // in load order of their mods
	defined    map[string]bool  // names of callbacks that any block or class has, in lower case
	asked      map[string]bool  // whether one is defined, by names as they were asked for
	chains     map[chainKey][]target
	parts      map[partKey]chainPart
	labels     map[partKey]string
	chainsAt   int       // changes when chains and parts were made
	ticking    []ticking // scratch of tickObjects
	tickFrom   sim.ID    // whose onTick had to wait for this tick
	chat       map[string]chatCommand
	said       said
	registered map[string]*Mod // console commands and variables of mods
	alive      []*Mod          // every mod that was made and not yet forgotten
	visiting   []*Mod          // those loaded for the server this client is on
	left       bool            // that server has been left, and they go with the end of the tick
	operator   *Mod            // the console's own state
	clashes    map[string]bool // commands whose double handlers were logged
	rights     Rights
	audit      func(by, did string, err error)
	mission    mission
	storage    storage
	loading    *sim.Group // where new objects go while a mission loads
	caps       caps
	hud        hud
	stage      Stage
	trial      *trial            // nil: no test has been loaded
	steering   map[sim.ID]string // the mod that steered a bot, or the client, last
	leaving    sim.Object        // whose onRemove runs: dead, but still whole

	tryOut   func(name string, folders []fs.FS, done func(error))
	trying   map[string]bool              // mods that are about to be reloaded: their tests run, or Lua does
	between  []func()                     // what waits for the next tick to begin
	blocks   map[string]string            // the mod that declared a datablock first, by its name in lower case
	kept     map[string]map[string]string // values of settings that may come again, by mod and setting
	expected map[string]string            // values of settings that no mod has declared yet, by setting
	disabled map[string]*Manifest         // mods that the operator has disabled
	roster   []string                     // the mods that were ever loaded, disabled ones too, in load order
	watching watch
}

// NewScripts makes the scripts of a host: no mod is loaded yet, the console's
// own state exists.
func NewScripts(s Setup) (*Scripts, error) {
	side := Client
	if s.Engine.IsServer() {
		side = Server
	}
	x := &Scripts{
		engine: s.Engine, console: s.Console, folders: s.Mods, echo: s.Echo,
		rows: map[string]*Func{}, made: map[sim.ID]maker{}, objects: map[string]int{},
		defined: map[string]bool{}, asked: map[string]bool{}, chains: map[chainKey][]target{}, parts: map[partKey]chainPart{}, labels: map[partKey]string{},
		chat: map[string]chatCommand{}, registered: map[string]*Mod{}, clashes: map[string]bool{},
		mission: mission{seq: 1}, caps: defaultCaps,
		storage: storage{store: s.Store, shelves: map[string]*shelf{}},
		hud:     hud{show: s.Hud}, stage: s.Stage, steering: map[sim.ID]string{},
		tryOut: s.Trial, trying: map[string]bool{}, blocks: map[string]string{},
		kept: map[string]map[string]string{}, expected: map[string]string{}, disabled: map[string]*Manifest{},
	}
	if x.rights = s.Rights; x.rights == nil {
		x.rights = granted{}
	}
	if x.audit = s.Audit; x.audit == nil {
		x.audit = func(string, string, error) {}
	}
	x.Host = New(Config{
		Side: side, Seed: s.Seed, Clock: s.Clock, Heap: s.Heap, Log: s.Log, Protos: s.Protos, Collect: s.Collect,
		Now:   func() time.Duration { return time.Duration(s.Engine.Now()) * time.Millisecond },
		Whole: x.allOrNothing,
		Made: func(m *Mod) {
			newExt(x, m)
			x.shelve(m)
			x.alive = append(x.alive, m)
		},
	})
	x.Install(API()...)
	if err := x.hidden(); err != nil {
		return nil, err
	}
	x.Install(gameLibs(s.Engine.World().Classes())...)
	for i := range x.libs {
		for j := range x.libs[i].Funcs {
			row := &x.libs[i].Funcs[j]
			x.rows[row.Name] = row
		}
	}
	x.operator = x.NewMod(consoleMod, nil)
	if err := errors.Join(x.caps.bind(s.Console), x.cfg.Limits.bind(s.Console)); err != nil {
		return nil, err
	}
	return x, x.bindConsole()
}

// API is every chapter of what a mod may call beside Lua's own library.
func API() []Lib {
	return []Lib{
		outputLib(), tagsLib(), netLib(), dataBlockLib(), classLib(), objectLib(), vecLib(),
		timeLib(), connectionLib(), scopeLib(), pilotLib(), hudLib(), modsLib(), consoleLib(), missionLib(), storeLib(), callbackLib(),
	}
}

// LoadMods loads the named mods and what they depend on, base first. Errors
// say which mod is missing and why; the others are loaded.
func (s *Scripts) LoadMods(names ...string) []error {
	installed, bad := Discover(s.folders...)
	order, err := Order(installed, names...)
	if err != nil {
		return append(bad, err)
	}
	bad = append(bad, s.load(order)...)
	return bad
}

// allOrNothing takes back what a mod has declared and done that fails to load.
func (s *Scripts) allOrNothing(load func() error) error {
	world := s.engine.World()
	if world.Changing() {
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

// load loads manifests in order; the console stays the last mod. One that
// fails leaves nothing behind.
func (s *Scripts) load(order []*Manifest) []error {
	s.Remove(s.operator)
	stored := len(s.storage.next)
	bad := s.LoadAll(order)
	s.Mods = append(s.Mods, s.operator)
	failed := map[string]*Mod{}
	for _, m := range s.alive {
		if !slices.Contains(s.Mods, m) {
			failed[m.Name] = m
			s.storage.undo(stored, m.Name)
		}
	}
	s.deleteAll(s.fileMade(failed))
	s.forgetAbsent()
	s.enlist()
	return bad
}

// ModInfos are the mods a server tells of, in load order.
func (s *Scripts) ModInfos() []engine.ModInfo {
	var list []engine.ModInfo
	for _, m := range s.Mods {
		if m.Manifest != nil {
			list = append(list, engine.ModInfo{Name: m.Name, Version: m.Manifest.Version.String()})
		}
	}
	return list
}

// call runs a function of a mod as an event; its error is a fault of the mod.
func (s *Scripts) call(m *Mod, event string, fn *lua.LFunction, args ...lua.LValue) ([]lua.LValue, bool) {
	if s.Depth() == 0 {
		return s.Dispatch(m, event, fn, args...)
	}
	out, err := s.enterAs(event, m, fn, args)
	if err != nil {
		s.Fail(m, event, err)
	}
	return out, err == nil
}
