package engine

import (
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// layouts are how the classes of a host look on the wire, by their numbers
// there. Each is made when it is first asked for.
type layouts struct {
	world *sim.World
	list  []layout
	coder sim.GroupCoder // of whatever group is at hand
}

// A layout is a class as the ghost stream knows it.
type layout struct {
	class *sim.Class
	wire  *netcore.Layout
	block uint32 // the group that the datablock which objects must have is in, as a mask
}

// of is the layout with this number, nil if there is no such class of ghosts.
func (ls *layouts) of(id uint16) *netcore.Layout {
	class := ls.world.Classes().ByWire(int(id))
	if class == nil || class.Kind != sim.NetClass || class.Abstract {
		return nil
	}
	for int(id) >= len(ls.list) {
		ls.list = append(ls.list, layout{})
	}
	l := &ls.list[id]
	if l.class != class { // a number has another class with another server
		*l = layout{class: class, wire: ls.make(id, class)}
		if class.DataBlock != "" {
			l.block = 1 << class.Lookup("dataBlock").Group
		}
	}
	return l.wire
}

// blockGroup is the group, as a mask, in which objects of a class that has a
// layout have the datablock that they must have; 0 if they need none.
func (ls *layouts) blockGroup(class *sim.Class) uint32 {
	return ls.list[ls.world.Classes().WireID(class)].block
}

func (ls *layouts) make(id uint16, class *sim.Class) *netcore.Layout {
	groups := make([]netcore.Group, class.Groups())
	for g := range groups {
		groups[g].Weight = class.GroupWeight[g]
		if code := class.Coder(g); code != nil {
			groups[g].Raw = ls.reader(class, code)
			continue
		}
		for _, cell := range class.Cells(g) {
			groups[g].Cells = append(groups[g].Cells, netcore.Cell{
				Field: cell.Field.Name, Kind: netcore.CellKind(cell.Kind),
				Bits: cell.Bits, Smooth: cell.Smooth, Max: cell.Max,
			})
		}
	}
	return netcore.NewLayout(id, class.Name, groups)
}

// reader reads a hand-written group into an object that is in no world, which
// tells how long the group is.
func (ls *layouts) reader(class *sim.Class, code func(*sim.GroupCoder, sim.Object)) func(*bitstream.Stream, func(string)) {
	model := ls.world.Make(class)
	return func(s *bitstream.Stream, end func(string)) { ls.code(code, s, end, model) }
}

// code runs a hand-written group of an object over a stream.
func (ls *layouts) code(code func(*sim.GroupCoder, sim.Object), s *bitstream.Stream, end func(string), o sim.Object) {
	ls.coder = sim.GroupCoder{Stream: s, End: end}
	code(&ls.coder, o)
	ls.coder = sim.GroupCoder{}
}
