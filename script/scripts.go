package script

import (
	"maps"
	"slices"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/manifest"
	"github.com/torc-engine/torc/script/store"
	"github.com/torc-engine/torc/script/trial"
	"github.com/torc-engine/torc/script/vm"
)

// Scripts is the complete Lua side of a server or client: a vm.Runtime and its connection to the
// engine and the console. Hooks is what the engine calls. Each of its values has a file or a
// package of its own.
type Scripts struct {
	Runtime  *vm.Runtime
	engine   *engine.Host
	console  *console.Console
	operator *vm.Mod // the state of the console
	env      *bind.Env
	caps     caps
	parts    *Parts

	mods     *modRoster
	reloads  *reloads
	objects  *objectRoster
	owners   *blockOwners
	chains   *callChains
	dispatch *dispatcher
	gates    *gates
	ticks    *objectTicks
	fields   *fieldChanges
	causes   *causes

	settings    *modSettings
	permissions *permissions
	chat        *chatBook
	screen      *screen
	forms       *formBook
	mission     *mission
	prompt      *luaPrompt
	storage     *store.Storage
	sockets     socketSet
	messages    messageSet
	fleet       Fleet                 // nil: there are no other servers
	fleetNews   map[string]*fleetNews // by mod
	trial       *trial.Trial
}

// LoadMods loads the named mods and their dependencies, base first. It returns an error for each
// mod that it cannot load, and loads the others.
func (s *Scripts) LoadMods(names ...string) []error {
	installed, bad := manifest.Discover(s.mods.folders...)
	maps.Copy(s.mods.notLoaded, manifest.Broken(bad))
	order, err := manifest.Order(installed, names...)
	if err = manifest.Explain(err, bad, s.mods.folders...); slices.Contains(bad, err) {
		return bad
	} else if err != nil {
		return append(bad, err)
	}
	return append(bad, s.mods.load(order)...)
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

// Operator returns the state of the console.
func (s *Scripts) Operator() *vm.Mod { return s.operator }

// LoadTests runs a test file, for example "test/score_test.lua", in the state of a loaded mod. It
// returns the tests that the file declares, in order.
func (s *Scripts) LoadTests(m *vm.Mod, file string) ([]*trial.Test, error) {
	return s.trial.Load(m, file)
}
