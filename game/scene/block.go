package scene

import (
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game/look"
)

// A block has the values of a datablock that things need.
type block struct {
	id                          sim.ID
	known                       bool // the datablock exists
	maxDamage, maxEnergy, reach float64
	shape                       string
	size                        sim.Vec3
	look                        *look.Look // nil: it declares none
}

// block returns the values of a datablock. Many things share one, so those of a frame are read
// once.
func (r *Reader) block(id sim.ID) *block {
	b := &r.blocks[int(id)%len(r.blocks)]
	if b.id == id {
		return b
	}
	*b = block{id: id}
	if o := r.world.Find(id); o != nil {
		t := r.traitsOf(o.Ident().Class())
		b.known, b.shape, b.size = true, get(t.shape, o).Text(), get(t.size, o).Vec()
		b.look = r.look(get(t.looks, o).Text())
		b.maxDamage, b.maxEnergy, b.reach = get(t.maxDamage, o).Number(), get(t.maxEnergy, o).Number(), get(t.reach, o).Number()
	}
	return b
}

// maxLooks is the number of different looks that a Reader keeps decoded.
const maxLooks = 1024

// look returns the look of a text, nil for a text that is none. The looks of a game are few, so
// each is decoded once.
func (r *Reader) look(text string) *look.Look {
	if text == "" {
		return nil
	}
	l, known := r.looks[text]
	if !known {
		if len(r.looks) >= maxLooks {
			clear(r.looks)
		}
		l, _ = look.Decode(text)
		r.looks[text] = l
	}
	return l
}
