package ghost

import "testing"

// fighter is a class of players as in a game. Position and velocity form one group, and that group
// is longer than all groups of most classes together.
var fighter = NewLayout(1, "Fighter", []CellGroup{
	{},
	{Cells: append(smoothCells("position", 24, 3), smoothCells("velocity", 18, 3)...)},
	{Cells: smoothCells("rotation", 12, 3)},
	{Cells: append(smoothCells("damage", 20, 1), Cell{Field: "destroyed", Bits: 1})},
	{Cells: smoothCells("energy", 20, 1), Weight: 32},
	{Cells: []Cell{{Field: "mount", Kind: CellRef}, {Field: "seat", Bits: 3}}},
	{Cells: []Cell{{Field: "team", Bits: 4}, {Field: "name", Kind: CellText, Max: 24}}},
	{Cells: []Cell{{Field: "move", Bits: 14}}},
})

func smoothCells(field string, bits, n int) (cells []Cell) {
	for range n {
		cells = append(cells, Cell{Field: field, Bits: bits, Smooth: true})
	}
	return cells
}

// fighterWorld is a world of fighters. All of them move, and now and then they turn or change
// velocity.
type fighterWorld struct {
	*movingWorld
	values [2]Values
}

func newFighterWorld(n int) *fighterWorld {
	f := &fighterWorld{movingWorld: &movingWorld{images: NewSnapshots(), state: 42, tick: 1}}
	f.values[0].Cells, f.values[1].Cells = make([]uint64, 6), make([]uint64, 3)
	f.images.Begin(1)
	for range n {
		b := movingObject{obj: f.images.Add(fighter)}
		for i := range b.at {
			b.at[i], b.v[i] = 400*f.rnd()-200, 20*f.rnd()-10
		}
		f.bodies = append(f.bodies, b)
	}
	f.show()
	return f
}

func (f *fighterWorld) step() {
	f.tick++
	f.images.Begin(f.tick)
	for i := range f.bodies {
		b := &f.bodies[i]
		push := f.rnd() < .25
		for k := range b.at {
			if push {
				b.v[k] = max(min(b.v[k]+4*f.rnd()-2, 20), -20)
			}
			b.at[k] += b.v[k] * 0.032
		}
		if f.rnd() < .08 {
			b.turn[0] += f.rnd() / 10
		}
	}
	f.show()
}

func (f *fighterWorld) show() {
	for i := range f.bodies {
		b := &f.bodies[i]
		place, turn := f.values[0].Cells, f.values[1].Cells
		for k := range 3 {
			place[k] = uint64((b.at[k]+65536)*128) & (1<<24 - 1)
			place[3+k] = uint64((b.v[k]+4096)*32) & (1<<18 - 1)
		}
		turn[0] = uint64(b.turn[0]*4096) & 4095
		f.images.Set(b.obj, 1, &f.values[0])
		f.images.Set(b.obj, 2, &f.values[1])
	}
}

// BenchmarkGhostsFight measures one tick of one of 128 connections. Each connection shows 128
// fighters, with a round-trip time of 2 to 5 ticks.
func BenchmarkGhostsFight(b *testing.B) {
	for _, tt := range []struct {
		name string
		drop int
	}{{"clean", 0}, {"lossy", 20}} {
		b.Run(tt.name, func(b *testing.B) {
			f := newFighterWorld(128)
			var all [128]*testConn
			for i := range all {
				all[i] = newTestConn(f.movingWorld, Config{}, false)
				all[i].inFlight, all[i].drop = make([]testPacket, 2+i%4), tt.drop
			}
			round := func() {
				f.step()
				for _, v := range all {
					v.send()
				}
			}
			for range 200 {
				round()
			}
			before, bits := all[0].from.Stats().Updates, all[0].bits
			b.ReportAllocs()
			n := 0
			for ; b.Loop(); n++ {
				if n%len(all) == 0 {
					f.step()
				}
				all[n%len(all)].send()
			}
			if n > len(all) {
				updates := float64(all[0].from.Stats().Updates-before) / float64(n/len(all))
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n)/updates, "ns/update")
				b.ReportMetric(updates, "updates/op")
				b.ReportMetric(float64(all[0].bits-bits)/float64(all[0].from.Stats().Updates-before), "bits/update")
			}
		})
	}
}
