package spectate

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/recording"
	"github.com/torc-engine/torc/engine/sim"
)

// sign is an object that needs a datablock.
type sign struct {
	sim.NetObject
	data sim.BlockRef
}

// newPlaybackWorld returns a playback into an empty world with the class Sign. commands counts.
func newPlaybackWorld(t *testing.T, commands *int) (p *Playback, class int) {
	t.Helper()
	cs := sim.NewClasses()
	require.NoError(t, cs.Register(sim.Class{Name: "NoteData", Parent: "SimDataBlock", Kind: sim.BlockClass, New: func() sim.Object { return new(note) }}))
	require.NoError(t, cs.Register(sim.Class{
		Name: "Sign", Parent: "NetObject", New: func() sim.Object { return new(sign) },
		Fields: []sim.Field{sim.BlockField("dataBlock", 0, "NoteData", func(s *sign) *sim.BlockRef { return &s.data })},
	}))
	w := sim.NewWorld(cs)
	group := new(sim.Group)
	w.Add(group)
	p = NewPlayback(w, group, Hooks{
		Reset: func() {}, Command: func(string, []sim.Value) { *commands++ }, Added: func(sim.Object) {}, Removed: func(sim.Object) {}, Voice: func(*recording.Voice, sim.ID) {},
	})
	p.running = true
	return p, cs.WireID(cs.Lookup("Sign"))
}

// step writes a chunk and plays a tick of it.
func step(t *testing.T, p *Playback, c recording.Chunk, ok bool) error {
	t.Helper()
	require.True(t, ok)
	_, err := p.Write(c.Bytes())
	require.NoError(t, err)
	return p.Step()
}

// TestObjectsNeedTheirDatablock plays an object whose datablock is missing.
func TestObjectsNeedTheirDatablock(t *testing.T) {
	p, class := newPlaybackWorld(t, new(int))
	l := recording.NewLog(0)
	require.True(t, l.Create(1, class))
	l.Tick(1)
	l.Cut()
	c, ok := l.State()
	assert.EqualError(t, step(t, p, c, ok), "Sign: its datablock of class NoteData is missing")
}

// TestCommandsOfATickAreBounded plays a tick with the most commands, and one with one more.
func TestCommandsOfATickAreBounded(t *testing.T) {
	run := 0
	p, _ := newPlaybackWorld(t, &run)
	l := recording.NewLog(0)
	l.Tick(1)
	l.Cut()
	c, ok := l.State()
	require.NoError(t, step(t, p, c, ok))
	for tick, n := range []int{maxCalls, maxCalls + 1} {
		for range n {
			l.Command([]byte("\x03say"))
		}
		l.Tick(uint64(tick + 2))
		c, ok := l.Cut()
		if err := step(t, p, c, ok); n > maxCalls {
			assert.EqualError(t, err, "more than 4096 commands in a tick")
		} else {
			require.NoError(t, err)
		}
		assert.Equal(t, maxCalls, run)
	}
}

// TestVoicesOfATickAreBounded: a playback keeps its own frames of voice, and no more than a tick of
// an honest recording has.
func TestVoicesOfATickAreBounded(t *testing.T) {
	p, _ := newPlaybackWorld(t, new(int))
	var heard []string
	p.hooks.Voice = func(v *recording.Voice, object sim.ID) {
		assert.Zero(t, object, "nobody has number 7")
		heard = append(heard, string(v.Data))
	}
	data := []byte("first")
	for range recording.MaxVoices + 1 {
		p.Voice(recording.Voice{Object: 7, Data: data})
		copy(data, "later")
	}
	require.NoError(t, p.endTick())
	require.Len(t, heard, recording.MaxVoices)
	assert.Equal(t, []string{"first", "later"}, heard[:2])
	require.NoError(t, p.endTick())
	assert.Len(t, heard, recording.MaxVoices)
}
