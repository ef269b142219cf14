package spectate

import (
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/recording"
	"github.com/torc-engine/torc/engine/sim"
)

// studio is a source of objects that never change, and counts what it is asked.
type studio struct {
	objects   []sim.Object
	refreshed map[uint32]int
}

func (s *studio) Numbers() uint32                        { return uint32(len(s.objects)) }
func (s *studio) ObjectOf(n uint32) sim.Object           { return s.objects[n] }
func (s *studio) NumberOf(o sim.Object) uint32           { return uint32(slices.Index(s.objects, o)) }
func (s *studio) Public(sim.Object) bool                 { return true }
func (s *studio) Secret(sim.Object) (none uint32)        { return 0 }
func (s *studio) Watch(uint32)                           {}
func (s *studio) Unwatch(uint32)                         {}
func (s *studio) Repeat(uint32, uint32)                  {}
func (s *studio) EachReferrer(uint32, func(uint32, int)) {}
func (s *studio) Refresh(n uint32)                       { s.refreshed[n]++ }

type note struct {
	sim.Block
	text string
}

// newStudio makes a recorder of a world with one object, and with blocks of long random texts.
func newStudio(t *testing.T, blocks int) (*Recorder, *studio) {
	t.Helper()
	cs := sim.NewClasses()
	require.NoError(t, cs.Register(sim.Class{Name: "Stone", Parent: "NetObject", New: func() sim.Object { return new(sim.NetObject) }}))
	require.NoError(t, cs.Register(sim.Class{
		Name: "NoteData", Parent: "SimDataBlock", Kind: sim.BlockClass, New: func() sim.Object { return new(note) },
		Fields: []sim.Field{sim.TextField("text", 1, 60_000, func(n *note) *string { return &n.text })},
	}))
	w := sim.NewWorld(cs)
	stone, err := w.New("Stone", nil)
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range blocks {
		_, _, err := w.Blocks.Declare("NoteData", string(rune('a'+i%26))+string(rune('a'+i/26)), "", func(o sim.Object) error {
			text := make([]byte, 60_000)
			for k := range text {
				text[k] = byte(rng.Uint32())
			}
			o.(*note).text = string(text)
			return nil
		})
		require.NoError(t, err)
	}
	s := &studio{objects: []sim.Object{nil, stone}, refreshed: map[uint32]int{}}
	return NewRecorder(w, s), s
}

// TestNothingIsGivenTooEarly asks for chunks at every tick: each is exactly as old as it must be at
// least, or at most a chunk older.
func TestNothingIsGivenTooEarly(t *testing.T) {
	r, s := newStudio(t, 0)
	const tick, delay = 32 * time.Millisecond, 5 * time.Second
	var at recording.Cursor
	last := uint64(0)
	for n := uint64(1); n < 2000; n++ {
		now := time.Duration(n) * tick
		r.BeginTick(n)
		require.True(t, r.EndTick(n, now, delay))
		for {
			c, ok := r.Next(&at, now, delay)
			if !ok {
				break
			}
			require.GreaterOrEqual(t, now-time.Duration(c.Last)*tick, delay, "tick %d", n)
			require.Equal(t, last == 0, c.State, "one state, and then changes")
			last = c.Last
		}
		if last > 0 {
			require.Less(t, now-time.Duration(last)*tick, delay+chunkTicks*tick, "tick %d", n)
		}
	}
	assert.Equal(t, 1+1999/stateTicks, s.refreshed[1], "for each state")
	assert.Less(t, r.Bytes(), 100_000)
	_, ok := r.Next(&recording.Cursor{}, 1999*tick, time.Hour)
	assert.False(t, ok, "nothing is an hour old")
}

// TestAWorldThatIsTooLarge: spectators get nothing, and the recorder says so. When the world is
// smaller again, they get a state.
func TestAWorldThatIsTooLarge(t *testing.T) {
	r, _ := newStudio(t, recording.MaxChunk/60_000+1)
	said := 0
	for n := uint64(1); n <= stateTicks; n++ {
		r.BeginTick(n)
		if !r.EndTick(n, 0, 0) {
			said++
		}
	}
	assert.Equal(t, 1, said, "once")
	_, ok := r.Next(&recording.Cursor{}, 0, 0)
	assert.False(t, ok)
	for _, b := range r.world.Blocks.Newer(0)[1:] {
		require.NoError(t, b.Ident().Class().Lookup("text").Set(b, sim.String("short")))
	}
	for n := uint64(stateTicks + 1); n <= 2*stateTicks; n++ {
		r.BeginTick(n)
		r.EndTick(n, 0, 0)
	}
	c, ok := r.Next(&recording.Cursor{}, 0, 0)
	require.True(t, ok)
	assert.True(t, c.State)
	var p recording.Player
	_, err := p.Write(c.Bytes())
	assert.NoError(t, err)
}

// TestDue: playback waits for enough ticks, and is faster with too many.
func TestDue(t *testing.T) {
	for _, c := range []struct {
		waiting uint64
		running bool
		want    int
	}{
		{0, false, 0}, {enoughTicks - 1, false, 0}, {enoughTicks, false, 1}, {1, true, 1}, {manyTicks + 1, true, 2}, {tooMany + 1, true, 8},
	} {
		l := recording.NewLog(0)
		l.Tick(1)
		l.Cut()
		s, _ := l.State()
		for n := range c.waiting {
			l.Tick(n + 2)
		}
		rest, _ := l.Cut()
		p := NewPlayback(sim.NewWorld(sim.NewClasses()), nil, Hooks{Reset: func() {}})
		_, err := p.Write(s.Bytes())
		require.NoError(t, err)
		_, err = p.player.Step(p)
		require.NoError(t, err)
		if c.waiting > 0 {
			_, err = p.Write(rest.Bytes())
			require.NoError(t, err)
		}
		p.running = c.running
		assert.Equal(t, c.want, p.due(), "%d ticks wait, running %v", c.waiting, c.running)
	}
}

// A blank target shows nothing.
type blank struct{}

func (blank) Reset()                                     {}
func (blank) Class([]byte) error                         { return nil }
func (blank) Block([]byte) error                         { return nil }
func (blank) Create(uint32, int) error                   { return nil }
func (blank) Group(uint32, int, *recording.Values) error { return nil }
func (blank) Delete(uint32)                              {}
func (blank) Command([]byte) error                       { return nil }
func (blank) View(recording.View)                        {}
func (blank) Voice(recording.Voice)                      {}

// TestChangesThatAreTooMany: if the changes of a chunk are too large, but the state is not,
// spectators go on with the state.
func TestChangesThatAreTooMany(t *testing.T) {
	r, _ := newStudio(t, recording.MaxChunk/60_000/2)
	var at recording.Cursor
	var p recording.Player
	for n := uint64(1); n <= 8*chunkTicks; n++ {
		if n >= 3*chunkTicks && n < 3*chunkTicks+4 {
			for _, b := range r.world.Blocks.Newer(0) {
				f := b.Ident().Class().Lookup("text")
				text := []byte(f.Get(b).Text())
				text[n]++
				require.NoError(t, f.Set(b, sim.String(string(text))))
			}
		}
		r.BeginTick(n)
		require.True(t, r.EndTick(n, 0, 0))
		for c, ok := r.Next(&at, 0, 0); ok; c, ok = r.Next(&at, 0, 0) {
			_, err := p.Write(c.Bytes())
			require.NoError(t, err)
			for played := true; played; {
				played, err = p.Step(blank{})
				require.NoError(t, err, "tick %d", n)
			}
		}
	}
	assert.EqualValues(t, 8*chunkTicks, p.Tick())
}

// TestRolledBackCommandsAreNotRecorded: a command of a change that is rolled back reaches nobody.
func TestRolledBackCommandsAreNotRecorded(t *testing.T) {
	r, _ := newStudio(t, 0)
	for _, end := range []func(*sim.Transaction){(*sim.Transaction).Rollback, (*sim.Transaction).Commit} {
		change := r.world.Begin()
		require.NoError(t, r.Command(sim.String("say"), nil))
		assert.Empty(t, r.calls)
		end(change)
	}
	assert.Len(t, r.calls, 1)
}

// held is how much of each kind a recorder keeps.
type held struct {
	bytes, chunks, cuts, objects, pending, calls int
}

// keeps counts what a recorder keeps. A cursor sees all chunks of the history.
func keeps(r *Recorder, first recording.Cursor) held {
	chunks := 0
	for _, ok := r.history.Next(&first, 1<<62); ok; _, ok = r.history.Next(&first, 1<<62) {
		chunks++
	}
	return held{r.Bytes(), chunks, cap(r.cuts), cap(r.objects), cap(r.pending), cap(r.calls)}
}

// TestMemoryOverHours: objects come, change and go, and commands are sent, for an hour. Afterwards
// the recorder keeps as much as after six minutes, although one spectator has taken nothing since
// the beginning. That one then gets the newest state.
func TestMemoryOverHours(t *testing.T) {
	hours := uint64(1)
	if os.Getenv("TORC_LONG") != "" {
		hours = 10
	}
	const tick, delay, hour = 32 * time.Millisecond, 20 * time.Second, uint64(time.Hour / (32 * time.Millisecond))
	r, s := newStudio(t, 0)
	s.objects = append(s.objects, nil, nil)
	var paused, follows recording.Cursor
	var early held
	for n := uint64(1); n <= hours*hour; n++ {
		now := time.Duration(n) * tick
		if n%40 == 0 { // an object leaves, and another one gets its number
			at := uint32(2 + n/40%2)
			if s.objects[at] != nil {
				r.Removed(at)
			}
			var err error
			s.objects[at], err = r.world.New("Stone", nil)
			require.NoError(t, err)
			r.Review(at)
			require.NoError(t, r.Command(sim.String("say"), []sim.Value{sim.Number(float64(n))}))
		}
		r.BeginTick(n)
		if n%16 == 0 {
			r.Group(1, s.objects[1], 0, true, recording.Values{Cells: []uint64{n}})
		}
		require.True(t, r.EndTick(n, now, delay))
		for _, ok := r.Next(&follows, now, delay); ok; _, ok = r.Next(&follows, now, delay) {
		}
		switch n {
		case uint64(2 * delay / tick):
			_, ok := r.Next(&paused, now, delay)
			require.True(t, ok)
		case hour / 10:
			early = keeps(r, recording.Cursor{})
		}
	}
	now := time.Duration(hours*hour) * tick
	late := keeps(r, recording.Cursor{})
	assert.InDelta(t, early.bytes, late.bytes, float64(early.bytes)/2)
	assert.LessOrEqual(t, late.chunks, early.chunks+stateTicks/chunkTicks+1)
	assert.LessOrEqual(t, late.chunks, int((delay/tick+2*stateTicks)/chunkTicks)+3)
	assert.LessOrEqual(t, late.cuts, 2*early.cuts)
	assert.Equal(t, early.objects, late.objects)
	assert.Equal(t, early.pending, late.pending)
	assert.Equal(t, early.calls, late.calls)
	c, ok := r.Next(&paused, now, delay)
	require.True(t, ok)
	assert.True(t, c.State)
	assert.Less(t, now-time.Duration(c.Last)*tick, delay+(stateTicks+chunkTicks)*tick)
}

// TestFailedSinkGetsNothingMore: a file that takes nothing more ends its demo with the reason,
// once, and gets no further chunk.
func TestFailedSinkGetsNothingMore(t *testing.T) {
	full, chunks, ended := errors.New("the disk is full"), 0, []error{}
	_, s := newStudio(t, 0)
	r, _ := newStudio(t, 0)
	d := NewDemo(r.world, s, Sink{Chunk: func([]byte) error {
		if chunks++; chunks == 3 {
			return full
		}
		return nil
	}, Ended: func(why error) { ended = append(ended, why) }})
	more := true
	for n := uint64(1); more; n++ {
		require.Less(t, n, uint64(2*stateTicks))
		d.BeginTick(n)
		more = d.Complete(n)
	}
	d.BeginTick(3 * stateTicks)
	assert.False(t, d.Complete(3*stateTicks))
	d.End(true)
	assert.Equal(t, 3, chunks)
	assert.Equal(t, []error{full}, ended)
}

// TestNumbersOfGhostsComeBack: a client that sees ever new ghosts for hours gives their numbers
// again.
func TestNumbersOfGhostsComeBack(t *testing.T) {
	r, _ := newStudio(t, 0)
	g := newGhosts(nil)
	for range 10_000 {
		o, err := r.world.New("Stone", nil)
		require.NoError(t, err)
		require.NotZero(t, r.world.Add(o))
		n := g.add(o)
		assert.Same(t, o, g.ObjectOf(n))
		require.Equal(t, n, g.remove(o))
		require.Zero(t, g.remove(o))
		r.world.Delete(o)
	}
	assert.LessOrEqual(t, len(g.objects), 2)
	assert.Empty(t, g.numbers)
	assert.LessOrEqual(t, len(g.free), 1)
}
