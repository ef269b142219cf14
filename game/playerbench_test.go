package game

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
)

// newBusyPlayer returns a player among boxes, hills and other players, and the moves of a bot.
func newBusyPlayer(t testing.TB, others int) (*Player, []sim.Move) {
	rng := rand.New(rand.NewPCG(5, 5))
	w := newWorld(t)
	addTerrainAndBoxes(t, w, rng)
	p := addPlayer(t, w, "soldier", nil, values{"position": vec(0, 0, 150)})
	for range others {
		addPlayer(t, w, "soldier", nil, values{"position": vec(spread(rng, 60), spread(rng, 60), 150)})
	}
	for n := range 200 {
		w.Tick(uint64(n)) // they land
	}
	bot := randomMoves{rng: rng}
	moves := make([]sim.Move, 4096)
	for i := range moves {
		moves[i] = bot.next()
	}
	return p, moves
}

// TestMovesAllocateNothing checks that moves allocate only for script events. Ghosts emit none.
func TestMovesAllocateNothing(t *testing.T) {
	for name, ghost := range map[string]bool{"owned": false, "foretold": true} {
		t.Run(name, func(t *testing.T) {
			p, moves := newBusyPlayer(t, 30)
			p.SetGhost(ghost)
			n, held := 0, moves[0].Triggers
			do := func() {
				m := moves[n%len(moves)]
				if !ghost {
					m.Triggers = held
				}
				p.Control(m)
				p.World().ClearMarks()
				n++
			}
			for range 2000 {
				do()
			}
			eventNames(p.World())
			told := 0
			count := func(sim.Object, string, []sim.Value) bool { told++; return true }
			const runs = 10 // the runtime itself can allocate in one of them: the mean is rounded down
			allocs := testing.AllocsPerRun(runs, func() {
				for range 200 {
					do()
				}
				p.World().Deliver(count)
			})
			assert.LessOrEqual(t, runs*allocs, float64(told))
			assert.True(t, !ghost || told == 0)
		})
	}
}

func BenchmarkPlayerMove(b *testing.B) {
	for name, others := range map[string]int{"alone": 0, "among 128": 127} {
		b.Run(name, func(b *testing.B) {
			p, moves := newBusyPlayer(b, others)
			quiet := func(sim.Object, string, []sim.Value) bool { return true }
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				p.Control(moves[n%len(moves)])
				if n%64 == 0 {
					p.World().Deliver(quiet)
				}
			}
		})
	}
}

func BenchmarkPlayerAtRest(b *testing.B) {
	p, _ := newBusyPlayer(b, 0)
	b.ReportAllocs()
	for n := uint64(0); b.Loop(); n++ {
		p.Tick(n)
	}
}

// BenchmarkReplay measures a correction: reading the state and replaying 30 moves.
func BenchmarkReplay(b *testing.B) {
	p, moves := newBusyPlayer(b, 127)
	p.SetGhost(true)
	bits := state(b, p)
	w := p.World()
	again := func() {
		for _, m := range moves[:30] {
			p.Control(m)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		restore(b, p, bits)
		w.Replay(again)
	}
	require.NotNil(b, p)
}
