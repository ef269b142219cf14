package play_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/node/demo"
	"github.com/torc-engine/torc/node/play"
)

// TestPageRecords: the program gets the demo when record stop ends it, and when the client ends.
func TestPageRecords(t *testing.T) { inTime(t, pageRecords) }

func pageRecords(t *testing.T) {
	p := join(t)
	p.Line("record")
	assert.Equal(t, "nothing is recorded", p.printed[len(p.printed)-1])
	for i, end := range []func(){func() { p.Line("record stop") }, func() { require.NoError(t, p.Close()) }} {
		p.Line("record ann")
		from := p.State[play.WordTick]
		p.until("a second has passed", func() bool { return p.State[play.WordTick] > from+32 })
		assert.Len(t, p.demos, i)
		end()
		require.Len(t, p.demos, i+1)
		film := p.demos[i]
		r, err := demo.Open(demo.Config{}, bytes.NewReader(film), int64(len(film)))
		require.NoError(t, err)
		assert.Equal(t, "Ann", r.Header().Player)
		ticks, people := 0, 0
		require.NoError(t, r.PlayAll(func() {
			ticks++
			w := r.Host().World()
			w.Each(w.Classes().Lookup("Player"), func(sim.Object) bool { people++; return true })
		}))
		require.NoError(t, r.Close())
		assert.GreaterOrEqual(t, ticks, 30)
		assert.Positive(t, people)
	}
}
