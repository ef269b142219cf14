package script

import (
	"fmt"
	"maps"
	"slices"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/manifest"
	"github.com/torc-engine/torc/script/vm"
)

// reloadTx is the transaction of a reload. It replaces instances of mods by new ones, or adds new ones.
// It either succeeds or leaves everything unchanged. It begins and ends between ticks, while no Lua
// runs.
type reloadTx struct {
	scripts *Scripts
	order   []*manifest.Manifest // all mods in their new order
	running map[string]*vm.Mod   // the currently loaded instances, by name
	old     map[string]*vm.Mod   // instances that are being replaced
	created []*vm.Mod            // instances made so far
	change  *sim.Transaction
	before  reloadState
}

// reloadState holds the state that a failed transaction restores. It does not cover the registrations
// that other mods made meanwhile because the new files called them.
type reloadState struct {
	mods    []*vm.Mod
	restore []func() // functions that restore the registrations of the old instances
	blocks  map[string]string
	undo    []func() // restore what the bindings show
	stored  int      // number of changes that waited to be stored
}

// beginReload removes the old instances of the named mods. From then on their registrations are gone from
// the world and the console. The objects that they made remain.
func (s *Scripts) beginReload(p *reloadPlan) *reloadTx {
	w := &reloadTx{scripts: s, order: p.order, running: map[string]*vm.Mod{}, old: map[string]*vm.Mod{}, change: s.engine.World().Begin()}
	w.before = reloadState{
		mods: slices.Clone(s.Runtime.Mods), blocks: maps.Clone(s.blocks), stored: len(s.storage.next),
	}
	for _, save := range s.onReload {
		w.before.undo = append(w.before.undo, save())
	}
	for _, m := range s.Runtime.Mods {
		if p.toLoad[m.Name] {
			w.old[m.Name] = m
			w.detach(m)
		} else {
			w.running[m.Name] = m
		}
	}
	w.sortMods()
	return w
}

// detach removes the registrations of an instance and records how to restore them. If the
// instance is unloaded for good, the record is dropped with it.
func (w *reloadTx) detach(m *vm.Mod) {
	w.scripts.keepSettings(m)
	names, chat, overrides := w.scripts.consoleNames(m), maps.Clone(w.scripts.chat), slices.Clone(w.scripts.overrides)
	maps.DeleteFunc(chat, func(_ string, c chatCommand) bool { return c.mod != m })
	overrides = slices.DeleteFunc(overrides, func(o override) bool { return o.mod != m })
	putBack := w.scripts.console.Detach(names...)
	w.before.restore = append(w.before.restore, func() {
		putBack()
		for _, name := range names {
			w.scripts.registered[name] = m
		}
		maps.Copy(w.scripts.chat, chat)
		w.scripts.overrides = append(w.scripts.overrides, overrides...)
	})
	w.scripts.overrides = slices.DeleteFunc(w.scripts.overrides, func(o override) bool { return o.mod == m })
}

// sortMods sorts the loaded mods into load order.
func (w *reloadTx) sortMods() {
	w.scripts.Runtime.Mods = nil
	for _, manifest := range w.order {
		if m := w.running[manifest.Name]; m != nil {
			w.scripts.Runtime.Mods = append(w.scripts.Runtime.Mods, m)
		}
	}
	w.scripts.Runtime.Mods = append(w.scripts.Runtime.Mods, w.scripts.operator)
	w.scripts.sortOverrides()
	w.scripts.Runtime.Changes++
}

// load makes a mod from a manifest, runs its files, and hands over the state of its previous
// instance.
func (w *reloadTx) load(manifest *manifest.Manifest) error {
	m := w.scripts.Runtime.Instance(manifest.Name, manifest.FS)
	instanceOf(m).manifest, m.Folder = manifest, manifest.Dir
	w.created = append(w.created, m)
	w.running[m.Name] = m
	w.sortMods()
	old := w.old[m.Name]
	if old == nil {
		return runFiles(m)
	}
	heir := newMigration(old, m)
	if err := heir.copyObjects(); err != nil {
		return err
	}
	if err := runFiles(m); err != nil {
		return err
	}
	return heir.callOnReload()
}

// commit makes the loaded instances final. Objects that the files of old instances made are
// deleted. Objects that their events made stay.
func (w *reloadTx) commit() {
	for _, m := range w.created {
		old := w.old[m.Name]
		delete(w.scripts.disabled, m.Name)
		if old == nil {
			continue
		}
		m.Account(old)
		w.scripts.Runtime.Forgive(m.Name)
		// The old instance was loaded for the server, so the new ones must be unloaded with it.
		if slices.Contains(w.scripts.serverMods, old) {
			w.scripts.serverMods = append(slices.DeleteFunc(w.scripts.serverMods, func(v *vm.Mod) bool { return v == old }), w.created...)
		}
	}
	w.change.Commit()
	w.scripts.purgeUnloaded()
	w.scripts.updateRoster()
	for _, m := range w.created {
		w.scripts.warnOf(m)
	}
}

// rollback undoes the transaction completely.
func (w *reloadTx) rollback() {
	w.scripts.Runtime.Mods = w.before.mods
	for _, m := range w.created {
		w.scripts.storage.undo(w.before.stored, m.Name)
	}
	for _, putBack := range w.before.restore {
		putBack()
	}
	w.scripts.sortOverrides()
	w.change.Rollback() // Undone removes the records of the objects made
	w.scripts.blocks = w.before.blocks
	for _, undo := range w.before.undo {
		undo()
	}
	w.scripts.purgeUnloaded()
}

// applyPlan carries out a plan.
func (s *Scripts) applyPlan(p *reloadPlan) error {
	if s.Runtime.Depth() > 0 {
		panic("BUG: mods are reloaded while Lua runs")
	}
	w := s.beginReload(p)
	remains := s.fileObjects(w.old)
	for _, manifest := range p.order {
		if !p.toLoad[manifest.Name] {
			continue
		}
		if err := w.load(manifest); err != nil {
			w.rollback()
			if manifest.Name != p.name {
				err = fmt.Errorf("it needs %s, which cannot be loaded: %w", manifest.Name, err)
			}
			return err
		}
	}
	s.deleteAll(remains)
	w.commit()
	return nil
}
