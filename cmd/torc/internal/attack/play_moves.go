package attack

import (
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/torc-engine/torc/netcore"
)

// movesDone is the count of a player's moves in the console's line.
var movesDone = regexp.MustCompile(`moves done (\d+)`)

// moves returns the number of moves that the server has done for a player, and its ticks.
func (r *round) moves(id string) (moves, ticks float64, err error) {
	text, err := r.exec("moves %s", id)
	if err != nil {
		return 0, 0, err
	}
	m := movesDone.FindStringSubmatch(text)
	if m == nil {
		return 0, 0, fmt.Errorf("moves: %s", text)
	}
	moves, err = strconv.ParseFloat(m[1], 64)
	return moves, metric(r.server, ticksMetric), err
}

// playFast lets clients make moves faster than time passes, and judges the moves that the server
// does.
func playFast(r *round) error {
	return r.race([]string{"pace 2", "pace 10", "pace 100"}, []int{2, 10, 100}, nil)
}

// playClocks lets clients play with clocks that run slow, fast, or in steps.
func playClocks(r *round) error {
	return r.race([]string{"slow clock", "fast clock", "jumping clock"}, []int{1, 1, 1}, []func(c *client, now netcore.Time) netcore.Time{
		func(_ *client, now netcore.Time) netcore.Time { return now / 2 },
		func(_ *client, now netcore.Time) netcore.Time { return 2 * now },
		func(c *client, now netcore.Time) netcore.Time { // 10 s more each second, once it plays
			if !c.playing() {
				return now
			}
			return now + (now-c.began-c.entered)/time.Second*(10*time.Second)
		},
	})
}

// credit is the number of moves that a client can save.
const credit = 8

// race lets clients play at a pace or with a clock, and compares their moves with the server's ticks.
func (r *round) race(names []string, paces []int, clocks []func(*client, netcore.Time) netcore.Time) error {
	all, err := r.attackers(len(paces), func(i int) clientSpec {
		spec := clientSpec{name: fmt.Sprint("fast", i), pace: paces[i]}
		if clocks != nil {
			spec.clock = clocks[i]
		}
		return spec
	})
	if err != nil {
		return err
	}
	ids, moves, ticks := make([]string, len(all)), make([]float64, len(all)), make([]float64, len(all))
	for i := range all {
		if ids[i], err = r.idOf(fmt.Sprint("fast", i)); err != nil {
			return err
		}
		if moves[i], ticks[i], err = r.moves(ids[i]); err != nil {
			return err
		}
	}
	time.Sleep(r.length + 500*time.Millisecond)
	for i := range all {
		m, n, err := r.moves(ids[i])
		if err != nil {
			return err
		}
		did, passed := m-moves[i], n-ticks[i]
		r.note("%s: %.0f moves in %.0f ticks", names[i], did, passed)
		// one more tick can pass between the two console lines of each measurement
		r.fail(did > 1.01*passed+credit+2, "more moves than time")
	}
	return nil
}
