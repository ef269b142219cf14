package script

import (
	"fmt"
	"maps"
	"slices"

	"github.com/torc-engine/torc/engine/sim"
)

// A swap puts new instances of mods where old ones were, or none; it either
// succeeds or leaves everything as it was. It begins and ends between ticks,
// while no Lua runs.
type swap struct {
	*Scripts
	order   []*Manifest     // of all mods as they will be
	running map[string]*Mod // by name, the instances that are loaded now
	old     map[string]*Mod // those that are being replaced
	fresh   []*Mod          // those made so far
	change  *sim.Change
	was     saved
}

// saved is what a swap puts back when it fails. What other mods have registered
// meanwhile, because the new files called them, stays.
type saved struct {
	mods   []*Mod
	aside  []func() // each puts back what one of the old instances has registered
	blocks map[string]string
	hud    [HudLines]string
	stored int // changes that waited to be stored
}

// begin takes the old instances of the named mods out: from here on the world
// and the console are as if they had not been, but for what they have made.
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

// setAside takes what an instance has registered away from it. Whose a name of
// the console or the chat was is forgotten with the instance, if it comes to that.
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

// arrange puts the mods that are loaded into their order.
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

// load makes a mod of a manifest and runs its files, and hands over to it what
// is left of the one before it.
func (w *swap) load(manifest *Manifest) error {
	m := w.instance(manifest.Name, manifest)
	w.fresh = append(w.fresh, m)
	w.running[m.Name] = m
	w.arrange()
	old := w.old[m.Name]
	if old == nil {
		return m.runFiles()
	}
	heir := newInheritance(old, m)
	if err := heir.objects(); err != nil {
		return err
	}
	if err := m.runFiles(); err != nil {
		return err
	}
	return heir.tell()
}

// commit makes what was loaded final. What the files of old instances have
// made goes, what came of their events stays.
func (w *swap) commit() {
	for _, m := range w.fresh {
		old := w.old[m.Name]
		delete(w.disabled, m.Name)
		if old == nil {
			continue
		}
		m.account(old)
		w.forgive(m.Name)
		if slices.Contains(w.visiting, old) { // with what it needs it goes when the server goes
			w.visiting = append(slices.DeleteFunc(w.visiting, func(v *Mod) bool { return v == old }), w.fresh...)
		}
	}
	w.change.Commit()
	w.forgetAbsent()
	w.enlist()
}

// account adds what an earlier instance has used up and done wrong to the
// mod's own. Events that were suspended are not: other files are another
// chance.
func (m *Mod) account(old *Mod) {
	m.Usage.add(old.Usage)
	m.faults += old.faults
	for _, e := range old.Events() {
		r := m.handler(e.Event)
		r.Calls += e.Calls
		r.Errors += e.Errors
		r.Timeouts += e.Timeouts
		r.Usage.add(e.Usage)
		r.Max = max(r.Max, e.Max)
	}
}

func (u *Usage) add(other Usage) {
	u.Instructions += other.Instructions
	u.Time += other.Time
	u.Heap += other.Heap
}

// rollback leaves no trace of what was loaded.
func (w *swap) rollback() {
	w.Mods = w.was.mods
	for _, m := range w.fresh {
		w.storage.undo(w.was.stored, m.Name)
	}
	for _, putBack := range w.was.aside {
		putBack()
	}
	w.sortOverrides()
	w.change.Rollback() // Undone forgets what was made
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
