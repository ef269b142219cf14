package spectate

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/recording"
)

// newDemoFile returns a demo of 400 ticks without objects, with a chunk every 10 ticks and a state
// every 100.
func newDemoFile(t *testing.T) []byte {
	t.Helper()
	l, file := recording.NewLog(99), new(recording.Header).Bytes()
	add := func(c recording.Chunk, ok bool) {
		t.Helper()
		require.True(t, ok)
		file = append(file, c.Bytes()...)
	}
	for tick := uint64(100); tick <= 500; tick++ {
		l.Tick(tick)
		switch {
		case tick == 100:
			l.Drop()
			add(l.State())
		case tick%10 == 0:
			add(l.Cut())
			if tick%100 == 0 {
				add(l.State())
			}
		}
	}
	return file
}

func newFilm(t *testing.T, demo []byte) *Film {
	t.Helper()
	file, err := recording.Open(bytes.NewReader(demo), int64(len(demo)))
	require.NoError(t, err)
	p, _ := newPlaybackWorld(t, new(int))
	return NewFilm(file, p)
}

// TestTurn: a film turns to the newest state up to a tick, but goes on where that is shorter.
func TestTurn(t *testing.T) {
	f := newFilm(t, newDemoFile(t))
	for _, c := range []struct{ to, next uint64 }{
		{250, 200}, {250, 201}, {205, 202}, {201, 200}, {499, 400}, {100, 100}, {150, 101}, {0, 100}, {500, 500}, {9999, 500},
	} {
		f.Turn(c.to)
		f.Step()
		require.NoError(t, f.Why())
		assert.Equal(t, c.next, f.Tick(), "the first tick after a turn to %d", c.to)
	}
}

// TestFilmEndsWithTheDamage: a film of a whole demo ends without a reason, one of a cut demo says
// that it is cut.
func TestFilmEndsWithTheDamage(t *testing.T) {
	demo := newDemoFile(t)
	for _, c := range []struct {
		cut  int
		last uint64
		why  string
	}{{0, 500, ""}, {1, 500, "the demo is cut off"}} {
		f := newFilm(t, demo[:len(demo)-c.cut])
		for !f.Over() {
			f.Step()
		}
		assert.Equal(t, c.last, f.Tick())
		if c.why == "" {
			assert.NoError(t, f.Why())
		} else {
			assert.EqualError(t, f.Why(), c.why)
		}
	}
}
