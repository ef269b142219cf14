package script

import (
	"fmt"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// Limits of the data that a mod hands over to its next instance in a reload.
const (
	maxMigratedEntries = 200_000 // table entries
	maxMigrationDepth  = 100     // nesting depth of tables
	entryBytes         = 64      // bytes of a string that count as an entry when memory is freed
)

// A previousMod is the previous instance of a reloaded mod, as seen by onReload: its globals and
// modules. It is empty after onReload.
type previousMod struct{ *migration }

// A migration copies data from the previous instance of a mod to the new one. A table copied
// twice, or in a cycle, stays one table. Metatables and values that cannot move between states are
// left out.
type migration struct {
	from, to       *vm.Mod
	seen           map[*lua.LTable]*lua.LTable
	deletedHandles map[sim.ID]*lua.LUserData // handles of deleted objects
	entries        int
	weighs         bool // long strings count as several entries
	depth          int
	failed         error
}

func newMigration(from, to *vm.Mod) *migration {
	to.State.ContinueRandom(from.State)
	for name := range instanceOf(from).exports {
		instanceOf(to).lostExports[name] = true
	}
	for name := range instanceOf(from).lostExports {
		instanceOf(to).lostExports[name] = true
	}
	return &migration{from: from, to: to, seen: map[*lua.LTable]*lua.LTable{}, deletedHandles: map[sim.ID]*lua.LUserData{}}
}

// copyObjects copies the mod's own tables of objects.
func (h *migration) copyObjects() error {
	x := instanceOf(h.from)
	ids := make([]sim.ID, 0, len(x.values.Own))
	for id := range x.values.Own {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		if t, ok := h.copy(x.values.Own[id]).(*lua.LTable); ok {
			instanceOf(h.to).values.Own[id] = t
		}
	}
	if h.failed != nil {
		return fmt.Errorf("the own tables of objects: %w", h.failed)
	}
	return nil
}

// callOnReload calls onReload(old) of the new instance, if it is defined.
func (h *migration) callOnReload() error {
	fn, ok := h.to.Global("onReload").(*lua.LFunction)
	if !ok {
		return nil
	}
	x := instanceOf(h.to)
	old := &previousMod{h}
	_, err := x.scripts.Runtime.EnterEvent("onReload", h.to, fn, x.scripts.Runtime.Limits().Load, []lua.LValue{x.values.Userdata(old, x.meta.previous)})
	old.migration = nil // a mod that keeps old must not keep the old state
	return err
}

// copy returns v as a value of the new state, or nil if it cannot be copied.
func (h *migration) copy(v lua.LValue) lua.LValue {
	x := bind.Of(h.to)
	switch v := v.(type) {
	case lua.LString:
		if h.weighs {
			h.entries += len(v) / entryBytes
		}
	case *lua.LTable:
		return h.copyTable(v)
	case *lua.LUserData:
		switch d := v.Value.(type) {
		case bind.Portable:
			return d.In(x)
		case *bind.Handle:
			return h.handle(d.ID)
		}
	}
	plain, err := bind.FromLua(v)
	if err != nil {
		return lua.LNil
	}
	return x.ToLua(plain)
}

// handle copies a handle. It also copies handles of deleted objects, so that a list gets no holes.
func (h *migration) handle(id sim.ID) lua.LValue {
	x := bind.Of(h.to)
	if v := x.Object(id); v != lua.LNil {
		return v
	}
	if h.deletedHandles[id] == nil {
		h.deletedHandles[id] = x.NewHandle(id)
	}
	return h.deletedHandles[id]
}

func (h *migration) copyTable(t *lua.LTable) lua.LValue {
	if done := h.seen[t]; done != nil {
		return done
	}
	switch {
	case h.failed != nil:
		return lua.LNil
	case h.depth >= maxMigrationDepth:
		h.failed = fmt.Errorf("tables nested deeper than %d cannot be handed over", maxMigrationDepth)
		return lua.LNil
	}
	out := h.to.State.Lua().CreateTable(t.Len(), 4)
	h.seen[t] = out
	h.depth++
	for k, v := t.Next(lua.LNil); k != lua.LNil && h.failed == nil; k, v = t.Next(k) { // in the order of pairs
		if h.entries++; h.entries > maxMigratedEntries {
			h.failed = fmt.Errorf("more than %d table entries cannot be handed over", maxMigratedEntries)
			break
		}
		if key, value := h.copy(k), h.copy(v); key != lua.LNil && value != lua.LNil {
			out.RawSet(key, value)
		}
	}
	h.depth--
	return out
}

var previousMeta = []bind.Row{
	bind.Def("__index", "", vm.Both, "", indexPrevious),
	bind.Def("__newindex", "", vm.Both, "", func(a bind.Call) int { a.Fail("the old instance is read-only"); return 0 }),
	bind.Def("__tostring", "", vm.Both, "", func(a bind.Call) int { return a.Text("the old " + a.Mod.Name) }),
}

// previousArg returns argument 1, the previous instance of this mod.
func previousArg(a bind.Call) *migration {
	old, ok := bind.DataArg[*previousMod](a, 1)
	if !ok {
		a.Wrong(1, "the argument of onReload")
	}
	if old.migration == nil {
		a.Fail("the state before the reload is readable only in onReload")
	}
	return old.migration
}

// returnCopy returns v as a value of the new state.
func returnCopy(a bind.Call, h *migration, v lua.LValue) int {
	before := h.entries
	copied := h.copy(v)
	a.Charge(h.entries - before)
	if h.failed != nil {
		a.Fail("%s", h.failed)
	}
	return a.Return(copied)
}

func indexPrevious(a bind.Call) int {
	h, name := previousArg(a), a.String(2)
	if name == "module" {
		return a.Return(a.Binding().Method("old", "module"))
	}
	return returnCopy(a, h, h.from.Global(name))
}

// previousModule implements old:module(name): the value of a module in the previous instance, or
// nil if it did not run there.
func previousModule(a bind.Call) int {
	h := previousArg(a)
	value := h.from.Module(vm.ModulePath(a.String(2)))
	if value == nil {
		return a.Return(lua.LNil)
	}
	return returnCopy(a, h, value)
}

func (p *previousMod) Kind() string { return "a mod" }
