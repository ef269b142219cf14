package script

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// A dump is the observable state of a side, with one line for each thing.
type dump struct {
	*Scripts
	lines []string
}

// Dump lists everything that a failed reload must not change.
func (s *Scripts) Dump() string {
	d := &dump{Scripts: s}
	d.mods()
	d.world()
	d.tables()
	d.names()
	return strings.Join(d.lines, "\n")
}

func (d *dump) add(format string, args ...any) {
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

func (d *dump) mods() {
	for _, m := range d.Runtime.Mods {
		x := instanceOf(m)
		d.add("mod %s %p suspended %q faults %d gone %v timers %d", m.Owner(), m, m.Suspended(), m.Faults(), x.disabled, d.engine.Schedule().OfMod(m.Owner()))
		for _, name := range slices.Sorted(maps.Keys(x.exports)) {
			d.add("  export %s %p", name, x.exports[name])
		}
		for _, key := range slices.Sorted(maps.Keys(x.callbacks)) {
			for _, name := range slices.Sorted(maps.Keys(x.callbacks[key])) {
				d.add("  callback %s %s %p", key, name, x.callbacks[key][name])
			}
		}
		for _, t := range []*commandTable{&x.server, &x.client} {
			d.add("  %s %v rules %v", t.prefix, slices.Sorted(maps.Values(t.global)), slices.Sorted(maps.Keys(t.rules)))
		}
		d.add("  tags %v own %v handles %d", x.values.DeclaredTags, slices.Sorted(maps.Keys(x.values.Own)), len(x.values.Handles))
		for _, id := range slices.Sorted(maps.Keys(x.values.Own)) {
			for k, v := x.values.Own[id].Next(lua.LNil); k != lua.LNil; k, v = x.values.Own[id].Next(k) {
				d.add("    %d %s = %s", id, bind.Literal(k), bind.Literal(v))
			}
		}
		for _, name := range slices.Sorted(maps.Keys(m.Modules())) {
			d.add("  module %s %v", name, m.Module(name))
		}
	}
}

func (d *dump) world() {
	w := d.engine.World()
	w.Each(nil, func(o sim.Object) bool {
		i := o.Ident()
		group := sim.ID(0)
		if i.Group() != nil {
			group = i.Group().ID()
		}
		d.add("object %d %s %s class %d in %d", i.ID(), i.Name(), i.Class().Name, w.Classes().WireID(i.Class()), group)
		if b, ok := o.(sim.Datablock); ok {
			d.add("  block %d key %d parent %q", b.Data().Index(), b.Data().Key(), b.Data().Parent())
		}
		for _, f := range i.Class().AllFields() {
			d.add("  %s = %s", f.Name, f.Get(o).Literal())
		}
		return true
	})
	d.add("objects %d blocks %d newest %d", w.Len(), w.Blocks.Len(), w.Blocks.Newest())
	for _, c := range w.Classes().Declared() {
		d.add("declared %s %d %p %v", c.Name, w.Classes().WireID(c), c, w.Classes().Lookup(c.Name) == c)
	}
	d.add("timers %d", d.engine.Schedule().Len())
}

func (d *dump) tables() {
	for _, o := range d.chains.overrides {
		d.add("override %s %s of %s %p", o.key, o.name, o.mod.Owner(), o.fn)
	}
	for _, name := range slices.Sorted(maps.Keys(d.chat.commands)) {
		d.add("chat %s of %s", name, d.chat.commands[name].mod.Owner())
	}
	for _, id := range slices.Sorted(maps.Keys(d.objects.makers)) {
		d.add("made %d %v", id, d.objects.makers[id])
	}
	d.add("counts %v steering %v blocks %v disabled %v", d.objects.counts, d.objects.steeredBy, d.owners.blocks, d.Scripts.mods.disabled)
	d.add("roster %v alive %d visiting %d", d.Scripts.mods.order, len(d.Scripts.mods.alive), len(d.Scripts.mods.serverMods))
	d.lines = append(d.lines, d.toCome()...)
	d.add("defined %v", slices.Sorted(maps.Keys(d.chains.defined)))
	d.add("hud %q mods %v", d.Scripts.screen.lines, d.ModInfos())
	d.add("to be stored %d", d.storage.Mark())
	stored := d.storage.Contents()
	for _, name := range slices.Sorted(maps.Keys(stored)) {
		d.add("stored %s %q", name, stored[name])
	}
}

// toCome lists the kept values of settings that are not declared now.
func (s *Scripts) toCome() (lines []string) {
	for _, mod := range slices.Sorted(maps.Keys(s.settings.kept)) {
		for _, name := range slices.Sorted(maps.Keys(s.settings.kept[mod])) {
			if s.settings.registered[name] == nil {
				lines = append(lines, fmt.Sprintf("kept of %s %s = %s", mod, name, s.settings.kept[mod][name]))
			}
		}
	}
	return lines
}

func (d *dump) names() {
	for _, name := range d.console.Names() {
		if command, v := d.console.Lookup(name); v != nil {
			d.add("variable %s = %s %v %q %p", name, console.Show(v.Value), d.console.Changed(name), v.Help, v)
		} else {
			d.add("command %s %s %q %p", name, command.Params, command.Help, command)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.settings.registered)) {
		d.add("registered %s of %s", name, d.settings.registered[name].Owner())
	}
}

// Held counts the resources that a side keeps for its mods. The counts must not grow with reloads.
func (s *Scripts) Held() map[string]int {
	held := map[string]int{
		"alive": len(s.mods.alive), "made": len(s.objects.makers), "overrides": len(s.chains.overrides), "defined": len(s.chains.defined),
		"chains": len(s.chains.classes), "parts": len(s.chains.parts), "asked": len(s.chains.asked), "chat": len(s.chat.commands),
		"registered": len(s.settings.registered), "steering": len(s.objects.steeredBy), "clashes": len(s.dispatch.clashes), "kept": len(s.toCome()),
		"blocks": len(s.owners.blocks), "between": len(s.reloads.queued), "trying": len(s.reloads.pending), "files": s.Runtime.Protos().Len(),
		"timers": s.engine.Schedule().Len(), "objects": s.engine.World().Len(), "classes": len(s.engine.World().Classes().Declared()),
	}
	for _, m := range s.Runtime.Mods {
		x := instanceOf(m)
		for what, n := range map[string]int{
			"tags": len(x.values.DeclaredTags), "own": len(x.values.Own), "handles": len(x.values.Handles), "exports": len(x.exports),
			"imports": len(x.imports), "lost": len(x.lostExports), "members": x.values.CachedClasses(), "loaded": len(m.Modules()), "files": len(m.Files()),
		} {
			held[m.Name+" "+what] = n
		}
	}
	return held
}

// SetTrial replaces the trial of the scripts.
func (s *Scripts) SetTrial(trial func(name string, folders []fs.FS, done func(error))) {
	if s.reloads.runTests = nil; trial != nil {
		s.reloads.runTests = func(name string, folders []fs.FS, _ bool, done func(*vm.Protos, error)) {
			trial(name, folders, func(err error) { done(nil, err) })
		}
	}
}

// ForgetCompiled makes the next load compile all files.
func (s *Scripts) ForgetCompiled() { s.Runtime.Protos().Clear() }

// Registered returns the console names of loaded mods, each with its mod.
func (s *Scripts) Registered() map[string]string {
	owned := map[string]string{}
	for name, m := range s.settings.registered {
		if slices.Contains(s.Runtime.Mods, m) {
			owned[name] = m.Name
		}
	}
	return owned
}
