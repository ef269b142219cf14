package voice

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

const ms = time.Millisecond

func take(t testing.TB, in *Intake, now time.Duration, number uint8, size int) Drop {
	f := frame(t, number, size)
	return in.Take(now, &f)
}

// TestHonestTalkersKeepAllFrames speaks for ten seconds: evenly, and over a line that delivers
// every 200 ms.
func TestHonestTalkersKeepAllFrames(t *testing.T) {
	for _, batch := range []int{1, 10} {
		var in Intake
		for i := range 500 {
			assert.Equal(t, Kept, take(t, &in, time.Duration(i/batch*batch)*20*ms, uint8(i), 75), "frame %d in batches of %d", i, batch)
		}
	}
}

// TestFloodsStayInTheBudget sends 1,000 frames a second, of all sorts. Those that count stay within
// the budgets.
func TestFloodsStayInTheBudget(t *testing.T) {
	for name, row := range map[string]struct {
		size, most int
		bytes      int
	}{
		"small frames": {1, 10 + 52*4, 1600},
		"large frames": {MaxFrame, (1600 + 4000*4) / MaxFrame, 1600 + 4000*4},
	} {
		var in Intake
		kept := 0
		for i := range 4000 {
			if take(t, &in, time.Duration(i)*ms, uint8(kept), row.size) == Kept {
				kept++
			}
		}
		assert.InDelta(t, row.most, kept, 2, name)
		assert.LessOrEqual(t, kept*row.size, row.bytes)
	}
	var in Intake
	whys := map[Drop]int{}
	for i := range 4000 {
		f := frame(t, 7, 10)
		f.Data[0] = 0xff
		whys[in.Take(time.Duration(i)*ms, &f)]++
	}
	assert.InDelta(t, 10+52*4, whys[Foreign], 2, "foreign frames cost the budget, too")
	assert.Equal(t, 4000, whys[Foreign]+whys[OverBudget])
}

// TestOrderOfFrames checks the numbers around the end of their round, and after a pause.
func TestOrderOfFrames(t *testing.T) {
	var in Intake
	assert.Equal(t, Kept, take(t, &in, 0, 250, 10), "any number is the first")
	assert.Equal(t, OutOfOrder, take(t, &in, ms, 250, 10), "twice")
	assert.Equal(t, OutOfOrder, take(t, &in, ms, 249, 10))
	assert.Equal(t, Kept, take(t, &in, 2*ms, 3, 10), "behind the end")
	assert.Equal(t, Kept, take(t, &in, 3*ms, 130, 10), "127 ahead")
	assert.Equal(t, OutOfOrder, take(t, &in, 4*ms, 2, 10), "128 ahead is older")
	assert.Equal(t, OutOfOrder, take(t, &in, 3*ms+restart-1, 130, 10))
	assert.Equal(t, Kept, take(t, &in, 3*ms+restart, 130, 10), "after a pause")
}

func TestMissingFrames(t *testing.T) {
	var in Intake
	at := func(n uint8) bool { f := frame(t, n, 5); return in.Missing(ms, &f) }
	assert.True(t, at(1), "the first frame comes in a pair")
	take(t, &in, 0, 5, 10)
	assert.False(t, at(5))
	assert.True(t, at(6))
	assert.False(t, at(4))
	f := frame(t, 4, 5)
	assert.True(t, in.Missing(restart, &f), "after a pause it begins with a pair")
}

// TestLevelFollowsTheSizes checks that speech is louder than silence.
func TestLevelFollowsTheSizes(t *testing.T) {
	var in Intake
	for i := range 50 {
		take(t, &in, time.Duration(i)*20*ms, uint8(i), 80)
	}
	assert.InDelta(t, 80, in.Level(), 2)
	for i := range 50 {
		take(t, &in, time.Duration(50+i)*20*ms, uint8(50+i), 2)
	}
	assert.InDelta(t, 2, in.Level(), 2)
	assert.False(t, in.Silent(2*time.Second, 100*ms))
	assert.True(t, in.Silent(3*time.Second, 100*ms))
}

// TestRepetitionsCostNothing: a frame of the last two ticks is known, an older one is out of order,
// and any is the first one after a pause.
func TestRepetitionsCostNothing(t *testing.T) {
	var in Intake
	f := frame(t, 5, 60)
	assert.False(t, in.Repeats(0, &f))
	assert.Equal(t, Kept, in.Take(0, &f))
	for range 1000 {
		assert.True(t, in.Repeats(0, &f))
	}
	for number, is := range map[uint8]bool{4: true, 242: true, 241: false, 6: false} {
		f.Number = number
		assert.Equal(t, is, in.Repeats(0, &f), number)
		assert.False(t, in.Repeats(restart, &f), number)
	}
	f.Number = 6
	assert.Equal(t, Kept, in.Take(20*ms, &f))
}
