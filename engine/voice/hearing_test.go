package voice

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

const fast = 1e6 // bits/s

func near(talker int, metres float32) *Offer {
	return &Offer{Talker: uint32(talker), Owner: fmt.Sprint("owner ", talker), Distance: metres, Size: 60, Level: 60}
}

// heard plays ten seconds: each talker offers a frame every 20 ms. It returns how many frames of
// each talker came through in the last second.
func heard(h *Hearing, bits float64, offers ...*Offer) map[uint32]int {
	got := map[uint32]int{}
	for i := range 500 {
		for _, o := range offers {
			if why := h.Admit(time.Duration(i)*20*ms, bits, o); why == Kept && i >= 450 {
				got[o.Talker]++
			}
		}
	}
	return got
}

// TestNearestTalkersAreHeard offers nine talkers of all channels.
func TestNearestTalkersAreHeard(t *testing.T) {
	var offers []*Offer
	for i := range 5 {
		offers = append(offers, near(i, float32(20-4*i)))
	}
	for i := 5; i < 9; i++ {
		offers = append(offers, &Offer{Talker: uint32(i), Owner: fmt.Sprint(i), Channel: Channel(i%2) + Team, Level: i, Size: 60})
	}
	assert.Equal(t, map[uint32]int{1: 50, 2: 50, 3: 50, 4: 50}, heard(new(Hearing), fast, offers...), "the nearest")
	assert.Equal(t, map[uint32]int{3: 50, 4: 50, 6: 50, 8: 50}, heard(new(Hearing), fast, offers[3:]...), "then the team, then the loudest: 8 and 6 are the team's")
}

// TestTalkersOfOneRankTakeNoTurns checks that a place is kept against an equal talker, and given
// back after a pause.
func TestTalkersOfOneRankTakeNoTurns(t *testing.T) {
	var h Hearing
	offers := []*Offer{near(1, 5), near(2, 5), near(3, 5), near(4, 5), near(5, 4.1)}
	assert.Equal(t, map[uint32]int{1: 50, 2: 50, 3: 50, 4: 50}, heard(&h, fast, offers...))
	why := h.Admit(10*time.Second, fast, offers[4])
	assert.Equal(t, Crowded, why)
	why = h.Admit(9980*ms+keep, fast, offers[4])
	assert.Equal(t, Kept, why, "the others have stopped")
	assert.Equal(t, 1, h.Talkers(9980*ms+keep))
}

// TestNoAddressTakesThePlacesOfOthers offers four talkers of other owners to a listener whose
// places are wanted by 1, 32 and 250 talkers of one owner, all of them nearer.
func TestNoAddressTakesThePlacesOfOthers(t *testing.T) {
	for _, crowd := range []int{1, 32, 250} {
		for _, others := range []int{1, 2, 3, 4} {
			for _, first := range []bool{true, false} {
				var offers, rest []*Offer
				for i := range crowd {
					o := near(1000+i, 1)
					o.Owner = "crowd"
					rest = append(rest, o)
				}
				for i := range others {
					offers = append(offers, near(i, 9))
				}
				if first {
					offers = append(rest, offers...)
				} else {
					offers = append(offers, rest...)
				}
				got := heard(new(Hearing), fast, offers...)
				lost := 0
				for i := range uint32(others) {
					if got[i] < 45 {
						lost++
					}
				}
				assert.LessOrEqual(t, lost, max(0, others-(Places-1)), "%d of the crowd, %d others, the crowd first: %v: %v", crowd, others, first, got)
			}
		}
	}
}

// TestOwnersShareThePlaces has one talker each of 1, 32 and 250 owners: the nearest are heard.
func TestOwnersShareThePlaces(t *testing.T) {
	for _, owners := range []int{1, 32, 250} {
		var offers []*Offer
		for i := range owners {
			offers = append(offers, near(i, float32(1+2*(owners-i))))
		}
		got := heard(new(Hearing), fast, offers...)
		assert.Len(t, got, min(owners, Places))
		assert.Equal(t, 50, got[uint32(owners-1)], "the nearest of %d", owners)
	}
}

// TestNarrowLinesHearFewTalkers checks how many talkers a line gets, and its bytes.
func TestNarrowLinesHearFewTalkers(t *testing.T) {
	for bits, want := range map[float64]int{0: 0, 28_800: 0, 47_999: 0, 48_000: 1, 64_000: 1, 153_000: 1, 153_600: 2, 230_400: 3, 307_200: 4, 1e7: 4} {
		var offers []*Offer
		for i := range 8 {
			offers = append(offers, near(i, float32(1+2*i)))
		}
		got := heard(new(Hearing), bits, offers...)
		assert.Len(t, got, want, "%v bits/s: %v", bits, got)
	}
	bytes := func(bits float64, size int) (n int) {
		var h Hearing
		for i := range 500 {
			for k := range 4 {
				o := near(k, float32(1+2*k))
				o.Size = size
				if why := h.Admit(time.Duration(i)*20*ms, bits, o); why == Kept {
					n += size
				}
			}
		}
		return n / 10
	}
	assert.InDelta(t, 12_000, bytes(1e9, MaxFrame), 1000, "never more than 12 kB/s")
	assert.InDelta(t, 8000, bytes(256_000, MaxFrame), 500, "a quarter of the line")
	assert.Equal(t, 50*80, bytes(48_000, 80), "one talker within its own budget")
}

// TestLineThatShrinksLosesTalkers checks that the least important places end at once.
func TestLineThatShrinksLosesTalkers(t *testing.T) {
	var h Hearing
	heard(&h, fast, near(1, 9), near(2, 2), near(3, 8), near(4, 7))
	now := 10 * time.Second
	why := h.Admit(now, 64_000, near(1, 9))
	assert.Equal(t, Narrow, why)
	assert.Equal(t, 1, h.Talkers(now))
	why = h.Admit(now, 64_000, near(2, 2))
	assert.Equal(t, Kept, why)
	why = h.Admit(now, 47_000, near(2, 2))
	assert.Equal(t, Narrow, why)
}

// TestRepetitionsNeedRoom checks that frames are sent once more only where the line has room, and
// to those who hear the talker.
func TestRepetitionsNeedRoom(t *testing.T) {
	count := func(bits float64, size int) (n int) {
		var h Hearing
		for i := range 500 {
			now := time.Duration(i) * 20 * ms
			o := near(1, 2)
			o.Size = size
			h.Admit(now, bits, o)
			if h.Again(now, bits, 1, size) {
				n++
			}
		}
		return n
	}
	assert.Equal(t, 500, count(fast, 60))
	assert.Less(t, count(64_000, 60), 20)
	assert.Less(t, count(75_999, 60), 20)
	assert.Equal(t, 500, count(76_800, 60), "a new connection")
	assert.InDelta(t, 10*76_800/8/3/80, count(76_800, 80), 10, "within a third of the line")
	assert.False(t, new(Hearing).Again(0, fast, 1, 60))
	assert.False(t, Repeats(0.01))
	assert.True(t, Repeats(0.011))
}

func TestModes(t *testing.T) {
	for m, name := range ModeNames {
		assert.Equal(t, Mode(m), ModeOf(name))
		assert.Equal(t, name, Mode(m).String())
	}
	assert.Equal(t, Off, ModeOf("loud"))
	for m, want := range map[Mode][]bool{Off: {false, false, false, false}, Near: {true, false, false, false}, Teams: {true, true, false, false}, Public: {true, true, true, false}, Custom: {true, true, true, true}} {
		for c, allowed := range want {
			assert.Equal(t, allowed, m.Allows(Channel(c)), "%v %v", m, Channel(c))
		}
	}
	assert.Equal(t, []float32{4, 10, 20, 10}, []float32{Whisper.Metres(), Talk.Metres(), Shout.Metres(), Range(3).Metres()})
}
