package recording_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/recording"
	"github.com/torc-engine/torc/internal/testenv"
)

var header = recording.Header{
	Protocol: 4, Classes: 1 << 63, Began: 1_700_000_000_000, Program: "0.1.0", Server: "a server", Mission: "valley",
	Mods: []recording.Mod{{"base", "1.0.0"}, {"ctf", "1.2.0"}},
}

// newDemo returns a file of some ticks, with a state every 100 ticks.
func newDemo(t testing.TB, ticks uint64) []byte {
	l := recording.NewLog(0)
	l.Create(1, 1)
	file := header.Bytes()
	for tick := uint64(1); tick <= ticks; tick++ {
		l.Group(1, 1, &recording.Values{Cells: []uint64{tick}})
		l.Keep("line", []byte{byte(tick)})
		l.View(recording.View{Object: 1, FirstPerson: true, FOV: int(tick % 90)})
		if l.Tick(tick); tick%10 != 0 && tick > 1 {
			continue
		}
		c, ok := l.Cut()
		require.True(t, ok)
		if tick > 1 {
			file = append(file, c.Bytes()...)
		}
		if tick%100 == 0 || tick == 1 {
			s, ok := l.State()
			require.True(t, ok)
			file = append(file, s.Bytes()...)
		}
	}
	return file
}

func open(b []byte) (*recording.File, error) {
	return recording.Open(bytes.NewReader(b), int64(len(b)))
}

// playFrom plays a file from a chunk on. It returns the last tick, and why there are no more.
func playFrom(f *recording.File, i int) (last uint64, err error) {
	var p recording.Player
	for ; i < f.Chunks(); i++ {
		b, err := f.Chunk(i)
		if err == nil {
			_, err = p.Write(b)
		}
		for played := true; played && err == nil; {
			played, err = p.Step(mute{})
		}
		if err != nil {
			return p.Tick(), err
		}
	}
	return p.Tick(), f.Damage
}

func TestDemoFile(t *testing.T) {
	f, err := open(newDemo(t, 400))
	require.NoError(t, err)
	assert.Equal(t, header, f.Header)
	assert.Equal(t, []uint64{1, 400}, []uint64{f.First(), f.Last()})
	last, err := playFrom(f, 0)
	require.NoError(t, err)
	assert.EqualValues(t, 400, last)
	for _, c := range []struct{ tick, state uint64 }{{0, 1}, {1, 1}, {99, 1}, {100, 100}, {101, 100}, {399, 300}, {400, 400}, {1e6, 400}} {
		i := f.StateBefore(c.tick)
		assert.True(t, f.Repeats(i, c.state), "the state before tick %d is that of tick %d", c.tick, c.state)
		b, err := f.Chunk(i)
		require.NoError(t, err)
		var p recording.Player
		_, err = p.Write(b)
		require.NoError(t, err)
		lines := strings.Join(play(t, &p), "\n")
		assert.EqualValues(t, c.state, p.Tick())
		assert.Contains(t, lines, fmt.Sprintf("command %q", []byte{byte(c.state)}), "what lasts")
		assert.Contains(t, lines, "view {1 true")
	}
}

// TestHeaderByThePage pins a header to the bytes that docs/recording.md describes.
func TestHeaderByThePage(t *testing.T) {
	h := recording.Header{Protocol: 4, Classes: 300, Began: 1, Program: "p", Server: "s", Mission: "m", Player: "q", Mods: []recording.Mod{{"a", "1"}}}
	body := []byte{4, 0xac, 2, 1, 1, 'p', 1, 's', 1, 'm', 1, 'q', 1, 1, 'a', 1, '1'}
	head := append([]byte("torcdemo"), 1, byte(len(body)))
	sum := crc32.Checksum(append(bytes.Clone(head), body...), crc32.MakeTable(crc32.Castagnoli))
	assert.Equal(t, append(binary.LittleEndian.AppendUint32(head, sum), body...), h.Bytes())
}

// TestLongHeader checks that a header with long texts and many mods is cut to the limits, and
// readable.
func TestLongHeader(t *testing.T) {
	h := header
	h.Server = strings.Repeat("x", 1000)
	h.Mission = "x" + strings.Repeat("é", 1000)
	h.Mods = slices.Repeat([]recording.Mod{{"a", "1"}}, 300)
	f, err := open(append(h.Bytes(), newDemo(t, 1)[len(header.Bytes()):]...))
	require.NoError(t, err)
	assert.Equal(t, h.Server[:256], f.Header.Server)
	assert.Equal(t, "x"+strings.Repeat("é", 127), f.Header.Mission, "it ends with a whole character")
	assert.Equal(t, h.Mods[:256], f.Header.Mods)
}

// TestHeaderHasClasses: a header has the classes of its program. It does without them if they are
// too many, and one that was written before there were any is read, too.
func TestHeaderHasClasses(t *testing.T) {
	chunks := newDemo(t, 1)[len(header.Bytes()):]
	rng := rand.NewChaCha8([32]byte{})
	for _, c := range []struct {
		bytes int
		want  bool
	}{{0, false}, {1, true}, {1 << 19, true}, {1 << 20, false}, {1<<20 + 1, false}} {
		h := header
		h.List = make([]byte, c.bytes)
		_, _ = rng.Read(h.List) // random bytes cannot be compressed
		f, err := open(append(h.Bytes(), chunks...))
		require.NoError(t, err, c.bytes)
		if !c.want {
			h.List = nil
		}
		assert.Equal(t, h, f.Header)
	}
	small := header
	small.List = make([]byte, 1<<20)
	f, err := open(append(small.Bytes(), chunks...))
	require.NoError(t, err)
	assert.Equal(t, small, f.Header, "much that is short when compressed")
}

// TestFileWithoutAChunk: a file ends where a chunk is missing, and a later state of the file does
// not count.
func TestFileWithoutAChunk(t *testing.T) {
	whole := newDemo(t, 400)
	size, last := chunkEnds(t, whole)
	f, err := open(slices.Delete(bytes.Clone(whole), size[5], size[6]))
	require.NoError(t, err)
	assert.EqualError(t, f.Damage, "the recording is damaged")
	assert.Equal(t, []uint64{5, last[5]}, []uint64{uint64(f.Chunks()), f.Last()})
}

// TestForeignFiles: each file that is no demo gets one sentence.
func TestForeignFiles(t *testing.T) {
	whole := newDemo(t, 400)
	flip := func(at int) []byte {
		b := bytes.Clone(whole)
		b[at] ^= 1
		return b
	}
	for _, c := range []struct {
		file []byte
		want string
	}{
		{nil, "this file is no demo of torc"},
		{[]byte("torcdem"), "this file is no demo of torc"},
		{[]byte(strings.Repeat("PK\x03\x04", 1000)), "this file is no demo of torc"},
		{[]byte("torcdemo"), "the demo ends within its header"},
		{[]byte("torcdemo\x01"), "the demo ends within its header"},
		{[]byte("torcdemo\x07 whatever"), "the demo has format 7, and this torc plays format 1"},
		{whole[:30], "the demo ends within its header"},
		{flip(20), "the header of the demo is damaged"},
		{whole[:len(header.Bytes())], "the demo is damaged from its beginning: nothing of it can be played"},
		{flip(len(header.Bytes())), "the demo is damaged from its beginning: nothing of it can be played"},
	} {
		_, err := open(c.file)
		assert.EqualError(t, err, c.want)
	}
}

// chunkEnds returns the size of a file up to the end of each chunk, and the last tick up to there.
// The first ones are those of the header.
func chunkEnds(t *testing.T, whole []byte) (size []int, last []uint64) {
	f, err := open(whole)
	require.NoError(t, err)
	size, last = []int{len(header.Bytes())}, []uint64{0}
	var p recording.Player
	for i := range f.Chunks() {
		b, err := f.Chunk(i)
		require.NoError(t, err)
		_, _ = p.Write(b)
		play(t, &p)
		size, last = append(size, size[i]+len(b)), append(last, p.Tick())
	}
	return size, last
}

// TestDemosPlayToTheCut cuts a demo at 1,000 random bytes, as the end of a process does: all whole
// chunks before the cut play.
func TestDemosPlayToTheCut(t *testing.T) {
	whole := newDemo(t, 400)
	size, last := chunkEnds(t, whole)
	rng := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		cut := size[1] + rng.IntN(len(whole)-size[1])
		f, err := open(whole[:cut])
		require.NoError(t, err)
		n := f.Chunks()
		require.LessOrEqual(t, size[n], cut)
		require.Greater(t, size[n+1], cut)
		played, err := playFrom(f, 0)
		require.Equal(t, last[n], played)
		if size[n] < cut {
			require.EqualError(t, err, "the demo is cut off")
		}
	}
}

// TestDemosPlayToTheDamage flips bits: everything before plays, and the damage is one sentence.
func TestDemosPlayToTheDamage(t *testing.T) {
	whole := newDemo(t, 400)
	size, last := chunkEnds(t, whole)
	rng := rand.New(rand.NewPCG(1, 1))
	for range testenv.Length(500, 2000) {
		at := size[1] + rng.IntN(len(whole)-size[1])
		b := bytes.Clone(whole)
		b[at] ^= 1 << rng.IntN(8)
		f, err := open(b)
		require.NoError(t, err)
		played, err := playFrom(f, 0)
		before := sort.SearchInts(size, at+1) - 1 // chunks that end before the flipped bit
		require.GreaterOrEqual(t, played, last[before])
		if err != nil {
			require.Regexp(t, "^the (recording is damaged|demo is cut off)$", err.Error())
		}
	}
}

// FuzzFile opens and plays any bytes: damage is an error, never a panic.
func FuzzFile(f *testing.F) {
	f.Add(newDemo(f, 20))
	f.Add([]byte("torcdemo\x01"))
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := open(b)
		if err != nil {
			return
		}
		_, _ = playFrom(file, 0)
		_, _ = playFrom(file, file.StateBefore(file.Last()))
	})
}
