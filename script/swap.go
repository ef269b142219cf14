package script

import (
	"fmt"
	"maps"
	"slices"

	"github.com/torc-engine/torc/engine/sim"
)

// swap is the transaction of a reload. It replaces instances of mods by new ones, or adds new ones.
// It either succeeds or leaves everything unchanged. It begins and ends between ticks, while no Lua
// runs.
type swap struct {
	*Scripts
	order   []*Manifest     // all mods in their new order
	running map[string]*Mod // the currently loaded instances, by name
	old     map[string]*Mod // instances that are being replaced
	fresh   []*Mod          // instances made so far
	change  *sim.Change
	was     saved
}

// saved holds the state that a failed transaction restores. It does not cover the registrations
// that other mods made meanwhile because the new files called them.
type saved struct {
	mods   []*Mod
	aside  []func() // functions that restore the registrations of the old instances
	blocks map[string]string
	hud    [HudLines]string
	stored int // number of changes that waited to be stored
}

// begin removes the old instances of the named mods. From then on their registrations are gone from
// the world and the console. The objects that they made remain.
func (s *Scripts) begin(p *plan) *swap {
	w := &swap{Scripts: s, order: p.order, running: map[string]*Mod{}, old: map[string]*Mod{}, change: s.engine.World().Begin()}
	w.was = saved{
		mods: slices.Clone(s.Mods), blocks: maps.Clone(s.blocks), hud: s.hud.lines, stored: len(s.storage.next),
	}
	for _, m := range s.Mods {
		if p.fresh[m.Name] {
			w.old[m.Name] = m
			w.setAside(m)
		} else {
			w.running[m.Name] = m
		}
	}
	w.arrange()
	return w
}

// setAside removes the registrations of an instance and records how to restore them. If the
// instance is unloaded for good, the record is dropped with it.
func (w *swap) setAside(m *Mod) {
	w.keepSettings(m)
	names, chat, overrides := w.namesOf(m), maps.Clone(w.chat), slices.Clone(w.overrides)
	maps.DeleteFunc(chat, func(_ string, c chatCommand) bool { return c.mod != m })
	overrides = slices.DeleteFunc(overrides, func(o override) bool { return o.mod != m })
	putBack := w.console.SetAside(names...)
	w.was.aside = append(w.was.aside, func() {
		putBack()
		for _, name := range names {
			w.registered[name] = m
		}
		maps.Copy(w.chat, chat)
		w.overrides = append(w.overrides, overrides...)
	})
	w.overrides = slices.DeleteFunc(w.overrides, func(o override) bool { return o.mod == m })
}

// arrange sorts the loaded mods into load order.
func (w *swap) arrange() {
	w.Mods = nil
	for _, manifest := range w.order {
		if m := w.running[manifest.Name]; m != nil {
			w.Mods = append(w.Mods, m)
		}
	}
	w.Mods = append(w.Mods, w.operator)
	w.sortOverrides()
	w.changes++
}

// load makes a mod from a manifest, runs its files, and hands over the state of its previous
// instance.
func (w *swap) load(manifest *Manifest) error {
	m := w.Instance(manifest.Name, manifest.FS)
	extOf(m).manifest = manifest
	w.fresh = append(w.fresh, m)
	w.running[m.Name] = m
	w.arrange()
	old := w.old[m.Name]
	if old == nil {
		return runFiles(m)
	}
	heir := newInheritance(old, m)
	if err := heir.objects(); err != nil {
		return err
	}
	if err := runFiles(m); err != nil {
		return err
	}
	return heir.tell()
}

// commit makes the loaded instances final. Objects that the files of old instances made are
// deleted. Objects that their events made stay.
func (w *swap) commit() {
	for _, m := range w.fresh {
		old := w.old[m.Name]
		delete(w.disabled, m.Name)
		if old == nil {
			continue
		}
		m.Account(old)
		w.Forgive(m.Name)
		// The old instance was loaded for the server, so the new ones must be unloaded with it.
		if slices.Contains(w.visiting, old) {
			w.visiting = append(slices.DeleteFunc(w.visiting, func(v *Mod) bool { return v == old }), w.fresh...)
		}
	}
	w.change.Commit()
	w.forgetAbsent()
	w.enlist()
}

// rollback undoes the transaction completely.
func (w *swap) rollback() {
	w.Mods = w.was.mods
	for _, m := range w.fresh {
		w.storage.undo(w.was.stored, m.Name)
	}
	for _, putBack := range w.was.aside {
		putBack()
	}
	w.sortOverrides()
	w.change.Rollback() // Undone removes the records of the objects made
	w.blocks = w.was.blocks
	for i, text := range w.was.hud {
		w.setHud(i+1, text)
	}
	w.forgetAbsent()
}

// exchange carries out a plan.
func (s *Scripts) exchange(p *plan) error {
	if s.Depth() > 0 {
		panic("BUG: mods are exchanged while Lua runs")
	}
	w := s.begin(p)
	remains := s.fileMade(w.old)
	for _, manifest := range p.order {
		if !p.fresh[manifest.Name] {
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
