package script

import (
	"log/slog"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/vm"
)

// A mod that is suspended for its memory or its CPU time is emptied: an instance takes its place
// that runs no files. That one has the names of the checks, so they still refuse, and the own
// tables of objects. Everything else in the old state is garbage. When the pause is over, the mod
// is loaded anew, like in a reload. Objects, classes and stored values are not in the state, so
// they stay.

// visitSuspended empties the mods whose memory must be freed, and loads those whose pause is over.
func (r *reloads) visitSuspended() {
	for i := 0; i < len(r.scripts.Runtime.Mods); i++ { // loading a mod can change the list
		switch m := r.scripts.Runtime.Mods[i]; {
		case manifestOf(m) == nil || r.pending[m.Name]:
		case m.MustFree():
			r.empty(m)
		case m.Due():
			r.loadAgain(m)
		}
	}
}

// empty frees the memory of a suspended mod.
func (r *reloads) empty(old *vm.Mod) {
	s := r.scripts
	m := s.Runtime.Instance(old.Name, old.FS)
	x := instanceOf(m)
	x.manifest, m.Folder = manifestOf(old), old.Folder
	heir := newMigration(old, m)
	heir.weighs = true
	if err := heir.copyObjects(); err != nil {
		clear(x.values.Own)
		s.Runtime.Log(slog.LevelWarn, m.Name+" loses "+err.Error(), "mod", m.Name)
	}
	x.refuseLike(instanceOf(old))
	s.settings.keep(old)
	replace(s.Runtime.Mods, old, m)
	replace(s.mods.serverMods, old, m)
	m.Account(old)
	m.Empty(old)
	s.mods.purge()
	s.Runtime.ForgetScratch()
	s.Runtime.Collect()
	s.Runtime.Log(slog.LevelInfo, m.Name+": its memory is freed, so its Lua variables are lost; it is loaded anew after the pause", "mod", m.Name)
}

// replace puts a new instance of a mod into the place of the old one.
func replace(list []*vm.Mod, old, m *vm.Mod) {
	if i := slices.Index(list, old); i >= 0 {
		list[i] = m
	}
}

// refuseLike gives an emptied mod the names of all that decides: a check that cannot run refuses.
// The functions never run, because the mod is suspended.
func (x *instance) refuseLike(old *instance) {
	refusing := x.mod.State.Lua().NewFunction(func(*lua.LState) int { return 0 })
	for key, named := range old.callbacks { // any order: each name is noted by itself
		for name := range named { // any order: likewise
			x.setCallback(key, name, refusing)
		}
	}
	if connectionCallback(old.mod, gateEvent) != nil {
		x.mod.Global("GameConnection").(*lua.LTable).RawSetString(gateEvent, refusing)
	}
	if _, ok := old.mod.Global(chatEvent).(*lua.LFunction); ok {
		x.mod.SetGlobal(chatEvent, refusing)
	}
	x.server.rules, x.client.rules = old.server.rules, old.client.rules
	for name, c := range x.scripts.chat.commands { // any order: each command is changed by itself
		if c.mod == old.mod {
			c.mod, c.run = x.mod, refusing
			x.scripts.chat.commands[name] = c
		}
	}
}

// loadAgain loads an emptied mod. If that fails, its pause becomes longer.
func (r *reloads) loadAgain(m *vm.Mod) {
	r.reload(m.Name, true, func(_ string, err error) {
		switch now := r.scripts.Runtime.Mod(m.Name); {
		case err == nil:
			now.Succeed(m)
		case now == m:
			m.Lengthen("it cannot be loaded anew: " + err.Error())
		}
	})
}
