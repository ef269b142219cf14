package bench

import (
	"errors"
	"hash/crc32"
	"time"

	"github.com/torc-engine/torc/cmd/torc/internal/bots"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

const (
	recorded = 4096 // moves
	rounds   = 50   // in which they are done
	redone   = netcore.MaxMoves
)

// moveRow is what a move of a player costs on the map of the match, and what it
// costs to do a full window of them once more, each with the checksum of the
// state after it.
func moveRow() (Row, error) {
	a, err := newArena(1)
	if err != nil {
		return nil, err
	}
	body, err := a.soldier()
	if err != nil {
		return nil, err
	}
	moves, w := across(body), a.host.World()
	heard := func(sim.Object, string, []sim.Value) bool { return true }
	best := bestOf(rounds, func() time.Duration {
		start := time.Now()
		for _, m := range moves {
			body.Control(m)
		}
		took := time.Since(start)
		w.Deliver(heard)
		w.ClearMarks()
		return took / recorded
	})
	var buffer [(netcore.MaxControlState + 7) / 8]byte
	out := bitstream.NewWriter(buffer[:])
	again := bestOf(rounds, func() time.Duration {
		start := time.Now()
		w.Replay(func() {
			for _, m := range moves[:redone] {
				body.Control(m)
				out.Reset(buffer[:])
				body.CodeControl(sim.Coder{Stream: &out.Stream})
				crc32.ChecksumIEEE(out.Bytes())
			}
		})
		return time.Since(start)
	})
	return Row{
		{"player_move_ns", float64(best.Nanoseconds())},
		{"replay_30_moves_us", float64(again.Nanoseconds()) / 1000},
		{"control_state_bits", out.Pos()},
	}, nil
}

// bestOf is the shortest time of several.
func bestOf(n int, took func() time.Duration) time.Duration {
	best := took()
	for range n - 1 {
		best = min(best, took())
	}
	return best
}

// soldier is a body in a match, which nobody steers.
func (a *arena) soldier() (sim.Controlled, error) {
	if _, err := a.host.AddBot("bench"); err != nil {
		return nil, err
	}
	for range 100 {
		a.next += tickTime
		a.host.Tick(a.next)
		for _, c := range a.host.Connections() {
			if o, ok := c.ControlObject().(sim.Controlled); ok {
				return o, c.SetControlObject(nil)
			}
		}
	}
	return nil, errors.New("a bot has got no body: " + a.fault)
}

// across is a way across the map: it runs, jumps and jets, and does not fire.
func across(body sim.Controlled) []sim.Move {
	wander, pilot := bots.NewWander(1), new(engine.Pilot)
	moves := make([]sim.Move, recorded)
	for i := range moves {
		wander.Steer(pilot, body.Place().Position)
		m := pilot.Move(body.Place())
		m.Triggers &^= 1 << sim.FireTrigger
		moves[i] = m.Clamped()
		body.Control(moves[i])
	}
	return moves
}
