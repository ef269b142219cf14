// Package formfield converts the values of fields with a form: a table in Lua, a text in the
// object.
package bind

import (
	"fmt"
	"maps"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
)

// The limits of a table.
const (
	maxFormDepth   = 8
	maxFormEntries = 1000
	formEntryCost  = 20 // instructions
)

// A formConverter converts values of one Lua state.
type formConverter struct {
	Lua     *lua.LState
	Charge  func(instructions int)
	ToLua   func(sim.Value) lua.LValue
	FromLua func(lua.LValue) (sim.Value, error)
	KindOf  func(lua.LValue) string // names the type of a value in messages
}

// Pack returns the value of a field for a table or nil.
func (c formConverter) Pack(f *sim.Field, v lua.LValue) (sim.Value, error) {
	switch v := v.(type) {
	case *lua.LNilType:
		return sim.String(""), nil
	case *lua.LTable:
		t, err := (&formPacking{formConverter: c, field: f}).table(v, 1)
		if err != nil {
			return sim.Nil(), err
		}
		text, err := f.Form.Pack(t)
		return sim.String(text), err
	}
	return sim.Nil(), fmt.Errorf("%s must be a table or nil, not %s", f.Name, c.KindOf(v))
}

// Unpack returns a copy of the table in a field, or nil.
func (c formConverter) Unpack(f *sim.Field, o sim.Object) lua.LValue {
	t, ok := f.Form.Unpack(f.Get(o).Text())
	if !ok {
		return lua.LNil
	}
	return c.table(t)
}

func (c formConverter) table(t *sim.Tree) *lua.LTable {
	out := c.Lua.CreateTable(len(t.List), len(t.Named))
	c.Charge(formEntryCost * (1 + len(t.List) + len(t.Named)))
	for i, v := range t.List {
		out.RawSetInt(i+1, c.value(v))
	}
	for _, name := range slices.Sorted(maps.Keys(t.Named)) { // pairs walks in the order of insertion
		out.RawSetString(name, c.value(t.Named[name]))
	}
	return out
}

func (c formConverter) value(v any) lua.LValue {
	if t, ok := v.(*sim.Tree); ok {
		return c.table(t)
	}
	return c.ToLua(v.(sim.Value))
}

// formPacking is the conversion of one table.
type formPacking struct {
	formConverter
	field   *sim.Field
	entries int
}

// table converts the table at a depth. Its keys are names, or the positions of a list without gaps.
func (p *formPacking) table(t *lua.LTable, depth int) (*sim.Tree, error) {
	if depth > maxFormDepth {
		return nil, p.wrong("a table nested deeper than %d", maxFormDepth)
	}
	out, listed := &sim.Tree{Named: map[string]any{}}, 0
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		if p.entries++; p.entries > maxFormEntries {
			return nil, p.wrong("a table of more than %d entries", maxFormEntries)
		}
		p.Charge(formEntryCost)
		switch k := k.(type) {
		case lua.LNumber:
			listed++
		case lua.LString:
			value, err := p.value(v, depth)
			if err != nil {
				return nil, err
			}
			out.Named[string(k)] = value
		default:
			return nil, p.wrong("%s as a key", p.KindOf(k))
		}
	}
	for i := range listed {
		value, err := p.value(t.RawGetInt(i+1), depth)
		if err != nil {
			return nil, err
		}
		out.List = append(out.List, value)
	}
	return out, nil
}

// value converts a value in the table at a depth.
func (p *formPacking) value(v lua.LValue, depth int) (any, error) {
	if t, ok := v.(*lua.LTable); ok {
		return p.table(t, depth+1)
	}
	value, err := p.FromLua(v)
	switch {
	case err != nil:
		return nil, p.wrong("%s", p.KindOf(v))
	case value.IsNil():
		return nil, p.wrong("a list with gaps")
	}
	return value, nil
}

func (p *formPacking) wrong(format string, args ...any) error {
	return fmt.Errorf("%s cannot have "+format, append([]any{p.field.Name}, args...)...)
}
