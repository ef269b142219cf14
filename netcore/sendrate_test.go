package netcore

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/netcore/congestion"
)

// TestPausesSaveNoBurst checks that a connection that was silent sends few packets at once, also
// while datablocks load and the congestion control does not hold it back.
func TestPausesSaveNoBurst(t *testing.T) {
	var s sendRate
	s.start(0, SimAddr(1), Rate{40, 300}, Rate{40, 300})
	s.boost(0, true)
	sent := 0
	for now := time.Minute; s.ready(now) && sent < 100; sent++ {
		s.spend(now, 300)
	}
	assert.Equal(t, 8, sent)
}

// TestMovesAskWhereThePathGoes: over a move, the new address decides whether there is a line. A
// queue lowers the rate only there.
func TestMovesAskWhereThePathGoes(t *testing.T) {
	sim, inside := SimAddr(1), Addr{Kind: AddrLocal}
	for _, tt := range []struct {
		from, to Addr
		line     bool
	}{{sim, sim, true}, {inside, sim, true}, {sim, inside, false}, {inside, inside, false}} {
		var s sendRate
		s.start(0, tt.from, Rate{Packets: Auto, Size: MaxSize}, Rate{MaxRate, MaxSize})
		s.move(0, tt.to)
		first := s.line.Rate()
		for i := range Time(100) {
			now, waited := 30*i*time.Millisecond, min(10*i, 500)*time.Millisecond
			s.spend(now, 1000)
			var a congestion.Ack
			a.Add(true, 1000+congestion.HeaderBytes)
			a.Time(now-waited, 0)
			s.acked(now, a)
		}
		assert.Equal(t, tt.line, s.line.Rate() < first, "from %v to %v", tt.from, tt.to)
	}
}

// TestMovesKeepTheLimits: a move changes nothing about the limits of both sides, and gives no
// tokens.
func TestMovesKeepTheLimits(t *testing.T) {
	slow := Rate{Packets: 10, Size: 200}
	var s sendRate
	s.start(0, SimAddr(1), slow, Rate{MaxRate, MaxSize})
	for s.tokens >= 1 {
		s.spend(0, slow.Size)
	}
	tokens := s.tokens
	s.move(0, SimAddr(2))
	assert.Equal(t, slow, s.current)
	assert.Equal(t, tokens, s.tokens)
}
