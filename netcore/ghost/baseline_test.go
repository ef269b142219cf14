package ghost

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// arrival is a received value, as the model stores it.
type arrival struct {
	seq   netcore.Seq
	tick  uint32
	cells []uint32
}

// modelGhost is a ghost of the model.
type modelGhost struct {
	token    uint32
	arrivals [5][]arrival // by group, since its create
}

// ghostModel is a simple model of a sender. It keeps every value that arrived and searches all of
// them for a baseline, where a receiver keeps only a few. It learns of delivery at once, but can
// name an older base, as a real sender would.
type ghostModel struct {
	t     *testing.T
	r     *rand.Rand
	g     *Stream
	slow  *Stream // receives the same packets as g, without the fast path
	code  codec
	tick  uint32
	seq   netcore.Seq
	known []sectionTick // packets that arrived, from the newest base on
	live  map[uint32]*modelGhost
	epoch uint8
	owed  bool // the receiver has not received the epoch
	used  int  // relative groups sent
}

// baseline implements the rule literally. Of the values from packets up to the base, the baseline
// is the newest and the one before it, unless they are too old. There is none if the base is far
// away.
func (m *ghostModel) baseline(h *header, all []arrival) (newer, older *arrival) {
	for i := range all {
		if a := &all[i]; a.seq <= m.seq-netcore.Seq(h.back) {
			newer, older = a, newer
		}
	}
	far := h.back > 60 && m.tick-m.known[0].tick > 60
	if newer == nil || far || m.tick-newer.tick > 60<<h.age {
		return nil, nil
	}
	if older != nil && m.tick-older.tick > 60<<h.age {
		older = nil
	}
	return newer, older
}

func (m *ghostModel) draw(cells []Cell) (v *Values) {
	v = new(Values)
	for _, c := range cells {
		switch c.Kind {
		case CellBits:
			v.Cells = append(v.Cells, m.r.Uint64()>>(64-c.Bits)>>m.r.IntN(c.Bits))
		case CellText:
			v.Cells = append(v.Cells, uint64(len(v.Texts)))
			v.Texts = append(v.Texts, []string{"", "Dave", "David"}[m.r.IntN(3)])
		case CellRef:
			v.Cells = append(v.Cells, 0)
		}
	}
	return v
}

func narrowName(v *Values) (cells []uint32) {
	for _, x := range v.Cells {
		cells = append(cells, uint32(x))
	}
	return cells
}

// update returns an update of a ghost and appends the expected change to want.
func (m *ghostModel) update(h *header, id uint32, want *[]changeCopy) penItem {
	l, ghost := penLayouts[playerClass], m.live[id]
	mask := uint32(2 * (1 + m.r.IntN(15)))
	n := changeCopy{Update, ghost.token, l.Name, mask, m.tick, map[int]Values{}}
	*want = append(*want, n)
	offered := m.r.IntN(4) > 0
	return penItem{id, func(s *bitstream.Codec) {
		l.codeMask(s, &mask)
		newer, older, some := [5]*arrival{}, [5]*arrival{}, false
		for _, g := range []int{1, 4} {
			if h.based && mask>>g&1 != 0 {
				newer[g], older[g] = m.baseline(h, ghost.arrivals[g])
				some = some || newer[g] != nil
			}
		}
		relative := offered
		if some {
			s.Flag(&relative)
		}
		for g := 1; g < 5; g++ {
			if mask>>g&1 == 0 {
				continue
			}
			v := m.draw(l.Groups[g].Cells)
			n.values[g] = *v
			if newer[g] == nil || !relative {
				m.code.whole(s, l, g, v)
				continue
			}
			m.used++
			var second []uint32
			span := uint32(0)
			if older[g] != nil {
				second, span = older[g].cells, newer[g].tick-older[g].tick
			}
			m.code.residuals(s, l, g, narrowName(v), newer[g].cells, second, m.tick-newer[g].tick, span)
		}
	}}
}

func (m *ghostModel) create(id uint32, want *[]changeCopy) penItem {
	l := penLayouts[playerClass]
	n := changeCopy{Update, 0, l.Name, 31, m.tick, map[int]Values{}}
	if ghost := m.live[id]; ghost != nil {
		n.token = ghost.token
	} else {
		n.kind = Create
		n.token = (uint32(m.g.recv.ghosts.place(id).creates)+1)<<netcore.GhostBits | id
	}
	for g := range l.Groups {
		n.values[g] = *m.draw(l.Groups[g].Cells)
	}
	*want = append(*want, n)
	return penItem{id, func(s *bitstream.Codec) {
		class := uint32(playerClass)
		s.Uint(&class, classBits)
		for g := range l.Groups {
			v := n.values[g]
			m.code.whole(s, l, g, &v)
		}
	}}
}

// packet sends a random valid packet and checks the changes.
func (m *ghostModel) packet() {
	m.seq += 1 + netcore.Seq(m.r.IntN(2))*netcore.Seq(m.r.IntN(30))
	p := ghostPen{head: header{tick: m.tick, age: uint8(m.r.IntN(3))}}
	var kills, creates, updates []changeCopy
	if m.r.IntN(200) == 0 {
		m.epoch++
		m.owed, m.live = true, map[uint32]*modelGhost{}
	}
	p.head.reset, p.head.epoch = m.owed || m.epoch > 0 && m.r.IntN(20) == 0, m.epoch
	for len(m.known) > 1 && m.r.IntN(3) > 0 || len(m.known) > 0 && m.seq-m.known[0].seq > 255 {
		m.known = m.known[1:]
	}
	if len(m.known) > 0 && m.r.IntN(8) > 0 {
		p.head.based, p.head.back, p.base = true, uint8(m.seq-m.known[0].seq), m.known[0].tick
	}
	for id := range uint32(12) {
		ghost := m.live[id]
		switch dice := m.r.IntN(40); {
		case ghost == nil && dice < 25 || dice < 2:
			p.creates = append(p.creates, m.create(id, &creates))
		case ghost == nil:
		case dice < 3:
			p.kills = append(p.kills, id)
			kills = append(kills, changeCopy{Kill, ghost.token, "Player", 0, m.tick, nil})
		case dice < 25:
			p.updates = append(p.updates, m.update(&p.head, id, &updates))
		}
	}
	b, _ := p.bytes(m.t)
	if m.r.IntN(3) == 0 {
		return // lost
	}
	changed, err := m.g.recv.unpack(bitstream.NewReader(b), m.seq)
	require.NoError(m.t, err)
	want := slices.Concat(kills, creates, updates)
	if m.owed {
		want = append([]changeCopy{{kind: Reset, token: uint32(p.head.epoch), tick: m.tick}}, want...)
		m.owed = false
	}
	require.Equal(m.t, len(want) > 0, changed)
	m.known = append(m.known, sectionTick{m.seq, m.tick})
	m.arrived(want)
	_, err = m.slow.recv.unpack(bitstream.NewReader(tooLong(b)), m.seq)
	require.NoError(m.t, err)
	if changed {
		got := takeChanges(m.g)
		require.Equal(m.t, got, takeChanges(m.slow))
		sameChanges(m.t, want, got)
	}
}

func (m *ghostModel) arrived(all []changeCopy) {
	for _, n := range all {
		id := n.token & (idCount - 1)
		switch n.kind {
		case Reset:
			continue
		case Kill:
			delete(m.live, id)
			continue
		case Create:
			m.live[id] = &modelGhost{token: n.token}
		}
		for g, v := range n.values {
			list := &m.live[id].arrivals[g]
			*list = append(*list, arrival{m.seq, n.tick, narrowName(&v)})
		}
	}
}

// TestBaselines checks that a receiver finds the same baselines as the model. It covers loss, reuse
// of ids, pauses, several packets per tick, and bases that lag behind.
func TestBaselines(t *testing.T) {
	used := 0
	for seed := range testenv.Seeds(t, 4, 40) {
		m := &ghostModel{t: t, r: rand.New(rand.NewPCG(seed, 17)), g: newReceiver(), slow: newReceiver(), live: map[uint32]*modelGhost{}, tick: 1}
		m.code.ref = func(v uint32) uint32 { return v }
		for range 200 {
			if m.r.IntN(4) > 0 {
				m.tick++
			}
			if m.r.IntN(60) == 0 {
				m.tick += m.r.Uint32N(80)
			}
			m.packet()
		}
		used += m.used
	}
	assert.Greater(t, used, 1000)
}

// TestWindowIsSmall checks which packets a receiver keeps for baselines: those after the base, and
// without a base those that could still be one.
func TestWindowIsSmall(t *testing.T) {
	g := newReceiver()
	pen := ghostPen{creates: []penItem{player(1, origin, 0)}}
	read := func(seq netcore.Seq) int {
		require.NoError(t, pen.read(t, g, seq))
		takeChanges(g)
		return len(g.recv.window.batches)
	}
	for seq := range netcore.Seq(100) {
		assert.Equal(t, int(seq)+1, read(seq+1), "of one tick")
	}
	pen.head.tick = 61
	assert.Equal(t, 61, read(101), "the tick is far, and so are the packets up to 40")
	pen.head = header{tick: 61, based: true, back: 2}
	pen.base = 61
	assert.Equal(t, 61, g.recv.window.size/g.recv.window.batches[0].size)
	pen.head = header{based: true, back: 1, tick: 61}
	assert.Equal(t, 1, read(102), "after the base")
	pen.creates, pen.updates = nil, []penItem{energy(1, 5)}
	pen.head = header{based: true, back: 1, tick: 61}
	assert.Equal(t, 0, read(103), "nothing smooth in it")
}

// TestValuesAreBounded checks the limit on the values that a receiver keeps for all ghosts.
func TestValuesAreBounded(t *testing.T) {
	g := newReceiver()
	pen := ghostPen{creates: []penItem{player(1, origin, 0)}}
	require.NoError(t, pen.read(t, g, 1))
	assert.Equal(t, 2*trackSize+5*cellSize, g.recv.ghosts.size)
	assert.Equal(t, 2*trackSize+5*cellSize+g.recv.window.batches[0].size, g.recv.kept())
	require.NoError(t, (&ghostPen{kills: []uint32{1}}).read(t, g, 2))
	assert.Zero(t, g.recv.ghosts.size)
	assert.Nil(t, g.recv.ghosts.place(1).cells)
	reset := ghostPen{head: header{reset: true, epoch: 1}}
	require.NoError(t, pen.read(t, g, 3))
	require.NoError(t, reset.read(t, g, 4))
	assert.Zero(t, g.recv.kept(), "a reset forgets all values")
	require.NoError(t, pen.read(t, g, 5))
	kept := g.recv.kept()
	require.NoError(t, (&ghostPen{kills: []uint32{1}}).read(t, g, 6))
	g.recv.ghosts.size = valueBytes - g.recv.window.size - kept
	require.NoError(t, pen.read(t, g, 7))
	pen.creates[0].id = 2
	assert.Equal(t, netcore.Reason{Code: netcore.Overflow, Text: "too many bytes of ghost baselines"}, pen.read(t, g, 8))
}

// TestSizes checks the sizes that the limits count with.
func TestSizes(t *testing.T) {
	assert.Equal(t, trackSize, int(reflect.TypeFor[track]().Size()))
	assert.Equal(t, cellSize, int(reflect.TypeFor[receivedCell]().Size()))
	assert.GreaterOrEqual(t, batchSize, int(reflect.TypeFor[changeBatch]().Size()))
	assert.GreaterOrEqual(t, changeSize, int(reflect.TypeFor[Change]().Size())) // less on 32-bit systems
	assert.GreaterOrEqual(t, entrySize, int(reflect.TypeFor[receivedGhost]().Size()))
}

// TestRelativeLimit checks that values up to 60 ticks old can be a baseline, and older ones cannot.
// The sender keeps every value of that period.
func TestRelativeLimit(t *testing.T) {
	line := NewLayout(9, "Line", []CellGroup{{}, {Cells: []Cell{{Field: "at", Bits: 30, Smooth: true}}}})
	const onTheLine, whole = 8, 31 // upper limit, with the order of an old baseline, and exact size
	for _, tt := range []struct {
		newer, older uint32 // age in ticks of the values that the peer has
		least, most  int    // bits of an update
	}{
		{1, 2, 0, onTheLine},
		{59, 60, 0, onTheLine},
		{59, 61, onTheLine + 1, whole - 1},
		{60, 61, onTheLine + 1, whole - 1},
		{61, 62, whole, whole},
		{200, 201, whole, whole},
	} {
		r := newGhostRig(t, Config{}, line)
		obj := r.object(line, nil)
		r.from.Scope(obj)
		last := r.tick + tt.older
		for ; r.tick < last; r.begin() {
			r.set(obj, 1, uint64(1000+5*r.tick))
			if ago := last - r.tick; ago == tt.older || ago == tt.newer {
				require.NotNil(t, r.pack())
				r.ack(false)
			}
		}
		r.set(obj, 1, uint64(1000+5*r.tick))
		s := r.pack()
		require.Len(t, s.bodies, 1)
		bits := s.bodies[0].bits()
		assert.True(t, tt.least <= bits && bits <= tt.most, "%d bits with values of %d and %d ticks ago", bits, tt.newer, tt.older)
		r.ack(false)
		r.requireEqual()
	}
}

// TestBaseFarBehind checks that a base more than 255 packets back is not used, because its distance
// has 8 bits.
func TestBaseFarBehind(t *testing.T) {
	line := NewLayout(9, "Line", []CellGroup{{}, {Cells: []Cell{{Field: "at", Bits: 30, Smooth: true}}}})
	for _, back := range []netcore.Seq{1, 254, 255, 256, 257, 300, 1000} {
		r := newGhostRig(t, Config{}, line)
		obj := r.object(line, nil)
		r.from.Scope(obj)
		r.runUntilIdle(3)
		r.begin()
		r.set(obj, 1, 7)
		r.seq += back - 1 // packets without ghosts
		require.NotNil(t, r.pack())
		assert.Equal(t, back <= 255, r.from.packet.header.based, "%d packets", back)
		r.ack(false)
		r.requireEqual()
	}
}
