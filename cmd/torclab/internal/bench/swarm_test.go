package bench

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/move"
)

// TestDeafPlayersComeBack checks the moves of deaf players: each has a direction of its own, keeps
// it through a life, and turns around with the next one.
func TestDeafPlayersComeBack(t *testing.T) {
	f := &fight{lives: [][]sim.Move{{{Y: 16, Yaw: 100}, {Y: 16, Pitch: 7}}, {{Y: 16, Triggers: 1}}}}
	heading := func(p *player) uint16 {
		yaw := int16(0)
		for range 2 {
			yaw += p.next().Yaw
		}
		return uint16(yaw)
	}
	var seen []uint16
	for n := range 4 {
		p := &player{fight: f, number: 2 * n}
		first := heading(p)
		assert.NotContains(t, seen, first)
		assert.Less(t, int(first+turnMost/2+100), turnMost+200, "towards the enemy")
		seen = append(seen, first)
		p.next()
		m := p.next()
		assert.Equal(t, int16(-7), m.Pitch, "level again")
		assert.Equal(t, first-100+1<<15, uint16(p.yaw), "back, with the other life")
		assert.Equal(t, uint8(1), p.next().Triggers)
	}
}

// TestNewBodyBeginsALife checks that a deaf player learns of its bodies from control states, and
// faces the enemy with each.
func TestNewBodyBeginsALife(t *testing.T) {
	p := &player{fight: &fight{lives: [][]sim.Move{{{Y: 16, Yaw: 99}, {Y: 16}, {Y: 16}}}}, number: 1}
	server := move.New(move.Config{ReceivesMoves: true, NameOf: func(obj uint32) uint32 { return obj }})
	client := p.newMoves()
	seq := netcore.Seq(0)
	told := func(body uint32) {
		server.SetState(body, []byte{1}, 8, true)
		seq++
		buffer := make([]byte, 100)
		w := bitstream.NewWriter(buffer)
		require.True(t, server.Pack(w, netcore.Outgoing{Seq: seq, Now: netcore.Time(seq) * time.Second}))
		require.NoError(t, client.Unpack(bitstream.NewReader(w.Bytes()), netcore.Incoming{Seq: seq}))
	}
	told(7)
	assert.Equal(t, uint32(7), p.body)
	first := p.next()
	assert.Equal(t, int16(turnStep%turnMost-turnMost/2), first.Yaw)
	p.next()
	told(7)
	assert.Len(t, p.life, 2, "the same body")
	told(8)
	assert.Empty(t, p.life, "another one")
	assert.Equal(t, first, p.next())
}

// TestPackers checks that every connection is packed once, whatever the number of threads, and that
// the slowest worker has at least its share of the time.
func TestPackers(t *testing.T) {
	for _, threads := range []int{0, 1, 2} {
		var p packers
		if threads > 0 {
			p.use(threads)
		}
		var packed [200]int
		for range 3 {
			p.parallel(len(packed), func(_, i int) {
				packed[i]++
				for end := ownCPU() + 5*time.Microsecond; ownCPU() < end; {
				}
			})
		}
		for i, n := range packed {
			assert.Equal(t, 3, n, i)
		}
		own, slowest, all := p.lap()
		assert.GreaterOrEqual(t, all, 3*200*5*time.Microsecond)
		assert.GreaterOrEqual(t, slowest, own)
		assert.LessOrEqual(t, slowest, all)
		assert.GreaterOrEqual(t, slowest, all/2)
		p.close()
		own, slowest, all = p.lap()
		assert.Zero(t, own+slowest+all)
	}
}

// TestWideMap checks that a larger match has a larger map, and that its mission can be loaded.
func TestWideMap(t *testing.T) {
	usual, err := wideMap(t.TempDir(), smallMap)
	require.NoError(t, err)
	dir := t.TempDir()
	_, err = wideMap(dir, 1024)
	require.NoError(t, err)
	is, err := os.ReadFile(dir + "/ctf/missions/valley.lua")
	require.NoError(t, err)
	assert.Contains(t, string(is), "base(2, 440)")
	assert.Contains(t, string(is), "radius = 20,")
	_, err = usual.Open("ctf/missions/valley.lua")
	assert.NoError(t, err)
	a, err := newScenario(1, os.DirFS(dir))
	require.NoError(t, err)
	body, err := a.soldier()
	require.NoError(t, err)
	assert.Greater(t, body.Place().Position.Len(), 300., "at its base")
	assert.Zero(t, a.faults, a.fault)
}
