package game

import (
	"hash/fnv"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// The hashes of the recorded game, the same on every machine. A change of player movement changes
// them. Update them only if the change of movement is intended.
const (
	goldenTicks = 4_000
	goldenHash  = 0x1394f0c3ab85cdc5

	longTicks = 100_000 // with TORC_LONG in the environment
	longHash  = 0x1a80be132568cdc3
)

// TestGoldenGame checks that the same moves of several players, over hills and boxes, end with the
// same bits on every machine.
func TestGoldenGame(t *testing.T) {
	ticks, want := goldenTicks, uint64(goldenHash)
	if testenv.Long() {
		ticks, want = longTicks, longHash
	}
	got := golden(t, ticks)
	assert.Equal(t, want, got, "%#x", got)
}

// golden runs a game of bots and returns the hash of all control states of all players.
func golden(t testing.TB, ticks int) uint64 {
	rng := rand.New(rand.NewPCG(2026, 11))
	w := newWorld(t)
	addTerrainAndBoxes(t, w, rng)
	var players []*Player
	var bots []randomMoves
	for i, data := range []values{
		nil,
		{"canSki": sim.Bool(false), "airControl": sim.Number(0.75), "maxEnergy": sim.Number(200), "rechargeRate": sim.Number(20)},
		{"maxSpeed": sim.Number(300), "jetForce": sim.Number(120), "jetDrain": sim.Number(3), "maxJetSpeed": sim.Number(100)},
		{"size": vec(2.5, 0.75, 1.25), "drag": sim.Number(0.3), "runSurfaceAngle": sim.Number(35.5), "maxStepHeight": sim.Number(1.5)},
	} {
		at := vec(spread(rng, 40), spread(rng, 40), 150)
		players = append(players, addPlayer(t, w, string(rune('a'+i)), data, values{"position": at}))
		bots = append(bots, randomMoves{rng: rng})
	}
	h := fnv.New64a()
	var out bitstream.Writer
	memory := make([]byte, 256)
	for tick := range ticks {
		for i, p := range players {
			pushAndReturn(p, tick, rng)
			p.Control(bots[i].next())
			out.Reset(memory)
			p.CodeControl(sim.Coder{Codec: &out.Codec})
			require.NoError(t, out.Err())
			h.Write(out.Bytes())
		}
		w.Deliver(func(sim.Object, string, []sim.Value) bool { return true })
		w.ClearMarks()
	}
	return h.Sum64()
}

// pushAndReturn pushes a player now and then, and teleports it back to the boxes when it is too far
// away.
func pushAndReturn(p *Player, tick int, rng *rand.Rand) {
	switch away := p.position; {
	case away.Len() > 200:
		p.teleport(sim.Vec3{X: spread(rng, 40), Y: spread(rng, 40), Z: 150}, p.rotation)
	case tick%500 == 499:
		p.push(sim.Vec3{}, sim.Vec3{X: spread(rng, 9000), Y: spread(rng, 9000), Z: spread(rng, 9000)})
	}
}
