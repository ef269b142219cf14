package ghost

import (
	"bytes"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// mirror is a receiver's copy of a ghost.
type mirror struct {
	token  uint32
	layout *Layout
	groups []Values
}

// sentPacket is a packet in flight, with the values that it must show.
type sentPacket struct {
	seq      netcore.Seq
	data     []byte
	tick     uint32
	lost     bool
	at       int // the step of its delivery or loss
	bodies   []sentBody
	expected []expectedGhost // per body
}

// sentBody is a ghost in a packet.
type sentBody struct {
	id   uint16
	kind itemKind
	mask uint32
	size int
}

func (b *sentBody) bits() int { return b.size }

// bodiesIn returns the ghosts of a packet under construction.
func bodiesIn(p *packet) (bodies []sentBody) {
	for kind := range p.lists {
		for _, it := range p.lists[kind].items {
			bodies = append(bodies, sentBody{it.id, itemKind(kind), it.mask, int(it.size)})
		}
	}
	return bodies
}

// expectedGhost is the expected result of a body.
type expectedGhost struct {
	obj    uint32
	groups []Values // references as ghost id + 1
}

// ghostRig is a sender and a receiver on a lossy link. Like a Conn, it reports delivery and loss
// truthfully.
type ghostRig struct {
	t        testing.TB
	images   *Snapshots
	layouts  map[uint16]*Layout
	from     *Stream
	to       *Stream
	general  *Stream // receives the same packets as to, without the fast path
	seq      netcore.Seq
	tick     uint32
	now      netcore.Time
	inFlight []sentPacket
	mirrors  map[uint16]*mirror
	objects  map[uint16]uint32 // the object of each id, according to the packets read so far
	changes  int
	buffer   []byte // of packets
	section  []byte // the newest
	size     int    // of a packet, in bytes
	bits     int
	late     bool // the stream decides when it applies a fate, instead of at once
}

func newGhostRig(t testing.TB, cfg Config, layouts ...*Layout) *ghostRig {
	r := &ghostRig{
		t: t, images: NewSnapshots(), layouts: map[uint16]*Layout{}, size: 1160,
		mirrors: map[uint16]*mirror{}, objects: map[uint16]uint32{},
	}
	for _, l := range layouts {
		r.layouts[l.ID] = l
	}
	cfg.Snapshots = r.images
	r.from = New(cfg)
	r.from.Activate(true)
	r.to = New(Config{Layout: func(class uint16) *Layout { return r.layouts[class] }, Check: cfg.Check, Arrived: r.arrived})
	r.general = New(Config{Layout: func(class uint16) *Layout { return r.layouts[class] }, Check: cfg.Check})
	r.begin()
	return r
}

// tooLong returns a section that is too long for the fast path, with the same ghosts.
func tooLong(section []byte) []byte {
	return append(slices.Clone(section), make([]byte, quickSection)...)
}

func (r *ghostRig) begin() {
	r.tick++
	r.images.Begin(r.tick)
}

// object adds an object with the given cells per group.
func (r *ghostRig) object(l *Layout, cells ...[]uint64) uint32 {
	obj := r.images.Add(l)
	for g := range cells {
		r.images.Set(obj, g, &Values{Cells: cells[g]})
	}
	return obj
}

func (r *ghostRig) set(obj uint32, group int, cells ...uint64) {
	if !r.images.Set(obj, group, &Values{Cells: cells}) {
		require.Fail(r.t, "nothing changed", "object %d, group %d", obj, group)
	}
}

// pack packs a packet. It puts the packet in flight if the section is active.
func (r *ghostRig) pack() *sentPacket {
	if len(r.buffer) != r.size {
		r.buffer = make([]byte, r.size)
	}
	w := bitstream.NewWriter(r.buffer)
	wrote := r.from.Pack(w, netcore.Outgoing{Seq: r.seq + 1, Now: r.now})
	require.NoError(r.t, w.Err())
	requireHot(r.t, r.from)
	r.bits = w.Pos()
	r.section = slices.Clone(w.Bytes())
	if !wrote {
		require.Equal(r.t, 1, w.Pos(), "a section without news is one bit")
		return nil
	}
	r.seq++
	s := sentPacket{seq: r.seq, data: r.section, tick: r.tick, bodies: bodiesIn(r.from.packet)}
	for i := range s.bodies {
		s.expected = append(s.expected, r.show(&s.bodies[i]))
	}
	r.inFlight = append(r.inFlight, s)
	return &r.inFlight[len(r.inFlight)-1]
}

// requireHot requires that dirty has all ghosts with something to send, and no Live ones
// without that hold nothing back. An inactive stream keeps none.
func requireHot(t testing.TB, g *Stream) {
	if g.refreshedTick != g.snapshots.tick {
		return
	}
	g.Each(func(id int, _ uint32, _ Status) {
		wants := g.wantsPacket(id)
		if !wants && (!g.table.alive.has(id) || g.table.holding.has(id)) {
			return
		}
		if hot := g.table.dirty.has(id); hot != wants {
			require.Equal(t, wants, hot, "ghost %d", id)
		}
	})
}

// show returns the expected result of a body.
func (r *ghostRig) show(b *sentBody) expectedGhost {
	sh := expectedGhost{obj: r.from.table.obj[b.id]}
	if b.kind == kindKill {
		return sh
	}
	o := &r.images.objects[sh.obj]
	sh.groups = make([]Values, len(o.plan.groups))
	for g := range sh.groups {
		v := &sh.groups[g]
		if own := o.values(g, v); own != v {
			*v = copyValues(own)
		}
		for i, c := range o.plan.layout.Groups[g].Cells {
			if c.Kind == CellRef {
				v.Cells[i] = uint64(r.from.ToWire(uint32(v.Cells[i])))
			}
		}
	}
	return sh
}

func copyValues(v *Values) Values {
	return Values{slices.Clone(v.Cells), slices.Clone(v.Texts), slices.Clone(v.Raw), v.RawBits, slices.Clone(v.RawEnds)}
}

// ack delivers or loses the oldest packet in flight, and notifies the sender. Unless r.late is set,
// the sender applies the fate at once.
func (r *ghostRig) ack(lost bool) {
	s := r.inFlight[0]
	r.inFlight = r.inFlight[1:]
	if !lost {
		r.read(&s)
	}
	r.from.Notify(s.seq, !lost)
	if !r.late {
		r.from.ApplyFates()
	}
}

// read passes a packet to the receiver and checks the result.
func (r *ghostRig) read(s *sentPacket) {
	in := bitstream.NewReader(s.data)
	r.changes = 0
	require.NoError(r.t, r.general.Unpack(bitstream.NewReader(tooLong(s.data)), netcore.Incoming{Seq: s.seq}))
	require.NoError(r.t, r.to.Unpack(in, netcore.Incoming{Seq: s.seq}))
	require.NoError(r.t, in.Err())
	require.Less(r.t, in.Left(), 8, "the section was not read to its end")
	for i := range s.bodies {
		b, sh := &s.bodies[i], &s.expected[i]
		m := r.mirrors[b.id]
		if b.kind == kindKill {
			require.Nil(r.t, m, "ghost %d was killed", b.id)
			delete(r.objects, b.id)
			continue
		}
		if m == nil {
			require.NotNil(r.t, m, "ghost %d", b.id)
		}
		if old, known := r.objects[b.id]; known && old != sh.obj {
			require.Fail(r.t, "ids alias", "ghost %d is object %d, was %d", b.id, sh.obj, old)
		}
		r.objects[b.id] = sh.obj
		for g := range m.groups {
			if b.kind == kindCreate || b.mask>>g&1 != 0 {
				r.same(&sh.groups[g], &m.groups[g], m.layout, spot{s.seq, int(b.id), sh.obj, g})
			}
		}
	}
	require.GreaterOrEqual(r.t, r.changes, len(s.bodies))
}

// spot is a group of a ghost, in a packet or at rest.
type spot struct {
	packet netcore.Seq // 0 at rest
	ghost  int
	object uint32
	group  int
}

func (s spot) String() string {
	return fmt.Sprintf("packet %d, ghost %d, object %d, group %d", s.packet, s.ghost, s.object, s.group)
}

// same compares a group. An expected ghost id + 1 must be that ghost's token.
func (r *ghostRig) same(want, got *Values, l *Layout, where spot) {
	g := where.group
	for i, c := range l.Groups[g].Cells {
		x, y := want.Cells[i], got.Cells[i]
		switch c.Kind {
		case CellText:
			if want.Texts[x] != got.Texts[y] {
				require.Equal(r.t, want.Texts[x], got.Texts[y], where)
			}
		case CellRef:
			if x == 0 && y != 0 || x != 0 && (y == 0 || uint16(x-1) != uint16(y)) {
				require.Fail(r.t, "another ghost", "%s: id + 1 = %d, token %d", where, x, y)
			}
		default:
			if x != y {
				require.Equal(r.t, x, y, where)
			}
		}
	}
	if l.Groups[g].Raw != nil {
		require.Equal(r.t, want.RawBits, got.RawBits, where)
		require.Equal(r.t, rawBits(want), rawBits(got), where)
	}
}

// rawBits returns the bits of a hand-written group, without padding.
func rawBits(v *Values) (bits []bool) {
	for i := range v.RawBits {
		bits = append(bits, v.Raw[i/8]>>(i%8)&1 != 0)
	}
	return bits
}

// arrived applies the changes of a packet, as an owner does.
func (r *ghostRig) arrived() error {
	defer func() { require.Nil(r.t, r.general.Next()) }()
	for ch := r.to.Next(); ch != nil; ch = r.to.Next() {
		r.changes++
		r.sameChange(ch, r.general.Next())
		id := uint16(ch.Token)
		switch ch.Kind {
		case Reset:
			clear(r.mirrors)
			clear(r.objects)
			continue
		case Kill:
			r.sameToken(r.mirrors[id], ch)
			delete(r.mirrors, id)
			continue
		case Create:
			require.Nil(r.t, r.mirrors[id], "create over ghost %d", id)
			r.mirrors[id] = &mirror{ch.Token, ch.Layout, make([]Values, len(ch.Layout.Groups))}
		}
		m := r.mirrors[id]
		r.sameToken(m, ch)
		for g := range m.groups {
			if ch.Mask>>g&1 != 0 {
				m.groups[g] = copyValues(ch.Values(g))
			}
		}
	}
	return nil
}

// sameToken requires that a change is about the ghost that has its id. It is called for each
// change, and the functions of require look for their callers first.
func (r *ghostRig) sameToken(m *mirror, ch *Change) {
	if m == nil || m.token != ch.Token {
		require.Fail(r.t, "a change of another ghost", "%+v of %+v", ch, m)
	}
}

// sameChange requires that the fast path and the general path report the same change.
func (r *ghostRig) sameChange(got, want *Change) {
	if want == nil {
		require.NotNil(r.t, want)
	}
	general := [5]uint32{uint32(want.Kind), want.Token, want.Mask, want.Repeated, want.Tick}
	if fast := [5]uint32{uint32(got.Kind), got.Token, got.Mask, got.Repeated, got.Tick}; general != fast {
		require.Equal(r.t, general, fast)
	}
	for m := got.Mask; m != 0; m &= m - 1 {
		group := bits.TrailingZeros32(m)
		if general, fast := want.Values(group), got.Values(group); !equalValues(general, fast) {
			require.Equal(r.t, copyValues(general), copyValues(fast), "group %d", group)
		}
	}
}

func equalValues(v, w *Values) bool {
	return slices.Equal(v.Cells, w.Cells) && slices.Equal(v.Texts, w.Texts) && bytes.Equal(v.Raw, w.Raw) &&
		v.RawBits == w.RawBits && slices.Equal(v.RawEnds, w.RawEnds)
}

// requireEqual requires that the receiver has exactly the objects in scope, in their current state.
func (r *ghostRig) requireEqual() {
	r.t.Helper()
	n := 0
	r.from.Each(func(id int, obj uint32, s Status) {
		n++
		m := r.mirrors[uint16(id)]
		if s != Live || m == nil {
			require.Fail(r.t, "not live", "ghost %d: %v, %+v", id, s, m)
		}
		b := sentBody{id: uint16(id), kind: kindCreate}
		sh := r.show(&b)
		for g := range m.groups {
			r.forgetDead(&m.groups[g], m.layout, g)
			r.same(&sh.groups[g], &m.groups[g], m.layout, spot{0, id, obj, g})
		}
	})
	require.Len(r.t, r.mirrors, n)
}

// forgetDead sets references to deleted ghosts to none, as an owner does.
func (r *ghostRig) forgetDead(v *Values, l *Layout, g int) {
	for i, c := range l.Groups[g].Cells {
		if c.Kind != CellRef || v.Cells[i] == 0 {
			continue
		}
		if m := r.mirrors[uint16(v.Cells[i])]; m == nil || m.token != uint32(v.Cells[i]) {
			v.Cells[i] = 0
		}
	}
}

// runUntilIdle runs ticks without loss until nothing is pending. It fails if something stays
// pending.
func (r *ghostRig) runUntilIdle(ticks int) {
	r.t.Helper()
	for range ticks {
		r.begin()
		r.pack()
		for len(r.inFlight) > 0 {
			r.ack(false)
		}
		if r.from.Pending() == 0 && r.from.epoch.owed == false && !slices.Contains(r.states(), Dead) {
			r.requireEqual()
			return
		}
	}
	require.Fail(r.t, "not at rest", "%d pending", r.from.Pending())
}

func (r *ghostRig) states() (s []Status) {
	r.from.Each(func(_ int, _ uint32, st Status) { s = append(s, st) })
	return s
}

// bodiesOf returns the bodies of a packet as texts.
func bodiesOf(s *sentPacket) (list []string) {
	if s == nil {
		return nil
	}
	for i := range s.bodies {
		b := &s.bodies[i]
		list = append(list, fmt.Sprintf("%s %d %b", b.kind, b.id, b.mask))
	}
	slices.Sort(list)
	return list
}

// mixedLayout returns a layout with one group of each kind: constant, smooth (two), text,
// reference, hand-written.
func mixedLayout(id uint16) *Layout {
	return NewLayout(id, "Soup", []CellGroup{
		{Cells: []Cell{{Field: "kind", Bits: 5}, {Field: "owner", Kind: CellRef}}},
		{Cells: []Cell{
			{Field: "at", Bits: 18, Smooth: true, Rate: &CellRate{Cell: 2, Zero: 127, Scale: 3 << 20}},
			{Field: "at", Bits: 18, Smooth: true, Rate: &CellRate{Cell: 3, Zero: 0, Scale: 1<<maxRate - 1}},
			{Field: "speed", Bits: 8, Smooth: true}, {Field: "speed", Bits: maxRate, Smooth: true},
		}},
		{Cells: []Cell{{Field: "yaw", Bits: 8, Smooth: true}, {Field: "big", Bits: 32, Smooth: true}}, Weight: 40},
		{Cells: []Cell{{Field: "name", Kind: CellText, Max: 20}, {Field: "wide", Bits: 64}}},
		{Cells: []Cell{{Field: "target", Kind: CellRef}, {Field: "via", Kind: CellRef}, {Field: "n", Bits: 3}}},
		{Raw: func(s *bitstream.Codec, end func(string)) {
			n, x := 0, uint64(0)
			s.Int(&n, 0, 7)
			end("n")
			s.Bits(&x, n)
			end("x")
		}, Weight: 200},
	})
}

// plainLayout returns a layout of n small groups with different widths.
func plainLayout(id uint16, n int) *Layout {
	groups := make([]CellGroup, n)
	for g := range groups {
		groups[g].Cells = []Cell{{Field: fmt.Sprint("f", g), Bits: 4 + g%3}}
	}
	return NewLayout(id, "Plain", groups)
}

// randomValues returns another value for a group of an object.
func randomValues(rng *rand.Rand, l *Layout, group int, old *Values, others []uint32) *Values {
	v := copyValues(old)
	g := &l.Groups[group]
	if g.Raw != nil {
		n := rng.IntN(8)
		w := bitstream.NewWriter(make([]byte, 4))
		w.WriteBits(uint64(n), 3)
		w.WriteBits(rng.Uint64()&(1<<n-1), n)
		return &Values{Raw: w.Bytes(), RawBits: 3 + n, RawEnds: []RawEnd{{"n", 3}, {"x", 3 + n}}}
	}
	for i, c := range g.Cells {
		switch {
		case c.Kind == CellText:
			v.Texts = []string{"", strconv.Itoa(rng.IntN(1000)), "somewhat longer"}
			v.Cells[i] = uint64(rng.IntN(3))
		case c.Kind == CellRef:
			v.Cells[i] = 0
			if rng.IntN(3) > 0 {
				v.Cells[i] = uint64(others[rng.IntN(len(others))])
			}
		case c.Smooth && rng.IntN(20) > 0:
			v.Cells[i] = (v.Cells[i] + uint64(i*3+rng.IntN(4)-9)) & (1<<c.Bits - 1)
		case c.Bits == 64:
			v.Cells[i] = rng.Uint64()
		default:
			v.Cells[i] = rng.Uint64() & (1<<c.Bits - 1)
		}
	}
	return &v
}
