package script

import (
	"maps"
	"slices"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine/sim"
)

// Declared lists the declarations and objects of a mod without the differences between servers. It
// compares only datablocks and classes that the other server has too.
func (s *Scripts) Declared(mod string, as *Scripts) string {
	d := &dump{Scripts: s}
	m := s.Runtime.Mod(mod)
	x := instanceOf(m)
	d.add("exports %v tags %d timers %d roster %v", slices.Sorted(maps.Keys(x.exports)), len(x.values.DeclaredTags), s.engine.Schedule().OfMod(m.Owner()), s.mods.order)
	for name, v := range x.exports {
		d.add("export %s %v", name, v)
	}
	for _, key := range slices.Sorted(maps.Keys(x.callbacks)) {
		d.add("callbacks %s %v", key, slices.Sorted(maps.Keys(x.callbacks[key])))
	}
	d.add("commands %v %v", slices.Sorted(maps.Values(x.server.global)), slices.Sorted(maps.Keys(x.server.rules)))
	for _, o := range s.chains.overrides {
		d.add("override %s %s of %s", o.key, o.name, o.mod.Name)
	}
	d.add("chat %v defined %v counts %v", slices.Sorted(maps.Keys(s.chat.commands)), slices.Sorted(maps.Keys(s.chains.defined)), s.objects.counts)
	for _, name := range s.settings.namesOf(m) {
		if command, v := s.console.Lookup(name); v != nil {
			d.add("setting %s = %s %v %q %q", name, console.Show(v.Value), s.console.Changed(name), v.Help, v.Value.(console.RangedValue).Range())
		} else {
			d.add("command %s %s", name, command.Params)
		}
	}
	d.declaredIn(as.engine.World())
	d.objectsOf(mod)
	slices.Sort(d.lines)
	return strings.Join(d.lines, "\n")
}

// declaredIn lists the datablocks and classes that the other world has too.
func (d *dump) declaredIn(other *sim.World) {
	w := d.engine.World()
	for _, o := range other.Blocks.Newer(0) {
		b := w.Blocks.ByName(o.Ident().Name())
		d.add("block %s of %q by %s", b.Ident().Name(), b.(sim.Datablock).Data().Parent(), d.owners.blocks[strings.ToLower(b.Ident().Name())])
		for _, f := range b.Ident().Class().AllFields() {
			d.add("block %s %s = %s", b.Ident().Name(), f.Name, f.Get(b).Literal())
		}
	}
	for _, c := range other.Classes().Declared() {
		is := w.Classes().Lookup(c.Name)
		d.add("class %s of %s", is.Name, is.Parent)
		for _, f := range is.AllFields() {
			d.add("class %s %s %v %v…%v %d %d %v", is.Name, f.Name, f.Kind, f.Lo, f.Hi, f.Max, f.Group, is.Default(f))
		}
	}
}

// objectsOf lists the objects that the files of a mod have made.
func (d *dump) objectsOf(mod string) {
	w := d.engine.World()
	for id, by := range d.objects.makers {
		o := w.Find(id)
		if by.mod != mod || !by.file || o == nil {
			continue
		}
		i := o.Ident()
		d.add("object %s %s in %s own %v", i.Class().Name, i.Name(), i.Group().Name(), instanceOf(d.Runtime.Mod(mod)).values.Own[id] != nil)
		for _, f := range i.Class().AllFields() {
			d.add("object %s %s = %s", i.Name(), f.Name, f.Get(o).Literal())
		}
	}
}
