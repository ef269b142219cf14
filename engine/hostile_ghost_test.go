package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/ghost"
)

// forgery is a ghost shown by a malicious server: a class, its layout and arbitrary bits.
type forgery struct {
	name   string
	class  string // the class whose number and layout it has
	change func(groups []ghost.CellGroup)
	values func(group int, v *ghost.Values)
	ends   string
}

var forgeries = []forgery{
	{"nothing wrong", "Thing", nil, nil, ""},
	{"a position far out of the world", "Thing", nil, func(group int, v *ghost.Values) {
		if group == 1 {
			v.Cells[0] = 1<<16 - 1
		}
	}, "ghost 0 (Thing): field at of Thing: value out of range"},
	{"a tool without its datablock", "Tool", nil, nil, "ghost 0 (Tool): its datablock of class ToolData is missing"},
	{"a tool with a datablock that is not there", "Tool", nil, func(group int, v *ghost.Values) {
		if group == 0 {
			v.Cells[0] = 77
		}
	}, "its datablock of class ToolData is missing"},
	{"a tool with a datablock of no index", "Tool", nil, func(group int, v *ghost.Values) {
		if group == 0 {
			v.Cells[0] = 1<<15 - 1
		}
	}, "value out of range"},
	{"a knob turned too far", "Knob", nil, func(group int, v *ghost.Values) {
		if group == 1 {
			v.Raw, v.RawBits = []byte{0xff, 0x03}, 10
		}
	}, "ghosts"},
	{"a class of datablocks", "ToolData", nil, nil, "with unknown class"},
	{"an abstract class", "NetObject", nil, nil, "with unknown class"},
}

// layoutOf returns the layout of a forgery. It is the layout of the real class, with hand-written
// groups as bits.
func (f *forgery) layoutOf(t *testing.T, h *engine.Host) *ghost.Layout {
	classes := h.World().Classes()
	class := classes.Lookup(f.class)
	groups := []ghost.CellGroup{{}}
	if class.Kind == sim.NetClass && !class.Abstract {
		groups = engine.LayoutOf(h, f.class).Groups
	}
	return ghost.NewLayout(uint16(classes.WireID(class)), f.class, groups)
}

func TestForgedGhosts(t *testing.T) {
	for _, f := range forgeries {
		t.Run(f.name, func(t *testing.T) {
			m := server(t)
			m.t = t
			images := ghost.NewSnapshots()
			m.raw.ghosts = ghost.New(ghost.Config{Snapshots: images})
			l := f.layoutOf(t, m.victim.Host)
			images.Begin(1)
			n := images.Add(l)
			for g := range l.Groups {
				v := ghost.Values{Cells: make([]uint64, len(l.Groups[g].Cells)), Texts: []string{"text"}}
				if l.Groups[g].Raw != nil {
					v = ghost.Values{Raw: []byte{0}, RawBits: 1}
				}
				if f.values != nil {
					f.values(g, &v)
				}
				images.Set(n, g, &v)
			}
			m.raw.ghosts.Activate(true)
			require.True(t, m.raw.ghosts.Scope(n))
			before := m.victim.World().Len()
			m.say(func(h hand) { h.WriteBits(0, 3) })
			m.lives(f.ends)
			if f.ends != "" {
				require.Equal(t, before-1, m.victim.World().Len(), "nothing is left of it, nor of the connection")
			}
		})
	}
}

// describe writes the description of a class.
func describe(t *testing.T, spec sim.ClassSpec) []byte { return describeAll(t, spec)[0] }

// describeAll writes the descriptions of classes. A class may occur more than once.
func describeAll(t *testing.T, specs ...sim.ClassSpec) (all [][]byte) {
	classes := enginetest.Classes(t).Session()
	for _, spec := range specs {
		declare := classes.Declare
		if classes.Lookup(spec.Name) != nil {
			declare = classes.Redeclare
		}
		c, err := declare(spec)
		require.NoError(t, err)
		w := bitstream.NewWriter(make([]byte, 1000))
		classes.PackClass(w, c)
		require.NoError(t, w.Err())
		all = append(all, w.Bytes())
	}
	return all
}

// renamed returns a description with another name of the same length.
func renamed(description []byte, name string) []byte {
	r := bitstream.NewReader(description)
	var id uint64
	var old string
	r.Bits(&id, 10)
	r.Text(&old, 64)
	w := bitstream.NewWriter(make([]byte, 1000))
	w.Bits(&id, 10)
	w.Text(&name, 64)
	for r.Err() == nil && r.Left() > 0 {
		w.WriteFlag(r.ReadFlag())
	}
	return w.Bytes()
}

func TestForgedClasses(t *testing.T) {
	good := describe(t, flag("x"))
	late := append([]byte(nil), good...)
	late[0]++ // another number
	other := flag("x")
	other.Fields = other.Fields[:1]
	anew := describeAll(t, flag("x"), other, flag("x"))
	heir := describeAll(t, flag("x"), classSpec("Flog", "Flag"))
	for name, x := range map[string]struct {
		classes [][]byte
		ends    string
	}{
		"nothing wrong":           {[][]byte{good}, ""},
		"nothing":                 {[][]byte{nil}, "description"},
		"twice the same":          {[][]byte{good, good}, "description"},
		"a number that is not up": {[][]byte{late}, "description"},
		"cut short":               {[][]byte{good[:len(good)-5]}, "description"},
		"anew, and anew":          {anew, ""},
		"anew, one left out":      {[][]byte{anew[0], anew[2]}, "description"},
		"anew, in another order":  {[][]byte{anew[1], anew[0]}, "description"},
		"one of the engine, anew": {[][]byte{renamed(good, "Tool")}, "description"},
		"anew, its own heir":      {[][]byte{heir[0], renamed(heir[1], "Flag")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := server(t)
			m.t = t
			m.say(ordered(len(x.classes), func(h hand, i int) { h.class(x.classes[i]) }))
			m.lives(x.ends)
			if x.ends != "" {
				require.Nil(t, m.victim.World().Classes().Lookup("Flag"), "it goes with its server")
			}
		})
	}
	m := client(t)
	m.say(ordered(1, func(h hand, _ int) { h.class(good) }))
	m.lives("event description in the wrong direction")
	m.rig.Run(time.Second)
}
