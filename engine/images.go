package engine

import (
	"math/bits"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// maxCoded is the most bytes that a hand-written group may take.
const maxCoded = 1 << 10

// images are what a host's net objects look like on the wire: a number for each
// of them, and in netcore.Images the quantised state of every group.
//
// An image is made once a tick for all connections, of what has changed and is
// in somebody's scope. Of other objects it is only noted what has changed.
type images struct {
	*netcore.Images
	layouts
	host    *Host
	objects []imaged // by number; 0 is nobody

	hear   func(o sim.Object, groups uint32) // changed, made once
	follow func(o sim.Object, groups uint32) // drifted, made once
	values sim.Values                        // scratch of one group
	wire   netcore.Values
	writer bitstream.Writer
	room   [maxCoded]byte
	end    func(field string) // notes where a hand-written field ends
}

// imaged is an object that has a number.
type imaged struct {
	object   sim.Object
	watchers int    // connections that have it in scope
	stale    uint32 // groups that have changed since their image was made
	drift    uint32 // likewise, but ghosts that are there know that by themselves
}

func newImages(h *Host) *images {
	im := &images{Images: netcore.NewImages(), host: h, objects: make([]imaged, 1)}
	im.layouts.world = h.world
	im.hear, im.follow = im.changed, im.drifted
	im.end = func(field string) {
		im.wire.RawEnds = append(im.wire.RawEnds, netcore.RawEnd{Field: field, At: im.writer.Pos()})
	}
	return im
}

// serves reports whether any connection of this host sends ghosts.
func (h *Host) serves() bool { return h.cfg.Server || h.cfg.Mutual }

// add numbers a net object; what is none stays without.
func (im *images) add(o sim.Object) {
	i := o.Ident()
	if !im.host.serves() || i.Class().Kind != sim.NetClass {
		return
	}
	n := im.Add(im.of(uint16(im.world.Classes().WireID(i.Class()))))
	for int(n) >= len(im.objects) {
		im.objects = append(im.objects, imaged{})
	}
	im.objects[n] = imaged{object: o, stale: 1<<i.Class().Groups() - 1}
	i.SetNumber(n)
	im.host.scope.add(n, o)
}

// remove takes an object's number away. Nobody has it in scope after that.
func (im *images) remove(o sim.Object) {
	n := o.Ident().Number()
	if n == 0 || im.objects[n].object != o {
		return
	}
	im.host.scope.remove(n)
	o.Ident().SetNumber(0)
	im.objects[n] = imaged{}
	im.Remove(n)
}

// renumber gives an object another number, and has those that refer to it do so
// by that.
func (im *images) renumber(o sim.Object) {
	if n := o.Ident().Number(); n != 0 {
		im.EachReferrer(n, func(by uint32, group int) { im.objects[by].object.Ident().Mark(1 << group) })
	}
	im.remove(o)
	im.add(o)
}

// ObjectOf is the object with this number in the images, or nil.
func (h *Host) ObjectOf(number uint32) sim.Object {
	if int(number) >= len(h.images.objects) {
		return nil
	}
	return h.images.objects[number].object
}

// pass makes the images of a tick: those of marked objects that somebody has in
// scope.
func (im *images) pass(tick uint64) {
	im.Begin(uint32(tick))
	im.world.TakeMarks(im.hear)
	im.world.TakeDrifts(im.follow)
}

// changed hears that groups of an object have changed.
func (im *images) changed(o sim.Object, groups uint32) {
	i := o.Ident()
	n := i.Number()
	if n == 0 {
		return
	}
	m := &im.objects[n]
	m.stale |= groups
	im.host.scope.update(n)
	if m.watchers == 0 {
		return
	}
	if m.stale&im.blockGroup(i.Class()) != 0 {
		im.recheck(n)
	}
	if m.watchers > 0 {
		im.refresh(n)
	}
}

// drifted hears that groups of an object have changed as its ghosts know.
func (im *images) drifted(o sim.Object, groups uint32) {
	if n := o.Ident().Number(); n != 0 {
		im.objects[n].drift |= groups
		im.host.scope.update(n)
	}
}

// recheck takes an object that has got another datablock away from those who do
// not have that yet.
func (im *images) recheck(n uint32) {
	for _, c := range im.host.conns {
		c.gate.recheck(n)
	}
}

// watch notes that one more connection has an object in scope; its image is up
// to date from here on.
func (im *images) watch(n uint32) {
	m := &im.objects[n]
	m.watchers++
	m.stale |= m.drift
	im.refresh(n)
}

// unwatch notes that one connection less has it in scope.
func (im *images) unwatch(n uint32) { im.objects[n].watchers-- }

// refresh makes an image of every group that has changed since its last.
func (im *images) refresh(n uint32) {
	m := &im.objects[n]
	for groups := m.stale; groups != 0; groups &= groups - 1 {
		im.take(n, m.object, bits.TrailingZeros32(groups))
	}
	m.drift &^= m.stale
	m.stale = 0
}

// take makes the image of one group.
func (im *images) take(n uint32, o sim.Object, group int) {
	class := o.Ident().Class()
	im.wire.RawBits, im.wire.RawEnds = 0, im.wire.RawEnds[:0]
	if code := class.Coder(group); code != nil {
		im.encode(n, o, group, code)
		return
	}
	class.Quantise(o, group, &im.values)
	if class.Drifts>>group&1 != 0 {
		class.Settle(o, group, &im.values)
	}
	if class.Refers(group) {
		for i, cell := range class.Cells(group) {
			if cell.Kind == sim.CellRef {
				im.values.Cells[i] = uint64(im.numberOf(sim.ID(im.values.Cells[i])))
			}
		}
	}
	im.wire.Cells, im.wire.Texts, im.wire.Raw = im.values.Cells, im.values.Texts, nil
	im.Set(n, group, &im.wire)
}

// encode makes the image of a hand-written group. One that is too large for the
// wire stays as it was.
func (im *images) encode(n uint32, o sim.Object, group int, code func(*sim.GroupCoder, sim.Object)) {
	im.writer.Reset(im.room[:])
	im.code(code, &im.writer.Stream, im.end, o)
	if im.writer.Err() != nil {
		im.host.log("a group is too large to send", "object", o.Ident().String(), "group", group, "limit", maxCoded)
		return
	}
	im.wire.Cells, im.wire.Texts = nil, nil
	im.wire.Raw, im.wire.RawBits = im.writer.Bytes(), im.writer.Pos()
	im.Set(n, group, &im.wire)
}

// numberOf is the number of an object that a field refers to, 0 for one that
// is gone or no net object.
func (im *images) numberOf(id sim.ID) uint32 {
	if o := im.world.Find(id); o != nil {
		return o.Ident().Number()
	}
	return 0
}
