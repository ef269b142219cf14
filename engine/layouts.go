package engine

import (
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/ghost"
)

// layouts are the wire layouts of a host's classes, by class number. Each is made at its first use.
type layouts struct {
	world *sim.World
	list  []classLayout
	coder sim.GroupCoder // for the current group
}

// A classLayout is the wire layout of a class.
type classLayout struct {
	class *sim.Class
	wire  *ghost.Layout
	block uint32 // mask of the group with the required datablock
}

// of returns the layout with this number, or nil if there is no such class of ghosts.
func (ls *layouts) of(id uint16) *ghost.Layout {
	class := ls.world.Classes().ByWire(int(id))
	if class == nil || class.Kind != sim.NetClass || class.Abstract {
		return nil
	}
	for int(id) >= len(ls.list) {
		ls.list = append(ls.list, classLayout{})
	}
	l := &ls.list[id]
	if l.class != class { // on another server, the number has another class
		*l = classLayout{class: class, wire: ls.make(id, class)}
		if class.DataBlock != "" {
			l.block = 1 << class.Lookup("dataBlock").Group
		}
	}
	return l.wire
}

// blockGroup returns the mask of the group with the required datablock, or 0 if the class requires
// none. The class must have a layout.
func (ls *layouts) blockGroup(class *sim.Class) uint32 {
	return ls.list[ls.world.Classes().WireID(class)].block
}

func (ls *layouts) make(id uint16, class *sim.Class) *ghost.Layout {
	groups, model := make([]ghost.CellGroup, class.Groups()), ls.world.Make(class)
	for g := range groups {
		groups[g].Weight = class.GroupWeight[g]
		if code := class.Coder(g); code != nil {
			groups[g].Raw = ls.reader(class, code)
			continue
		}
		for _, cell := range class.Cells(g) {
			groups[g].Cells = append(groups[g].Cells, ghost.Cell{
				Field: cell.Field.Name, Kind: ghost.CellKind(cell.Kind),
				Bits: cell.Bits, Smooth: cell.Smooth, Max: cell.Max, Rate: (*ghost.CellRate)(cell.Rate),
			})
		}
		var blank sim.Values
		class.Quantise(model, g, &blank)
		groups[g].Blank = &ghost.Values{Cells: blank.Cells, Texts: blank.Texts}
	}
	return ghost.NewLayout(id, class.Name, groups)
}

// reader returns a function that reads a hand-written group into a dummy object, to find the
// group's length.
func (ls *layouts) reader(class *sim.Class, code func(*sim.GroupCoder, sim.Object)) func(*bitstream.Codec, func(string)) {
	model := ls.world.Make(class)
	return func(s *bitstream.Codec, end func(string)) { ls.code(code, s, end, model) }
}

// code runs a hand-written group of an object over a stream.
func (ls *layouts) code(code func(*sim.GroupCoder, sim.Object), s *bitstream.Codec, end func(string), o sim.Object) {
	ls.coder = sim.GroupCoder{Codec: s, End: end}
	code(&ls.coder, o)
	ls.coder = sim.GroupCoder{}
}
