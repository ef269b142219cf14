package script

import (
	"fmt"
	"maps"
	"slices"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/manifest"
	"github.com/torc-engine/torc/script/store"
	"github.com/torc-engine/torc/script/vm"
)

// reloadTx is the transaction of a reload. It replaces instances of mods by new ones, or adds new
// ones. It either succeeds or leaves everything unchanged. It begins and ends between ticks, while
// no Lua runs.
type reloadTx struct {
	scripts *Scripts
	order   []*manifest.Manifest // all mods in their new order
	running map[string]*vm.Mod   // the currently loaded instances, by name
	old     map[string]*vm.Mod   // instances that are being replaced
	created []*vm.Mod            // instances made so far
	remains []sim.ID             // objects that the files of the old instances made
	change  *sim.Transaction
	before  reloadState
}

// reloadState holds the state that a failed transaction restores. It does not cover the
// registrations that other mods made meanwhile because the new files called them.
type reloadState struct {
	mods    []*vm.Mod
	restore []func() // functions that restore the registrations of the old instances
	blocks  map[string]string
	hud     func()     // restores the lines of the HUD
	stored  store.Mark // the changes that waited to be stored
}

// begin removes the old instances of the named mods. From then on their registrations are gone from
// the world and the console. The objects that they made remain.
func (r *reloads) begin(p *reloadPlan) *reloadTx {
	w := &reloadTx{scripts: r.scripts, order: p.order, running: map[string]*vm.Mod{}, old: map[string]*vm.Mod{}, change: r.scripts.engine.World().Begin()}
	w.before = reloadState{
		mods: slices.Clone(r.scripts.Runtime.Mods), blocks: maps.Clone(r.scripts.owners.blocks), stored: r.scripts.storage.Mark(),
		hud: r.scripts.screen.saveHud(),
	}
	for _, m := range r.scripts.Runtime.Mods {
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
	s := w.scripts
	s.settings.keep(m)
	w.before.restore = append(w.before.restore, s.settings.detach(m), s.chat.detach(m), s.chains.detach(m))
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
	w.scripts.chains.sort()
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
		return w.runFiles(m)
	}
	heir := newMigration(old, m)
	if err := heir.copyObjects(); err != nil {
		return err
	}
	if err := w.runFiles(m); err != nil {
		return err
	}
	if old.Emptied() {
		return nil // there is nothing that onReload could take over
	}
	return heir.callOnReload()
}

// runFiles hides the objects that the reload deletes in the end: files that found one of them would
// not make it anew. onReload sees them again, and can take over what is in them.
func (w *reloadTx) runFiles(m *vm.Mod) error {
	show := w.change.Hide(w.scripts.objects.leaving(w.remains))
	defer show()
	return runFiles(m)
}

// commit makes the loaded instances final. Objects that the files of old instances made are
// deleted. Objects that their events made stay.
func (w *reloadTx) commit() {
	for _, m := range w.created {
		old := w.old[m.Name]
		delete(w.scripts.mods.disabled, m.Name)
		if old == nil {
			continue
		}
		m.Account(old)
		w.scripts.Runtime.Forgive(m.Name)
		// The old instance was loaded for the server, so the new ones must be unloaded with it.
		if slices.Contains(w.scripts.mods.serverMods, old) {
			w.scripts.mods.serverMods = append(slices.DeleteFunc(w.scripts.mods.serverMods, func(v *vm.Mod) bool { return v == old }), w.created...)
		}
	}
	w.change.Commit()
	w.scripts.mods.purge()
	w.scripts.mods.update()
	for _, m := range w.created {
		w.scripts.mods.warnOf(m)
	}
}

// rollback undoes the transaction completely.
func (w *reloadTx) rollback() {
	w.scripts.Runtime.Mods = w.before.mods
	for _, m := range w.created {
		w.scripts.storage.Undo(w.before.stored, m.Name)
	}
	for _, putBack := range w.before.restore {
		putBack()
	}
	w.scripts.chains.sort()
	w.change.Rollback() // Undone removes the records of the objects made
	w.scripts.owners.blocks = w.before.blocks
	w.before.hud()
	w.scripts.mods.purge()
}

// apply carries out a plan. The game waits meanwhile, so all loading together has one small budget
// of CPU time.
func (r *reloads) apply(p *reloadPlan) error {
	if r.scripts.Runtime.Depth() > 0 {
		panic("BUG: mods are reloaded while Lua runs")
	}
	defer r.scripts.Runtime.Transact(r.scripts.Runtime.Limits().Reload)()
	w := r.begin(p)
	w.remains = r.scripts.objects.madeByFiles(w.old)
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
	r.scripts.objects.deleteAll(w.remains)
	w.commit()
	return nil
}
