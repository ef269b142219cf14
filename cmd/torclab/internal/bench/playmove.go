package bench

import (
	"errors"
	"hash/crc32"
	"math"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/move"
	"github.com/torc-engine/torc/node/bots"
)

const (
	recorded = 4096 // moves
	rounds   = 5    // repetitions for each second of the row
	redone   = move.Max
)

// moveRow measures a player's move on the map of the match. It also measures the replay of a full
// move window, with a checksum of the state after each move.
func moveRow(row time.Duration) (Row, error) {
	a, err := newScenario(1, nil)
	if err != nil {
		return nil, err
	}
	body, err := a.soldier()
	if err != nil {
		return nil, err
	}
	moves, w := across(body), a.host.World()
	heard := func(sim.Object, string, []sim.Value) bool { return true }
	times := int(math.Ceil(rounds * row.Seconds()))
	best := bestOf(times, func() time.Duration {
		start := time.Now()
		for _, m := range moves {
			body.Control(m)
		}
		took := time.Since(start)
		w.Deliver(heard)
		w.ClearMarks()
		return took / recorded
	})
	var buffer [(move.MaxControlState + 7) / 8]byte
	out := bitstream.NewWriter(buffer[:])
	again := bestOf(times, func() time.Duration {
		start := time.Now()
		w.Replay(func() {
			for _, m := range moves[:redone] {
				body.Control(m)
				out.Reset(buffer[:])
				body.CodeControl(sim.Coder{Codec: &out.Codec})
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

// bestOf returns the shortest of n times.
func bestOf(n int, took func() time.Duration) time.Duration {
	best := took()
	for range n - 1 {
		best = min(best, took())
	}
	return best
}

// soldier returns a body in a match, without a controller.
func (a *scenario) soldier() (sim.Controllable, error) {
	if _, err := a.host.AddBot("bench"); err != nil {
		return nil, err
	}
	for range 100 {
		a.next += tickTime
		a.host.Tick(a.next)
		for _, c := range a.host.Connections() {
			if o, ok := c.Control.Object().(sim.Controllable); ok {
				return o, c.Control.Set(nil)
			}
		}
	}
	return nil, errors.New("a bot got no body: " + a.fault)
}

// across returns moves for a way across the map. The body runs, jumps and jets, but does not fire.
func across(body sim.Controllable) []sim.Move {
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
