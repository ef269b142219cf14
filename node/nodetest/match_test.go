package nodetest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

const matchPlayers = 6

// TestMatchesReplay checks that the journal of a whole match on bad lines replays without a
// difference. The full form plays 12 minutes of virtual time for each seed.
func TestMatchesReplay(t *testing.T) {
	length, interval := testenv.Length(10500*time.Millisecond, 12*time.Minute), testenv.Length(1500*time.Millisecond, 5*time.Second)
	for seed := range testenv.Seeds(t, 1, 2) {
		p, journals := matchPlan(seed, length, interval), t.TempDir()
		match := Record(p, t.TempDir(), journals)
		require.Nil(t, match.Failure, "seed %d", seed)
		path := filepath.Join(journals, journalName(1))
		again, err := Replay(path, nil)
		require.NoError(t, err)
		require.Empty(t, again.Difference, "seed %d", seed)
		require.GreaterOrEqual(t, again.Ticks, match.Ticks, "seed %d: the journal ends before the server", seed)
		require.NotZero(t, again.Skipped, "seed %d", seed)
		require.Greater(t, match.Clients, matchPlayers, "seed %d: nobody has come back", seed)
		file, err := os.Stat(path)
		require.NoError(t, err)
		t.Logf("seed %d: %s, %d ticks, %d skipped, %d clients, %d joins, a journal of %.1f MiB",
			seed, p.Events[0].Arg, again.Ticks, again.Skipped, match.Clients, match.Enters, float64(file.Size())/(1<<20))
	}
}

// matchPlan returns the plan of a match on lines with packet loss and jitter. Most players receive
// fewer packets than the server has ticks. In each interval, a player leaves or changes address, a
// mod is reloaded, the mission changes, or the server stands still.
func matchPlan(seed uint64, length, interval time.Duration) Plan {
	p := planner{Plan: Plan{Seed: seed}, random: rand.New(rand.NewPCG(seed, 0x6d61746368)), players: matchPlayers, storm: length}
	pick := func(from ...string) string { return from[p.random.IntN(len(from))] }
	game := []string{"ctf", "deathmatch"}[seed%2]
	p.add(0, "game", 0, game)
	p.add(0, "players", 0, fmt.Sprint(p.players))
	p.add(0, "loss", 0, pick("0.01", "0.05", "0.1"))
	p.add(0, "jitter", 0, pick("20ms", "50ms", "100ms"))
	p.add(0, "delay", 0, pick("15ms", "50ms", "125ms"))
	for i := range p.players {
		p.add(0, "netrate", i+1, []string{"modem", "5x300", "20x600", "default"}[i%4])
	}
	kinds := []string{"leave", "kill", "rebind", "reload", "mission", "pause"}
	for n := range int(length/interval) - 1 {
		if n%len(kinds) == 0 {
			p.random.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
		}
		e := Event{What: kinds[n%len(kinds)], Who: p.who()}
		switch e.What {
		case "rebind":
			e.Arg = pick("port", "ip")
		case "reload":
			e.Who, e.Arg = 0, pick("probe", "base", game)
		case "mission":
			e.Who = 0
		case "pause":
			// The server skips ticks when it is 64 ticks late, 2,048 ms. The first pause of a match
			// does that, because a short match can have no other one.
			e.Who, e.Arg = 0, pick("300ms", "700ms", "2500ms", "3500ms")
			if n < len(kinds) {
				e.Arg = "2500ms"
			}
		}
		p.add(time.Duration(n+1)*interval, e.What, e.Who, e.Arg)
	}
	p.add(length, "calm", 0, "")
	return p.Plan
}
