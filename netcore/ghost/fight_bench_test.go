package ghost

import "testing"

// fighter is the class of players in a game, group by group. Position and velocity form one group,
// and that group is longer than all groups of most classes together.
var fighter = NewLayout(1, "Fighter", []CellGroup{
	{},
	placeGroup: {Cells: append(ratedCells("position", 24, 134218), smoothCells("velocity", 18, 3)...)},
	turnGroup:  {Cells: smoothCells("rotation", 12, 3)},
	hurtGroup:  {Cells: []Cell{{Field: "damageLevel", Bits: 20}}},
	fateGroup:  {Cells: []Cell{{Field: "destroyed", Bits: 1}}},
	powerGroup: {Cells: smoothCells("energy", 20, 1), Weight: 32},
	mountGroup: {Cells: []Cell{{Field: "mount", Kind: CellRef}, {Field: "seat", Bits: 3}}},
	nameGroup:  {Cells: []Cell{{Field: "team", Bits: 4}, {Field: "shapeName", Kind: CellText, Max: 24}}},
	leapGroup:  {Cells: []Cell{{Field: "leaps", Bits: 4}}},
	imageGroup: {Cells: []Cell{{Field: "image0", Kind: CellRef}, {Field: "image1", Kind: CellRef}}},
	moveGroup:  {Cells: []Cell{{Field: "moveX", Bits: 6}, {Field: "moveY", Bits: 6}, {Field: "jumping", Bits: 1}, {Field: "jetting", Bits: 1}}},
})

const (
	placeGroup = 1 + iota
	turnGroup
	hurtGroup
	fateGroup
	powerGroup
	mountGroup
	nameGroup
	leapGroup
	imageGroup
	moveGroup
)

func smoothCells(field string, bits, n int) (cells []Cell) {
	for range n {
		cells = append(cells, Cell{Field: field, Bits: bits, Smooth: true})
	}
	return cells
}

// ratedCells returns three cells that change at the rates of the three cells behind them.
func ratedCells(field string, bits int, scale uint32) (cells []Cell) {
	for i := range 3 {
		cells = append(cells, Cell{Field: field, Bits: bits, Smooth: true, Rate: &CellRate{Cell: 3 + i, Zero: 4096 * 32, Scale: scale}})
	}
	return cells
}

// fighterWorld is a world of fighters. Each group of a fighter changes at its own rate: all of them
// move, and now and then one changes velocity, turns, jets, or is hit.
type fighterWorld struct {
	*movingWorld
	fighters []fighterState
	values   Values
}

// fighterState is the state of a fighter besides its place.
type fighterState struct {
	damage, energy, move uint64
	turning, jetting     bool
}

func newFighterWorld(n int) *fighterWorld {
	f := &fighterWorld{movingWorld: &movingWorld{images: NewSnapshots(), state: 42, tick: 1}, fighters: make([]fighterState, n)}
	f.images.Begin(1)
	for i := range n {
		b := movingObject{obj: f.images.Add(fighter)}
		for k := range b.at {
			b.at[k], b.v[k] = 400*f.rnd()-200, 20*f.rnd()-10
		}
		f.bodies = append(f.bodies, b)
		f.fighters[i].energy = 1 << 19
	}
	f.show()
	return f
}

func (f *fighterWorld) step() {
	f.tick++
	f.images.Begin(f.tick)
	for i := range f.bodies {
		f.act(&f.bodies[i], &f.fighters[i])
	}
	f.show()
}

// act moves a fighter by a tick.
func (f *fighterWorld) act(b *movingObject, s *fighterState) {
	push := f.rnd() < .25
	for k := range b.at {
		if push {
			b.v[k] = max(min(b.v[k]+f.rnd()-.5, 20), -20)
		}
		b.at[k] += b.v[k] * 0.032
	}
	s.turning = f.starts(s.turning, .2, .05)
	if s.turning {
		b.turn[0] += f.rnd() / 10
	}
	s.jetting = f.starts(s.jetting, .03, .1)
	if s.jetting {
		s.energy = (s.energy - 97) & (1<<20 - 1)
	}
	if f.rnd() < .02 {
		s.damage = (s.damage + uint64(1000*f.rnd())) & (1<<20 - 1)
	}
	if f.rnd() < .1 {
		s.move = uint64(f.rnd() * (1 << 14))
	}
}

// starts returns whether something goes on. It starts and stops at random, with some probabilities.
func (f *fighterWorld) starts(goesOn bool, start, stop float32) bool {
	if goesOn {
		return f.rnd() >= stop
	}
	return f.rnd() < start
}

func (f *fighterWorld) show() {
	var place [6]uint64
	for i := range f.bodies {
		b, s := &f.bodies[i], &f.fighters[i]
		for k := range 3 {
			place[k] = uint64((b.at[k]+65536)*128) & (1<<24 - 1)
			place[3+k] = uint64((b.v[k]+4096)*32) & (1<<18 - 1)
		}
		f.set(b.obj, placeGroup, place[:]...)
		f.set(b.obj, turnGroup, uint64(b.turn[0]*4096)&4095, 0, 0)
		f.set(b.obj, hurtGroup, s.damage)
		f.set(b.obj, powerGroup, s.energy)
		f.set(b.obj, moveGroup, s.move&63, s.move>>6&63, s.move>>12&1, s.move>>13)
	}
}

func (f *fighterWorld) set(obj uint32, group int, cells ...uint64) {
	f.values.Cells = append(f.values.Cells[:0], cells...)
	f.images.Set(obj, group, &f.values)
}

// watch returns a connection with a round-trip time of 2 to 5 ticks that shows all fighters. The
// damage of its enemies is hidden, and they are half of them.
func (f *fighterWorld) watch(number, drop int) *testConn {
	weigh := func(objs []uint32, weights []uint8) {
		for k, o := range objs {
			weights[k] = uint8(37*(o+uint32(number))) | 64 // near enough for an update in each tick
		}
	}
	v := newTestConn(f.movingWorld, Config{Weigh: weigh}, false)
	v.inFlight, v.drop = make([]testPacket, 2+number%4), drop
	for k := range f.bodies {
		if (k+number)%2 == 0 {
			v.from.Hide(f.bodies[k].obj, 1<<hurtGroup)
		}
	}
	return v
}

// BenchmarkGhostsFight measures a packet of a connection in a game: 128 connections show 128
// fighters, as fast as they act. In the row crowd, they are 256, and no packet holds all of them.
// copies is the share of the updates that were copied from the updates of other connections, and
// misses that of the look-ups that found nothing to copy.
func BenchmarkGhostsFight(b *testing.B) {
	for _, tt := range []struct {
		name        string
		count, drop int
	}{{"clean", 128, 0}, {"lossy", 128, 20}, {"crowd", 256, 0}} {
		b.Run(tt.name, func(b *testing.B) {
			f := newFighterWorld(tt.count)
			all := make([]*testConn, tt.count)
			for i := range all {
				all[i] = f.watch(i, tt.drop)
			}
			for range 100 {
				f.step()
				for _, v := range all {
					v.send()
				}
			}
			bits, before := sentBits(all), waysOf(all)
			b.ReportAllocs()
			n := 0
			for ; b.Loop(); n++ {
				if n%len(all) == 0 {
					f.step()
				}
				all[n%len(all)].send()
			}
			ways := waysSince(all, before)
			updates := float64(ways.Updates())
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/updates, "ns/update")
			b.ReportMetric(updates/float64(n), "updates/op")
			b.ReportMetric(float64(sentBits(all)-bits)/updates, "bits/update")
			b.ReportMetric(float64(ways.Copies())/updates, "copies")
			b.ReportMetric(float64(ways.Looped)/updates, "looped")

			b.ReportMetric(float64(ways.Misses)/float64(ways.Lookups), "misses")
		})
	}
}

// waysOf returns how the updates of connections were made.
func waysOf(all []*testConn) (n Ways) {
	for _, v := range all {
		n.Add(v.from.Stats().Ways)
	}
	return n
}

// waysSince returns how the updates of connections were made since a call of waysOf.
func waysSince(all []*testConn, before Ways) Ways {
	n := waysOf(all)
	n.Sub(before)
	return n
}

func sentBits(all []*testConn) (bits uint64) {
	for _, v := range all {
		bits += v.bits
	}
	return bits
}
