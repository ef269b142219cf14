package script

import (
	"io/fs"
	"maps"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/manifest"
	"github.com/torc-engine/torc/script/sockets"
	"github.com/torc-engine/torc/script/vm"
)

// Scripts is the complete Lua side of a server or client: a vm.Runtime and its connection to the
// engine and the console. It implements engine.Scripts.
type Scripts struct {
	Runtime *vm.Runtime
	env     *bind.Env
	engine  *engine.Host
	console *console.Console
	folders []fs.FS
	echo    func(line string)
	message func(kind, text string) // nil: echo prints messages
	effect  func(kind string)       // nil: none are shown

	mission      mission
	hud          hud
	tests        testSetup
	thread       *thread                   // the one that runs now, of those that spawn has started
	onDisconnect []func()                  // run when a client leaves its server
	onReload     []func() (restore func()) // run when a reload begins; restore undoes what the reload changed

	makers        map[sim.ID]maker // mod that made an object
	objects       map[string]int   // number of living objects, by the name of the mod that made them
	overrides     []override       // in load order of their mods
	defined       map[string]bool  // names of callbacks that any datablock or class has, in lower case
	definedCache  map[string]bool  // cache of defined, by name as queried
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
	gateUsed      int64              // instructions of the gates in this tick
	leftServer    bool               // the client has left that server; the end of the tick unloads them
	operator      *vm.Mod            // the state of the console
	clashes       map[string]bool    // commands with two handlers that have been logged
	rights        Rights
	audit         func(by, did string, err error)
	storage       storage
	sockets       *sockets.Set
	loading       *sim.Group // group for new objects while a mission loads
	caps          caps
	steeredBy     map[sim.ID]string // the mod that last steered a bot or the client

	runTests         func(name string, folders []fs.FS, done func(error))
	answerLater      func() func(string, error)    // can be nil
	reloading        map[string]bool               // mods with a pending reload
	postponed        map[vm.Peer]int               // events that wait for the share of a peer, in this tick
	queued           []func()                      // actions to run before the next tick
	blocks           map[string]string             // mod that declared a datablock first, by its name in lower case
	keptSettings     map[string]map[string]string  // setting values of unloaded and replaced mods, by mod and setting
	expectedSettings map[string]string             // values of settings that no mod has declared yet, by setting
	disabled         map[string]*manifest.Manifest // mods that the operator has disabled
	notLoaded        map[string]error              // why mods could not be loaded
	roster           []string                      // all mods ever loaded, also disabled ones, in load order
	watching         bool                          // mod.watch
	watched          watchedFiles
}

// LoadMods loads the named mods and their dependencies, base first. It returns an error for each
// mod that it cannot load, and loads the others.
func (s *Scripts) LoadMods(names ...string) []error {
	installed, bad := manifest.Discover(s.folders...)
	maps.Copy(s.notLoaded, manifest.Broken(bad))
	order, err := manifest.Order(installed, names...)
	if err = manifest.Explain(err, bad, s.folders...); slices.Contains(bad, err) {
		return bad
	} else if err != nil {
		return append(bad, err)
	}
	return append(bad, s.load(order)...)
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
	s.Runtime.Remove(s.operator)
	stored := len(s.storage.next)
	bad := s.LoadAll(order)
	s.Runtime.Mods = append(s.Runtime.Mods, s.operator)
	failed := map[string]*vm.Mod{}
	for _, m := range s.alive {
		if !slices.Contains(s.Runtime.Mods, m) {
			failed[m.Name] = m
			s.storage.undo(stored, m.Name)
		}
	}
	s.deleteAll(s.fileObjects(failed))
	s.purgeUnloaded()
	s.updateRoster()
	for _, manifest := range order {
		if m := s.Runtime.Mod(manifest.Name); m != nil {
			s.warnOf(m)
		}
	}
	return bad
}

// ModInfos returns the mods that a server announces, in load order.
func (s *Scripts) ModInfos() []engine.ModInfo {
	var list []engine.ModInfo
	for _, m := range s.Runtime.Mods {
		if manifestOf(m) != nil {
			list = append(list, engine.ModInfo{Name: m.Name, Version: manifestOf(m).Version.String()})
		}
	}
	return list
}

// call runs a function of a mod as an event. An error counts as a fault of the mod.
func (s *Scripts) call(m *vm.Mod, event string, fn *lua.LFunction, args ...lua.LValue) ([]lua.LValue, bool) {
	if s.Runtime.Depth() == 0 {
		return s.Runtime.Dispatch(m, event, fn, args...)
	}
	out, err := s.Runtime.EnterCallback(event, m, fn, args)
	if err != nil {
		s.Runtime.Fail(m, event, err)
	}
	return out, err == nil
}
