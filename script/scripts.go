package script

import (
	"maps"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/manifest"
	"github.com/torc-engine/torc/script/sockets"
	"github.com/torc-engine/torc/script/vm"
)

// Scripts is the complete Lua side of a server or client: a vm.Runtime and its connection to the
// engine and the console. It implements engine.Scripts. Each of its values has a file of its own.
type Scripts struct {
	Runtime  *vm.Runtime
	engine   *engine.Host
	console  *console.Console
	operator *vm.Mod // the state of the console
	env      *bind.Env
	caps     caps

	mods     *modRoster
	reloads  *reloads
	objects  *objectRoster
	owners   *blockOwners
	chains   *callChains
	dispatch *dispatcher
	gates    *gates
	ticks    *objectTicks
	peers    *peers

	settings    *modSettings
	permissions *permissions
	chat        *chatBook
	screen      *screen
	mission     *mission
	prompt      *luaPrompt
	commands    *modCommands
	storage     *storage
	sockets     *sockets.Set
	tests       testSetup
	thread      *thread // the one that runs now, of those that spawn has started
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

// transact runs load, and undoes its changes to the world if it fails.
func (r *modRoster) transact(load func() error) error {
	world := r.scripts.engine.World()
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
func (r *modRoster) load(order []*manifest.Manifest) []error {
	r.scripts.Runtime.Remove(r.scripts.operator)
	stored := len(r.scripts.storage.next)
	bad := r.scripts.LoadAll(order)
	r.scripts.Runtime.Mods = append(r.scripts.Runtime.Mods, r.scripts.operator)
	failed := map[string]*vm.Mod{}
	for _, m := range r.alive {
		if !slices.Contains(r.scripts.Runtime.Mods, m) {
			failed[m.Name] = m
			r.scripts.storage.undo(stored, m.Name)
		}
	}
	r.scripts.objects.deleteAll(r.scripts.objects.madeByFiles(failed))
	r.purge()
	r.update()
	for _, manifest := range order {
		if m := r.scripts.Runtime.Mod(manifest.Name); m != nil {
			r.warnOf(m)
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
func (d *dispatcher) call(m *vm.Mod, event string, fn *lua.LFunction, args ...lua.LValue) ([]lua.LValue, bool) {
	if d.scripts.Runtime.Depth() == 0 {
		return d.scripts.Runtime.Dispatch(m, event, fn, args...)
	}
	out, err := d.scripts.Runtime.EnterCallback(event, m, fn, args)
	if err != nil {
		d.scripts.Runtime.Fail(m, event, err)
	}
	return out, err == nil
}
