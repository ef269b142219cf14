package recording_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/recording"
)

// A tape is a target that notes what it is told.
type tape struct{ lines []string }

func (t *tape) note(format string, args ...any) {
	t.lines = append(t.lines, fmt.Sprintf(format, args...))
}

func (t *tape) Reset()                        { t.note("reset") }
func (t *tape) Class(b []byte) error          { t.note("class %q", b); return nil }
func (t *tape) Block(b []byte) error          { t.note("block %q", b); return nil }
func (t *tape) Create(id uint32, c int) error { t.note("create %d class %d", id, c); return nil }
func (t *tape) Delete(id uint32)              { t.note("delete %d", id) }
func (t *tape) Command(b []byte) error        { t.note("command %q", b); return nil }
func (t *tape) View(v recording.View)         { t.note("view %v", v) }
func (t *tape) Voice(v recording.Voice)       { t.note("voice %v", v) }
func (t *tape) Group(id uint32, g int, v *recording.Values) error {
	t.note("group %d of %d: %d %q %x/%d", g, id, v.Cells, v.Texts, v.Raw, v.Bits)
	return nil
}

// play plays all ticks that wait.
func play(t *testing.T, p *recording.Player) []string {
	t.Helper()
	to := &tape{}
	for {
		played, err := p.Step(to)
		require.NoError(t, err)
		if !played {
			return to.lines
		}
		to.note("tick %d", p.Tick())
	}
}

func write(t *testing.T, p *recording.Player, c recording.Chunk, ok bool) {
	t.Helper()
	require.True(t, ok)
	for _, b := range c.Bytes() { // a byte at a time
		_, err := p.Write([]byte{b})
		require.NoError(t, err)
	}
}

// TestRecordAndPlay follows one recording from the changes to the target.
func TestRecordAndPlay(t *testing.T) {
	l := recording.NewLog(99)
	l.Class([]byte("Flag"))
	l.Block(3, []byte("old"))
	assert.True(t, l.Create(7, 12))
	assert.False(t, l.Create(7, 12))
	l.Group(7, 0, &recording.Values{Cells: []uint64{1000, 1<<64 - 1}})
	l.Tick(100)
	c, ok := l.Cut()
	require.True(t, ok)
	assert.Equal(t, []uint64{100, 100}, []uint64{c.First, c.Last})

	var p recording.Player
	s, ok := l.State()
	write(t, &p, s, ok)
	assert.Zero(t, p.Tick())
	assert.Equal(t, []string{
		"reset", `class "Flag"`, `block "old"`, "create 7 class 12", "group 0 of 7: [1000 18446744073709551615] [] /0", "tick 100",
	}, play(t, &p))

	l.Group(7, 0, &recording.Values{Cells: []uint64{1000, 1<<64 - 1}}) // no change
	l.Group(7, 0, &recording.Values{Cells: []uint64{999, 0}})
	l.Group(7, 3, &recording.Values{Texts: []string{"Ann", ""}, Raw: []byte{0xff, 1, 9}, Bits: 9})
	l.Group(8, 0, &recording.Values{}) // there is no such object
	l.Delete(8)
	l.Tick(101)
	l.Block(3, []byte("new"))
	l.Create(2, 1)
	l.Delete(7)
	l.Command([]byte("say"))
	l.Tick(102)
	assert.Equal(t, 2, l.Ticks())
	c, ok = l.Cut()
	write(t, &p, c, ok)
	assert.Equal(t, uint64(2), p.Waiting())
	assert.Equal(t, []string{
		"group 0 of 7: [999 0] [] /0", `group 3 of 7: [] ["Ann" ""] ff01/9`, "tick 101",
		`block "new"`, "create 2 class 1", "delete 7", `command "say"`, "tick 102",
	}, play(t, &p))

	s, ok = l.State()
	write(t, &p, s, ok)
	assert.Empty(t, play(t, &p), "a state of the present tick is skipped")
	var late recording.Player
	write(t, &late, s, ok)
	assert.Equal(t, []string{"reset", `class "Flag"`, `block "new"`, "create 2 class 1", "tick 102"}, play(t, &late))

	l.Tick(103)
	l.Cut() // lost
	l.Tick(104)
	c, ok = l.Cut()
	write(t, &late, c, ok)
	_, err := late.Step(&tape{})
	assert.EqualError(t, err, "the recording is damaged", "a chunk is missing")
	s, ok = l.State()
	write(t, &p, s, ok)
	assert.Equal(t, []string{"reset", `class "Flag"`, `block "new"`, "create 2 class 1", "tick 104"}, play(t, &p), "a newer state goes on")
}

// TestLastingCommands: a lasting command is recorded when it changes. The number of keys and their
// length are limited.
func TestLastingCommands(t *testing.T) {
	l, tick := recording.NewLog(0), uint64(0)
	keep := func(key, data string) (lasting int) {
		l.Keep(key, []byte(data))
		tick++
		l.Tick(tick)
		l.Drop()
		var p recording.Player
		s, ok := l.State()
		write(t, &p, s, ok)
		return len(play(t, &p)) - 2 // without the reset and the tick
	}
	assert.Equal(t, 1, keep("a", "one"))
	assert.Equal(t, 1, keep("a", "two"))
	assert.Equal(t, 1, keep(strings.Repeat("k", 65), "one"))
	for i := range 255 {
		l.Keep(fmt.Sprint(i), nil)
	}
	assert.Equal(t, 256, keep("one too many", ""))
	l.Keep("a", []byte("two"))
	l.Keep("a", []byte("three"))
	l.Tick(tick + 1)
	c, ok := l.Cut()
	require.True(t, ok)
	assert.Equal(t, []string{`command "three"`, fmt.Sprint("tick ", tick+1)}, changesOf(t, c), "a known key, once")
}

// TestVoices: frames are played in their tick and in no state, and those beyond the limits are not
// recorded.
func TestVoices(t *testing.T) {
	l := recording.NewLog(8)
	good := recording.Voice{Talker: 1<<16 - 1, Client: 1<<64 - 1, Name: strings.Repeat("n", 256), Mark: 1 << 63, Object: 1<<32 - 1, Channel: 3, Number: 255, Data: make([]byte, 160)}
	l.Voice(&good)
	for _, spoil := range []func(v *recording.Voice){
		func(v *recording.Voice) { v.Talker++ }, func(v *recording.Voice) { v.Name += "n" }, func(v *recording.Voice) { v.Channel++ },
		func(v *recording.Voice) { v.Data = nil }, func(v *recording.Voice) { v.Data = make([]byte, 161) },
	} {
		bad := good
		spoil(&bad)
		l.Voice(&bad)
	}
	l.Tick(9)
	c, ok := l.Cut()
	require.True(t, ok)
	assert.Equal(t, []string{fmt.Sprintf("voice %v", good), "tick 9"}, changesOf(t, c))
	for range recording.MaxVoices + 1 {
		l.Voice(&good)
	}
	l.Tick(10)
	l.Voice(&good)
	l.Tick(11)
	c, ok = l.Cut()
	require.True(t, ok)
	assert.Len(t, changesOf(t, c), recording.MaxVoices+1+2, "the limit is that of a tick")
	s, ok := l.State()
	require.True(t, ok)
	var p recording.Player
	write(t, &p, s, ok)
	assert.Equal(t, []string{"reset", "tick 11"}, play(t, &p))
}

// TestVoicesOutsideTheRange: a frame without bytes, or with a number beyond its range, is damage.
func TestVoicesOutsideTheRange(t *testing.T) {
	entry := func(channel, number byte, frame ...byte) []byte {
		b := append([]byte{1, 10, 7, 4, 1, 'A', 1, 2, 3, 4, 5, 6, 7, 8, 0, channel, number}, byte(len(frame)))
		return append(append(b, frame...), 0, 1)
	}
	plays := func(b []byte) bool {
		c := recording.StateOf(b)
		var p recording.Player
		_, err := p.Write(c.Bytes())
		require.NoError(t, err)
		played, err := p.Step(mute{})
		return played && err == nil
	}
	assert.True(t, plays(entry(3, 127, 'x')))
	assert.False(t, plays(entry(4, 127, 'x')))
	assert.False(t, plays(entry(3, 127)))
	assert.False(t, plays(entry(3, 127, make([]byte, 161)...)))
	for n := range len(entry(3, 127, 'x')) - 1 {
		assert.False(t, plays(entry(3, 127, 'x')[:n+1]), "%d bytes", n+1)
	}
}

// changesOf plays a chunk of the tick after a state.
func changesOf(t *testing.T, c recording.Chunk) []string {
	t.Helper()
	s, ok := recording.NewLog(c.First - 1).State()
	var p recording.Player
	write(t, &p, s, ok)
	play(t, &p)
	write(t, &p, c, true)
	return play(t, &p)
}

// TestHistory: viewers see what is old enough, from a state on, and the memory is bounded.
func TestHistory(t *testing.T) {
	chunk := func(state bool, first, last uint64) recording.Chunk {
		return recording.Chunk{State: state, First: first, Last: last, Body: make([]byte, 10)}
	}
	h := recording.NewHistory(100)
	next := func(at *recording.Cursor, until uint64) string {
		c, ok := h.Next(at, until)
		if !ok {
			return "nothing"
		}
		return fmt.Sprint(c.State, c.First, c.Last)
	}
	var first recording.Cursor
	assert.Equal(t, "nothing", next(&first, 100))
	h.Add(chunk(true, 10, 10))
	h.Add(chunk(false, 11, 20))
	assert.Equal(t, "nothing", next(&first, 9))
	assert.Equal(t, "true 10 10", next(&first, 10))
	assert.Equal(t, "nothing", next(&first, 19))
	assert.Equal(t, "false 11 20", next(&first, 20))
	h.Add(chunk(true, 20, 20))
	h.Add(chunk(false, 21, 30))
	assert.Equal(t, "nothing", next(&first, 29))
	assert.Equal(t, "false 21 30", next(&first, 30), "without the state")
	var second recording.Cursor
	assert.Equal(t, "true 20 20", next(&second, 25), "the newest state")
	h.Forget(19)
	assert.Equal(t, 40, h.Bytes())
	h.Forget(25)
	assert.Equal(t, 20, h.Bytes())
	assert.Equal(t, "false 21 30", next(&second, 30))

	for i := uint64(3); i < 20; i++ {
		h.Add(chunk(i%4 == 0, 10*i, 10*i))
		assert.LessOrEqual(t, h.Bytes(), 100)
	}
	assert.Equal(t, "true 160 160", next(&first, 1000), "a viewer that fell out of the history")
}

// TestLogOverHours: 100,000 ticks with ever new objects, and one tick with very many changes, leave
// a log as large as it was.
func TestLogOverHours(t *testing.T) {
	l, h := recording.NewLog(0), recording.NewHistory(1<<20)
	large := recording.Values{Texts: []string{strings.Repeat("x", 2<<20)}}
	for tick := uint64(1); tick <= 100_000; tick++ {
		if id := uint32(tick); tick%4 == 0 {
			require.True(t, l.Create(id, 1))
			l.Group(id, 0, &recording.Values{Cells: []uint64{tick}})
			if tick == 2000 {
				l.Group(id, 1, &large)
			}
			l.Delete(id - 40)
		}
		l.Tick(tick)
		if tick%16 == 0 {
			c, ok := l.Cut()
			require.True(t, ok)
			h.Add(c)
		}
		if tick%1600 == 0 {
			c, ok := l.State()
			require.True(t, ok)
			h.Add(c)
			h.Forget(tick - 800)
		}
	}
	objects, buffer := l.Keeps()
	assert.Equal(t, 10, objects)
	assert.LessOrEqual(t, buffer, 1<<20)
	chunks, behind := h.Chunks()
	assert.LessOrEqual(t, chunks, 202)
	assert.Zero(t, behind, "forgotten chunks are free")
	assert.Less(t, h.Bytes(), 100_000)
	h.Forget(1 << 62)
	assert.Positive(t, h.Bytes(), "the newest state stays")
}

// TestDamage: every cut and every flipped bit ends in a sentence, and everything before it plays.
func TestDamage(t *testing.T) {
	l := recording.NewLog(0)
	l.Create(1, 1)
	l.Tick(1)
	l.Cut()
	s, _ := l.State()
	l.Group(1, 1, &recording.Values{Cells: []uint64{5}, Texts: []string{"text"}})
	l.Tick(2)
	c, _ := l.Cut()
	state, all := s.Bytes(), append(s.Bytes(), c.Bytes()...)
	for n := range all {
		var p recording.Player
		_, err := p.Write(all[:n])
		require.NoError(t, err)
		lines := play(t, &p)
		assert.Equal(t, n >= len(state), len(lines) > 0, "%d bytes", n)
	}
	for bit := range 8 * len(all) {
		b := append([]byte{}, all...)
		b[bit/8] ^= 1 << (bit % 8)
		var p recording.Player
		_, err := p.Write(b)
		lines := 0
		for played := true; played && err == nil; lines++ {
			played, err = p.Step(&tape{})
		}
		if err == nil { // a length that is longer now: the rest has yet to come
			assert.Less(t, lines, 3, "bit %d", bit)
		}
	}
}

// TestEmptyChunksAreDamage: they would cost a player memory, and never be played.
func TestEmptyChunksAreDamage(t *testing.T) {
	var p recording.Player
	c := recording.Chunk{First: 1, Last: 1}
	_, err := p.Write(c.Bytes())
	assert.EqualError(t, err, "the recording is damaged")
}

// TestLimits: a log that grows too large says so, and a player takes no more than its limits.
func TestLimits(t *testing.T) {
	l := recording.NewLog(0)
	rng := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 1<<20)
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	for i := range 17 {
		l.Block(i, noise)
	}
	l.Tick(1)
	_, ok := l.Cut()
	assert.False(t, ok)
	_, ok = l.State()
	assert.False(t, ok)

	var p recording.Player
	big := recording.NewLog(0)
	for i := range 15 {
		big.Block(i, noise)
	}
	big.Tick(1)
	big.Drop()
	s, ok := big.State()
	require.True(t, ok)
	var err error
	state := s.Bytes()
	for n := 0; err == nil; n++ {
		require.Less(t, n, 10)
		_, err = p.Write(state)
	}
	assert.EqualError(t, err, "a part of the recording has more than 16 MiB")
}

// FuzzPlayer plays any bytes: damage is an error, never a panic.
func FuzzPlayer(f *testing.F) {
	l := recording.NewLog(0)
	l.Create(1, 1)
	l.Group(1, 1, &recording.Values{Cells: []uint64{5}, Texts: []string{"text"}, Raw: []byte{1}, Bits: 3})
	l.Command([]byte("say"))
	l.Keep("key", []byte("say"))
	l.View(recording.View{Object: 1})
	l.Voice(&recording.Voice{Name: "Ann", Data: []byte("frame")})
	l.Tick(1)
	l.Cut()
	s, _ := l.State()
	f.Add(s.Bytes(), false)
	f.Add([]byte{1, 4, 0, 1, 1, 1, 5, 1, 1, 1, 10, 0, 0, 0, 1}, true)
	f.Fuzz(func(t *testing.T, b []byte, entries bool) {
		var p recording.Player
		if entries { // as the contents of a whole state
			c := recording.StateOf(append([]byte{1}, b...))
			b = c.Bytes()
		}
		if _, err := p.Write(b); err != nil {
			return
		}
		for {
			if played, err := p.Step(mute{}); !played || err != nil {
				return
			}
		}
	})
}
