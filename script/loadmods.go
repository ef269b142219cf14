package script

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/spell"
	"github.com/torc-engine/torc/script/bind"
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
	leftServer bool                          // the client has left that server; the end of the tick unloads them
}

func newModRoster(s *Scripts, folders []fs.FS) *modRoster {
	return &modRoster{scripts: s, folders: folders, disabled: map[string]*manifest.Manifest{}, notLoaded: map[string]error{}}
}

// Load creates a mod from a manifest and runs its files: shared/*.lua in name order, then
// server/init.lua or client/init.lua. If a file fails, Load removes the mod and returns an error
// with file and line.
func (s *Scripts) Load(manifest *manifest.Manifest) (*vm.Mod, error) {
	m := s.mods.create(manifest)
	if err := runFiles(m); err != nil {
		s.Runtime.Remove(m)
		return nil, err
	}
	return m, nil
}

// runFiles runs the mod's files for this side.
func runFiles(m *vm.Mod) error {
	m.Loading = true
	defer func() { m.Loading = false }()
	if text, err := fs.ReadFile(m.FS, manifest.File); err == nil {
		m.SawFile(manifest.File, text)
	}
	files, err := sources(m)
	for i := 0; err == nil && i < len(files); i++ {
		err = m.RunFile(files[i])
	}
	return err
}

// LoadAll loads mods in the given order. It skips a mod that fails and all mods that depend on it,
// and returns an error for each.
func (s *Scripts) LoadAll(list []*manifest.Manifest) []error {
	var bad []error
	failed := map[string]bool{}
	for _, manifest := range list {
		err := error(nil)
		for _, need := range manifest.Depends {
			if failed[need.Name] {
				err = fmt.Errorf("it needs %s, which failed to load", need.Name)
				break
			}
		}
		if err == nil {
			err = s.mods.transact(func() error { _, err := s.Load(manifest); return err })
		}
		if err != nil {
			failed[manifest.Name] = true
			s.NotLoaded(manifest.Name, err)
			bad = append(bad, fmt.Errorf("mod %s is not loaded: %w", manifest.Name, err))
		}
	}
	return bad
}

// NotLoaded records why a mod could not be loaded, for the commands that list mods.
func (s *Scripts) NotLoaded(name string, why error) { s.mods.notLoaded[name] = why }

// whyNotLoaded returns the text of NotLoaded, or "" if the mod is loaded now or was disabled.
func (r *modRoster) whyNotLoaded(name string) string {
	why := r.notLoaded[name]
	if why == nil || r.scripts.Runtime.Mod(name) != nil || r.disabled[name] != nil {
		return ""
	}
	return "not loaded: " + why.Error()
}

// notLoadedLines lists the mods that could not be loaded, by name. The dash is in the place of the version.
func (r *modRoster) notLoadedLines() (lines []string) {
	for _, name := range slices.Sorted(maps.Keys(r.notLoaded)) {
		if why := r.whyNotLoaded(name); why != "" {
			lines = append(lines, name+" - "+why)
		}
	}
	return lines
}

// sources returns the paths of the files run by Load, relative to the mod's folder.
func sources(m *vm.Mod) ([]string, error) {
	list, err := fs.Glob(m.FS, "shared/*.lua") // sorted by name
	if err != nil {
		return nil, err
	}
	start := "server/init.lua"
	if m.Runtime.Side == vm.Client {
		start = "client/init.lua"
	}
	if _, err := fs.Stat(m.FS, start); err == nil {
		list = append(list, start)
	}
	return list, nil
}

// create makes a mod from a manifest and appends it to the load order. It runs no files.
func (r *modRoster) create(manifest *manifest.Manifest) *vm.Mod {
	m := r.scripts.Runtime.NewMod(manifest.Name, manifest.FS)
	instanceOf(m).manifest, m.Folder = manifest, manifest.Dir
	return m
}

// Manifest returns the manifest of a loaded mod, nil if the mod is not loaded.
func (s *Scripts) Manifest(name string) *manifest.Manifest {
	m := s.Runtime.Mod(name)
	if m == nil {
		return nil
	}
	return manifestOf(m)
}

// manifestOf returns the manifest of a mod, nil for the console.
func manifestOf(m *vm.Mod) *manifest.Manifest { return instanceOf(m).manifest }

// warnOf warns of mistakes of a loaded mod that cause no error: in its files, and in the names of its
// callbacks. Only a server looks at the files.
func (r *modRoster) warnOf(m *vm.Mod) {
	if r.scripts.Runtime.Side == vm.Server {
		for _, bad := range manifest.Mistakes(m.FS) {
			r.scripts.warn(fmt.Sprintf("%s: %s: %s", m.Name, path.Join(m.Dir(), bad.Path), bad.Text))
		}
	}
	if t, ok := m.Global("GameConnection").(*lua.LTable); ok {
		r.warnOfNames(m, functionsIn(t), r.eventNames("GameConnection"))
	}
	if manifest.Mentions(m.FS, "_G", "getfenv") == 0 { // else it can compute the names
		r.warnOfNames(m, functionsIn(m.State.Globals()), r.eventNames(""))
	}
	x := instanceOf(m)
	for _, key := range slices.Sorted(maps.Keys(x.callbacks)) {
		r.warnOfNames(m, x.callbacks[key], r.eventsOf(key))
	}
}

// functionsIn returns the functions of a table by their names.
func functionsIn(t *lua.LTable) map[string]*lua.LFunction {
	functions := map[string]*lua.LFunction{}
	t.ForEach(func(k, v lua.LValue) {
		if fn, ok := v.(*lua.LFunction); ok {
			functions[bind.TextOf(k)] = fn
		}
	})
	return functions
}

// warnOfNames warns of functions that nothing calls if a name in known is near. A function whose name a
// loaded mod uses again can be one that the mods call themselves.
func (r *modRoster) warnOfNames(m *vm.Mod, functions map[string]*lua.LFunction, known []string) {
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		p := functions[name].Proto
		if p == nil || !strings.HasPrefix(name, "on") || slices.Contains(known, name) {
			continue
		}
		near, uses := spell.Nearest(name, known), 0
		if near == "" {
			continue
		}
		for _, other := range r.scripts.Runtime.Mods {
			if other.FS != nil {
				uses += manifest.Mentions(other.FS, name)
			}
		}
		if uses <= 1 {
			r.scripts.warn(fmt.Sprintf("%s: %s:%d: nothing calls %s, did you mean %q?", m.Name, p.SourceName, p.LineDefined, name, near))
		}
	}
}

// eventNames returns the names of the callbacks of GameConnection, of a class without its parents, of
// Handle, or with "" the names of global callbacks.
func (r *modRoster) eventNames(of string) (names []string) {
	for _, lib := range r.scripts.Runtime.List() {
		for i := range lib.Funcs {
			name, _, _ := strings.Cut(lib.Funcs[i].Name, "(")
			name, is := strings.CutPrefix(name, "function ")
			if at := strings.LastIndexAny(name, ".:"); is && name[:max(at, 0)] == of {
				names = append(names, name[at+1:])
			}
		}
	}
	return names
}

// eventsOf returns the names of the callbacks of a block or class. It returns nil if the class is not known,
// or if several classes share the datablock class.
func (r *modRoster) eventsOf(key string) []string {
	classes, c := r.scripts.engine.World().Classes(), (*sim.Class)(nil)
	if of, is := strings.CutPrefix(key, classKey("")); is {
		c = classes.Lookup(of)
	} else if o := r.scripts.engine.World().FindName(strings.TrimPrefix(key, blockKey(""))); o != nil {
		for _, user := range classes.List() {
			if data := classes.Lookup(user.DataBlock); user.DataBlock == "" || data == nil || !o.Ident().Class().IsA(data) {
				continue
			}
			if c != nil {
				return nil
			}
			c = user
		}
	}
	if c == nil {
		return nil
	}
	names := r.eventNames("Handle")
	for ; c != nil; c = c.ParentClass() {
		names = append(names, r.eventNames(c.Name)...)
	}
	return names
}
