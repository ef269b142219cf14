package script

import (
	"fmt"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine/sim"
)

// Limits of the data that a mod hands over to its next instance in a reload.
const (
	maxInherited = 200_000 // table entries
	maxInherit   = 100     // nesting depth of tables
)

// A former is the previous instance of a reloaded mod, as seen by onReload: its globals and
// modules. It is empty after onReload.
type former struct{ *inheritance }

// An inheritance copies data from the previous instance of a mod to the new one. A table copied
// twice, or in a cycle, stays one table. Metatables and values that cannot move between states are
// left out.
type inheritance struct {
	from, to *Mod
	seen     map[*lua.LTable]*lua.LTable
	dead     map[sim.ID]*lua.LUserData // handles of deleted objects
	entries  int
	depth    int
	failed   error
}

func newInheritance(from, to *Mod) *inheritance {
	to.State.ContinueRandom(from.State)
	for name := range extOf(from).exports {
		extOf(to).lost[name] = true
	}
	for name := range extOf(from).lost {
		extOf(to).lost[name] = true
	}
	return &inheritance{from: from, to: to, seen: map[*lua.LTable]*lua.LTable{}, dead: map[sim.ID]*lua.LUserData{}}
}

// objects copies the mod's own tables of objects.
func (h *inheritance) objects() error {
	x := extOf(h.from)
	ids := make([]sim.ID, 0, len(x.own))
	for id := range x.own {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		if t, ok := h.copy(x.own[id]).(*lua.LTable); ok {
			extOf(h.to).own[id] = t
		}
	}
	if h.failed != nil {
		return fmt.Errorf("the own tables of objects: %w", h.failed)
	}
	return nil
}

// tell calls onReload(old) of the new instance, if it is defined.
func (h *inheritance) tell() error {
	fn, ok := h.to.Global("onReload").(*lua.LFunction)
	if !ok {
		return nil
	}
	x := extOf(h.to)
	old := &former{h}
	_, err := x.scripts.enter("onReload", h.to, fn, x.scripts.Limits().Load, []lua.LValue{x.userdata(old, x.meta.former)})
	old.inheritance = nil // a mod that keeps old must not keep the old state
	return err
}

// copy returns v as a value of the new state, or nil if it cannot be copied.
func (h *inheritance) copy(v lua.LValue) lua.LValue {
	x := extOf(h.to)
	switch v := v.(type) {
	case *lua.LTable:
		return h.copyTable(v)
	case *lua.LUserData:
		switch d := v.Value.(type) {
		case future:
			return x.futureBlock(d.name)
		case classRef:
			return x.class(d.name)
		case imported:
			return x.imported(d.name)
		case handle:
			return h.handle(d)
		}
	}
	plain, err := fromLua(v)
	if err != nil {
		return lua.LNil
	}
	return x.toLua(plain)
}

// handle copies a handle. It also copies handles of deleted objects, so that a list gets no holes.
func (h *inheritance) handle(d handle) lua.LValue {
	x := extOf(h.to)
	if v := x.object(d.id); v != lua.LNil {
		return v
	}
	if h.dead[d.id] == nil {
		h.dead[d.id] = x.userdata(d, x.meta.object)
	}
	return h.dead[d.id]
}

func (h *inheritance) copyTable(t *lua.LTable) lua.LValue {
	if done := h.seen[t]; done != nil {
		return done
	}
	switch {
	case h.failed != nil:
		return lua.LNil
	case h.depth >= maxInherit:
		h.failed = fmt.Errorf("tables nested deeper than %d cannot be handed over", maxInherit)
		return lua.LNil
	}
	out := h.to.State.Lua().CreateTable(t.Len(), 4)
	h.seen[t] = out
	h.depth++
	for k, v := t.Next(lua.LNil); k != lua.LNil && h.failed == nil; k, v = t.Next(k) { // in the order of pairs
		if h.entries++; h.entries > maxInherited {
			h.failed = fmt.Errorf("more than %d table entries cannot be handed over", maxInherited)
			break
		}
		if key, value := h.copy(k), h.copy(v); key != lua.LNil && value != lua.LNil {
			out.RawSet(key, value)
		}
	}
	h.depth--
	return out
}

var formerMeta = []Func{
	{"__index", "", Both, "", indexFormer},
	{"__newindex", "", Both, "", func(a Args) int { a.Fail("the old one can only be read"); return 0 }},
	{"__tostring", "", Both, "", func(a Args) int { return a.Text("the old " + a.Mod.Name) }},
}

// former returns argument 1, the previous instance of this mod.
func (a Args) former() *inheritance {
	u, _ := a.Get(1).(*lua.LUserData)
	if u != nil {
		if old, ok := u.Value.(*former); ok {
			if old.inheritance == nil {
				a.Fail("what was before the reload can only be read in onReload")
			}
			return old.inheritance
		}
	}
	a.wrong(1, "what onReload was called with")
	return nil
}

// hand returns v as a value of the new state.
func (a Args) hand(h *inheritance, v lua.LValue) int {
	before := h.entries
	copied := h.copy(v)
	a.Charge(h.entries - before)
	if h.failed != nil {
		a.Fail("%s", h.failed)
	}
	return a.Return(copied)
}

func indexFormer(a Args) int {
	h, name := a.former(), a.String(2)
	if name == "module" {
		return a.Return(a.ext().method("old", "module"))
	}
	return a.hand(h, h.from.Global(name))
}

// formerModule implements old:module(name): the value of a module in the previous instance, or nil
// if it did not run there.
func formerModule(a Args) int {
	h := a.former()
	value := h.from.Module(modulePath(a.String(2)))
	if value == nil {
		return a.Return(lua.LNil)
	}
	return a.hand(h, value)
}

// Expect sets the initial value of a setting that no mod has declared yet. The value replaces the
// default when a mod declares the setting.
func (s *Scripts) Expect(setting, text string) { s.expected[setting] = text }

// keepSettings records the changed values of a mod's settings. resume restores them when the
// settings are declared again.
func (s *Scripts) keepSettings(m *Mod) {
	values := s.kept[m.Name]
	for _, name := range s.namesOf(m) {
		if !s.console.Changed(name) {
			delete(values, name)
			delete(s.expected, name)
			continue
		}
		if values == nil {
			values = map[string]string{}
			s.kept[m.Name] = values
		}
		if _, again := values[name]; again || len(values) < s.caps.names {
			_, v := s.console.Lookup(name)
			values[name] = v.Value.String()
		}
	}
}

// resume sets a newly declared setting to its previous or expected value, if the value is valid.
func (s *Scripts) resume(m *Mod, name string, v console.Value) {
	text, known := s.kept[m.Name][name]
	if !known {
		text, known = s.expected[name]
	}
	if !known {
		return
	}
	if err := v.Set(text); err != nil {
		s.warn(fmt.Sprintf("%s: %s cannot be %s and is %s: it %s", m.Name, name, console.Quote(text), console.Show(v), err))
	}
}

// declaresAnew reports whether an existing datablock is declared again by its own mod in a reload.
// The declaration then starts from the defaults, so a field removed from the file has no effect any
// more.
func (x *ext) declaresAnew(name string) bool {
	key, s := strings.ToLower(name), x.scripts
	first, known := s.blocks[key]
	if !known {
		s.blocks[key] = x.mod.Name
	}
	again := x.anew[key]
	x.anew[key] = true
	return known && !again && first == x.mod.Name && x.mod.Loading
}

// beginAnew resets a datablock's fields to the values of its parent, or to the defaults of its
// class.
func (x *ext) beginAnew(o sim.Object, parent string) {
	class, from := o.Ident().Class(), x.world().Blocks.ByName(parent)
	if b, ok := o.(sim.Datablock); ok && from == nil {
		b.Data().Disinherit()
	}
	for _, f := range class.AllFields() {
		value := class.Default(f)
		if from != nil && from.Ident().Class().Lookup(f.Name) == f {
			value = f.Get(from)
		}
		if err := f.Set(o, value); err != nil {
			panic("BUG: " + err.Error()) // the value came from a field of this kind
		}
	}
}
