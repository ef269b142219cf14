package dissect

import (
	"strconv"

	"github.com/torc-engine/torc/netcore/capture"
)

const (
	maxMoves        = 30
	maxAxis         = 16
	markBits        = 16
	nameBits        = 17 // of a ghost's id + 1 in a name
	birthCount      = 1<<15 - 1
	maxFlash        = 1<<7 - 2
	stateLengthBits = 12
)

// moveNumbers expand the numbers of moves.
type moveNumbers struct {
	received uint32 // the newest move received
	acked    uint32 // the newest ack read
}

// readMoves reads the move section: the answer of a server, or the moves of a client.
func (r *reading) readMoves() {
	defer r.within("moves")()
	if r.flow.from == capture.Server {
		r.readAnswer()
	} else {
		r.readMoveList()
	}
}

func (r *reading) readAnswer() {
	if !r.flag("answer") {
		return
	}
	from := r.pos()
	ack := r.moves.acked + (uint32(r.r.ReadBits(5))-r.moves.acked)&(1<<5-1)
	r.add("ack", from, ack)
	if r.flag("state") {
		r.readState()
		r.checkBits()
	}
	if r.flag("flash") {
		for _, name := range []string{"pain", "whiteout"} {
			if code := r.bits(name, 7); r.ok() {
				r.fields[len(r.fields)-1].Means = float64(code) / maxFlash
			}
		}
	}
	if r.ok() && r.applies {
		r.moves.acked = ack
	}
}

// checkBits reads the mark after a control state or a list of moves.
func (r *reading) checkBits() {
	if r.s.check {
		r.bits("mark", markBits)
	}
}

func (r *reading) readMoveList() {
	if !r.flag("moves") {
		return
	}
	if r.flag("list") {
		r.readList()
	}
	if r.flag("view") {
		r.flag("firstPerson")
		r.bits("fov", 8)
	}
}

// move is the input of a player for one tick.
type move struct {
	x, y, z          int
	yaw, pitch, roll int
	look             bool
	triggers         uint64
}

func (r *reading) readList() {
	from, base := r.pos(), r.moves.received-(maxMoves-1)
	first := base + (uint32(r.r.ReadBits(6))-base)&(1<<6-1)
	r.add("first", from, first)
	var m move
	n := uint32(0)
	for more := true; more && r.ok(); more = r.flag("more") {
		leave := r.withinItem(int(n))
		if n == maxMoves {
			r.fail("differs", "more than %d moves in a packet", maxMoves)
		}
		m = r.readMove(m)
		leave()
		n++
	}
	if r.flag("sum") {
		r.bits("checksum", 16)
	}
	r.checkBits()
	if last := first + n - 1; r.ok() && r.applies && int32(last-r.moves.received) > 0 {
		r.moves.received = last
	}
}

// readMove reads a move as the difference from the one before.
func (r *reading) readMove(m move) move {
	if !r.flag("differs") {
		return m
	}
	for _, a := range []struct {
		name string
		to   *int
	}{{"x", &m.x}, {"y", &m.y}, {"z", &m.z}} {
		if from := r.pos(); r.r.ReadFlag() {
			*a.to = int(r.r.ReadBits(6)) - maxAxis
			r.add(a.name, from, *a.to)
			if *a.to > maxAxis {
				r.fail(a.name, "a translation of %d: must be at most %d", *a.to, maxAxis)
			}
		} else {
			r.add(a.name, from, *a.to)
		}
	}
	for _, a := range []struct {
		name string
		to   *int
	}{{"yaw", &m.yaw}, {"pitch", &m.pitch}, {"roll", &m.roll}} {
		from := r.pos()
		if r.r.ReadFlag() {
			*a.to = int(int16(r.r.ReadBits(16)))
		}
		r.add(a.name, from, *a.to)
	}
	m.look = r.flag("freeLook")
	from := r.pos()
	if r.r.ReadFlag() {
		m.triggers = r.r.ReadBits(6)
	}
	r.add("triggers", from, m.triggers)
	return m
}

// readState reads the control state of the client's object.
func (r *reading) readState() {
	defer r.within("state")()
	name := r.varint("name")
	if r.ok() {
		r.fields[len(r.fields)-1].Means = r.nameOf(name)
	}
	size := int(r.bits("length", stateLengthBits))
	from := r.pos()
	before := len(r.fields)
	b := r.raw("bits", size)
	if !r.ok() {
		return
	}
	inner := r.part(b, from)
	c := &controlReader{trace: inner, flow: r.flow}
	if c.readObject(name, 0); inner.ok() && c.known && inner.pos() == size {
		r.fields = append(r.fields[:before], inner.fields...)
	}
}

// nameOf describes the ghost with a name.
func (f *flow) nameOf(name uint64) any {
	if g := f.ghostNamed(name); g != nil {
		return g.class.Name + " " + strconv.FormatUint(name&(1<<nameBits-1)-1, 10)
	}
	return nil
}

// ghostNamed returns the ghost with a name, nil if there is none.
func (f *flow) ghostNamed(name uint64) *ghost {
	id, birth := name&(1<<nameBits-1), name>>nameBits
	if id == 0 {
		return nil
	}
	g := f.ghosts.ghosts[uint32(id-1)]
	if g == nil || birth != 0 && birth != g.birth%birthCount+1 {
		return nil
	}
	return g
}
