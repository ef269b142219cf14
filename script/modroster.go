package script

import (
	"io/fs"
	"log/slog"
	"maps"
	"slices"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/spell"
	"github.com/torc-engine/torc/script/manifest"
	"github.com/torc-engine/torc/script/vm"
)

// The modRoster is the list of mods, also of those that are disabled or could not be loaded.
type modRoster struct {
	scripts    *Scripts
	folders    []fs.FS
	disabled   map[string]*manifest.Manifest // mods that the operator has disabled
	notLoaded  map[string]error              // why mods could not be loaded
	order      []string                      // all mods ever loaded, also disabled ones, in load order
	alive      []*vm.Mod                     // every mod that was made and not yet retired
	serverMods []*vm.Mod                     // mods loaded for the current server of this client
	leftServer bool                          // the client has left that server; the next tick unloads them
}

func newModRoster(s *Scripts, folders []fs.FS) *modRoster {
	return &modRoster{scripts: s, folders: folders, disabled: map[string]*manifest.Manifest{}, notLoaded: map[string]error{}}
}

// load loads manifests in order and keeps the console as the last mod. A mod that fails leaves no
// objects, registrations or stored values behind.
func (r *modRoster) load(order []*manifest.Manifest) []error {
	r.scripts.Runtime.Remove(r.scripts.operator)
	stored := r.scripts.storage.Mark()
	bad := r.scripts.LoadAll(order)
	r.scripts.Runtime.Mods = append(r.scripts.Runtime.Mods, r.scripts.operator)
	failed := map[string]*vm.Mod{}
	for _, m := range r.alive {
		if !slices.Contains(r.scripts.Runtime.Mods, m) {
			failed[m.Name] = m
			r.scripts.storage.Undo(stored, m.Name)
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

// create makes a mod from a manifest and appends it to the load order. It runs no files.
func (r *modRoster) create(manifest *manifest.Manifest) *vm.Mod {
	m := r.scripts.Runtime.NewMod(manifest.Name, manifest.FS)
	instanceOf(m).manifest, m.Folder = manifest, manifest.Dir
	return m
}

// update updates the load order, and gives the engine the list of mods for joining clients.
func (r *modRoster) update() {
	r.order = r.current()
	r.scripts.engine.SetMods(r.scripts.ModInfos())
}

// current returns the current load order. Disabled mods keep their positions.
func (r *modRoster) current() []string {
	var order []string
	for _, m := range r.scripts.Runtime.Mods {
		if manifestOf(m) != nil {
			order = append(order, m.Name)
		}
	}
	for i, name := range r.order {
		if r.disabled[name] != nil && !slices.Contains(order, name) {
			order = slices.Insert(order, min(i, len(order)), name)
		}
	}
	return order
}

// dependents lists the loaded mods that depend on a mod.
func (r *modRoster) dependents(name string) []string {
	var list []string
	for _, m := range r.scripts.Runtime.Mods {
		if manifestOf(m) != nil && slices.ContainsFunc(manifestOf(m).Depends, func(n manifest.Requirement) bool { return n.Name == name }) {
			list = append(list, m.Name)
		}
	}
	return list
}

// nearestHint suggests the loaded mod with the nearest name.
func (r *modRoster) nearestHint(name string) string {
	if near := spell.Nearest(name, r.order); near != "" {
		return ", did you mean " + near + "?"
	}
	return ""
}

// whyNotLoaded returns the text of NotLoaded, or "" if the mod is loaded now or was disabled.
func (r *modRoster) whyNotLoaded(name string) string {
	why := r.notLoaded[name]
	if why == nil || r.scripts.Runtime.Mod(name) != nil || r.disabled[name] != nil {
		return ""
	}
	return "not loaded: " + why.Error()
}

// notLoadedLines lists the mods that could not be loaded, by name. The dash is in the place of the
// version.
func (r *modRoster) notLoadedLines() (lines []string) {
	for _, name := range slices.Sorted(maps.Keys(r.notLoaded)) {
		if why := r.whyNotLoaded(name); why != "" {
			lines = append(lines, name+" - "+why)
		}
	}
	return lines
}

// unloadServerMods unloads the mods that were loaded for a server after this client has left it.
// The next server may run other mods or versions. Mods that the client loaded itself stay.
func (r *modRoster) unloadServerMods() {
	if !r.leftServer {
		return
	}
	for _, m := range r.serverMods {
		r.scripts.Runtime.Remove(m)
	}
	r.serverMods, r.leftServer = nil, false
	r.purge()
	r.update()
}

// loadFor loads the installed mods of the same name and major version as the server's mods, in the
// server's order. It skips mods that are already loaded.
func (r *modRoster) loadFor(c *engine.Connection) {
	installed, _ := manifest.Discover(r.folders...)
	var wanted []*manifest.Manifest
	for _, info := range c.Server.Mods {
		m := installed[info.Name]
		if m == nil || r.scripts.Runtime.Mod(info.Name) != nil || r.disabled[info.Name] != nil || !m.Compatible(info.Version) {
			continue
		}
		wanted = append(wanted, m)
	}
	before := len(r.scripts.Runtime.Mods) - 1 // without the console, always the last element
	for _, err := range r.load(wanted) {
		r.scripts.Runtime.Log(slog.LevelError, err.Error())
	}
	r.serverMods = append(r.serverMods, r.scripts.Runtime.Mods[before:len(r.scripts.Runtime.Mods)-1]...)
}

// purge removes everything that unloaded mods have left behind. These mods failed to load,
// were unloaded or were replaced.
func (r *modRoster) purge() {
	absent := func(m *vm.Mod) bool { return !slices.Contains(r.scripts.Runtime.Mods, m) }
	for _, m := range r.alive {
		if absent(m) {
			r.retire(m)
		}
	}
	r.alive = slices.DeleteFunc(r.alive, absent)
	r.scripts.chains.overrides = slices.DeleteFunc(r.scripts.chains.overrides, func(o override) bool { return absent(o.mod) })
	for _, name := range slices.Sorted(maps.Keys(r.scripts.settings.registered)) {
		if absent(r.scripts.settings.registered[name]) {
			r.scripts.console.Unregister(name)
			delete(r.scripts.settings.registered, name)
		}
	}
	maps.DeleteFunc(r.scripts.chat.commands, func(_ string, c chatCommand) bool { return absent(c.mod) })
	maps.DeleteFunc(r.scripts.objects.steeredBy, func(_ sim.ID, name string) bool { return r.scripts.Runtime.Mod(name) == nil })
	r.scripts.chains.rebuild()
}

// retire ends an instance, so that none of its code runs any more.
func (r *modRoster) retire(m *vm.Mod) {
	r.scripts.forms.retire(m)
	endBinds(r.scripts.engine, instanceOf(m))
	endElements(r.scripts.engine, instanceOf(m))
	instanceOf(m).disabled = true
	r.scripts.engine.Schedule().CancelOwner(sim.Owner{Mod: m.Owner()})
	r.scripts.sockets.Retire(m)
	r.scripts.messages.Retire(m)
}
