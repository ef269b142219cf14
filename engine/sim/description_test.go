package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore/bitstream"
)

func pack(t testing.TB, w *World, o, base Object) []byte {
	out := bitstream.NewWriter(make([]byte, MaxBlockSize))
	w.Blocks.Pack(out, o, base)
	require.NoError(t, out.Err())
	return append([]byte(nil), out.Bytes()...)
}

func unpack(t testing.TB, w *World, b []byte) Object {
	o, err := w.Blocks.Unpack(bitstream.NewReader(b))
	require.NoError(t, err)
	return o
}

// assertSame compares everything that is known of two blocks in two worlds.
func assertSame(t testing.TB, near, far Object) {
	a, b := near.(Datablock).Data(), far.(Datablock).Data()
	require.Equal(t, a.Name(), b.Name())
	require.Equal(t, a.Class().Name, b.Class().Name)
	require.Equal(t, a.Index(), b.Index())
	require.Equal(t, a.Key(), b.Key())
	require.Equal(t, a.Parent(), b.Parent())
	for _, f := range a.Class().AllFields() {
		if f.Bits != 0 { // quantised; all others are exact
			require.InDelta(t, f.Get(near).Number(), f.Get(far).Number(), 0.01)
			continue
		}
		require.True(t, f.same(near, far), "%s: %v, not %v", f.Name, f.Get(near), f.Get(far))
	}
}

// anything returns random values for some of the fields.
func anything(rng *rand.Rand) []row {
	number := func() float64 { return math.Abs(math.Float64frombits(rng.Uint64()&^(1<<62) | 1<<52)) }
	all := []row{
		{"mass", Number(number())}, {"heat", Number(float64(rng.IntN(256)) / 255)}, {"count", Number(float64(rng.IntN(106) - 5))},
		{"lit", Bool(rng.IntN(2) == 0)}, {"at", Vec(Vec3{number(), -number(), 0})}, {"turn", Rotation(Rot{number(), 0, 1})},
		{"label", String(strings.Repeat("äb\x00", rng.IntN(16)))}, {"text", String(strings.Repeat("Some text. ", rng.IntN(200)))},
		{"other", String("plain")}, {"other", Nil()},
	}
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:rng.IntN(len(all))]
}

// TestPackAndUnpackBlocks declares and changes blocks at random and keeps a second world up to
// date. Each block is sent relative to the defaults, to its parent or to any other block.
func TestPackAndUnpackBlocks(t *testing.T) {
	for seed := range testenv.Seeds(t, 40, 300) {
		rng := rand.New(rand.NewPCG(seed, 4))
		near, far := testWorld(t), NewWorld(testClasses(t))
		var key uint64
		for range 4 {
			for range 6 {
				class, parent := []string{"ThingData", "BigData"}[rng.IntN(2)], ""
				if n := near.Blocks.Len(); rng.IntN(2) == 0 {
					parent = near.Blocks.ByIndex(rng.IntN(n)).Ident().Name()
				}
				// Some are refused; the worlds only have to agree.
				_, _, _ = near.Blocks.Declare(class, fmt.Sprint("d", rng.IntN(12)), parent, setter(anything(rng)...))
			}
			for _, o := range near.Blocks.Newer(key) {
				var base Object
				if known := far.Blocks.ByIndex(rng.IntN(near.Blocks.Len())); known != nil && rng.IntN(3) > 0 {
					base = near.Blocks.ByIndex(int(known.(Datablock).Data().Index()))
					if keyOf(base) != keyOf(known) {
						base = nil
					}
				}
				assertSame(t, o, unpack(t, far, pack(t, near, o, base)))
				key = keyOf(o)
			}
			require.Equal(t, near.Blocks.Len(), far.Blocks.Len())
			for _, o := range near.Blocks.Newer(0) {
				assertSame(t, o, far.Blocks.ByIndex(int(o.(Datablock).Data().Index())))
			}
		}
	}
}

func TestDifferenceIsSmall(t *testing.T) {
	near, far := testWorld(t), NewWorld(testClasses(t))
	parent := declare(t, near, "ThingData", "parent", "", row{"text", String(strings.Repeat("x", 100))}, row{"mass", Number(0.1)})
	full := len(pack(t, near, parent, nil))
	unpack(t, far, pack(t, near, parent, nil))
	total, last := 0, parent
	for i := range 500 {
		o := declare(t, near, "ThingData", fmt.Sprint("disc", i), "parent", row{"count", Number(float64(i % 100))})
		b := pack(t, near, o, parent)
		total += len(b)
		assertSame(t, o, unpack(t, far, b))
		last = o
	}
	assert.LessOrEqual(t, total, 500*18, "a block like its parent takes few bytes")
	assert.Less(t, len(pack(t, near, last, parent)), full/3)
	t.Logf("full %d bytes, difference %.1f", full, float64(total)/500)
}

func TestLargeBlock(t *testing.T) {
	near, far := testWorld(t), NewWorld(testClasses(t))
	text := make([]byte, 20<<10)
	rng := rand.New(rand.NewPCG(1, 5))
	for i := range text {
		text[i] = byte(rng.Uint32())
	}
	o := declare(t, near, "ThingData", "large", "", row{"text", String(string(text))})
	b := pack(t, near, o, nil)
	assert.Less(t, len(b), 20<<10+64)
	assertSame(t, o, unpack(t, far, b))
}

func TestUnfitBaseIsNotUsed(t *testing.T) {
	near, far := testWorld(t), NewWorld(testClasses(t))
	plain, big := near.Blocks.ByName("plain"), declare(t, near, "BigData", "big", "")
	for _, base := range []Object{plain, big} { // itself, and a block of another class
		assertSame(t, plain, unpack(t, far, pack(t, near, plain, base)))
	}
}

func TestBaseKeyMustMatch(t *testing.T) {
	near, far := testWorld(t), NewWorld(testClasses(t))
	plain := near.Blocks.ByName("plain")
	o := declare(t, near, "ThingData", "o", "plain", row{"lit", Bool(true)})
	b := pack(t, near, o, plain)
	_, err := far.Blocks.Unpack(bitstream.NewReader(b))
	assert.ErrorIs(t, err, errBlockBase, "it is not there")
	unpack(t, far, pack(t, near, plain, nil))
	assertSame(t, o, unpack(t, far, b))
	near.Blocks.Touch(plain)
	unpack(t, far, pack(t, near, plain, nil))
	_, err = far.Blocks.Unpack(bitstream.NewReader(b))
	assert.ErrorIs(t, err, errBlockBase, "it has changed")
}

func TestClassClash(t *testing.T) {
	near, far := testWorld(t), NewWorld(testClasses(t))
	old, err := far.Blocks.Put(0, far.Classes().Lookup("BigData"), "old")
	require.NoError(t, err)
	o := unpack(t, far, pack(t, near, near.Blocks.ByName("plain"), nil))
	assert.True(t, old.Ident().Dead())
	assert.Equal(t, o, far.Blocks.ByIndex(0))
}

func TestTruncatedBlocksChangeNothing(t *testing.T) {
	near, far := testWorld(t), NewWorld(testClasses(t))
	o := declare(t, near, "ThingData", "a", "plain", anything(rand.New(rand.NewPCG(3, 6)))...)
	unpack(t, far, pack(t, near, near.Blocks.ByName("plain"), nil))
	unpack(t, far, pack(t, near, o, nil))
	before := fieldValues(far.Blocks.ByName("a"))
	require.NoError(t, setter(row{"mass", Number(77)}, row{"text", String("a longer text, so that it takes some bytes")})(o))
	for _, base := range []Object{nil, near.Blocks.ByName("plain")} {
		b := pack(t, near, o, base)
		for n := range b {
			_, err := far.Blocks.Unpack(bitstream.NewReader(b[:n]))
			require.Error(t, err, "%d of %d bytes", n, len(b))
		}
		assert.Equal(t, before, fieldValues(far.Blocks.ByName("a")))
		assert.Equal(t, 2, far.Blocks.Len())
	}
}

func TestPackDoesNotAllocate(t *testing.T) {
	w := testWorld(t)
	o := declare(t, w, "ThingData", "a", "plain", row{"mass", Number(3)}, row{"text", String("some text")})
	out, buf := bitstream.NewWriter(nil), make([]byte, 1024)
	plain := w.Blocks.ByName("plain")
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		out.Reset(buf)
		w.Blocks.Pack(out, o, plain)
		w.Blocks.Pack(out, o, nil)
	}))
}

// FuzzUnpack decodes random data on a client. An accepted block must be complete.
func FuzzUnpack(f *testing.F) {
	near := testWorld(f)
	plain := near.Blocks.ByName("plain")
	f.Add(pack(f, near, plain, nil))
	f.Add(pack(f, near, declare(f, near, "BigData", "b", "plain", row{"size", Number(3)}), plain))
	f.Add([]byte{})
	classes := testClasses(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		far := NewWorld(classes)
		unpack(t, far, pack(t, near, plain, nil))
		o, err := far.Blocks.Unpack(bitstream.NewReader(b))
		if err != nil {
			require.Equal(t, 1, far.Blocks.Len())
			return
		}
		for _, field := range o.Ident().Class().AllFields() {
			_, err := field.accept(o, field.Get(o))
			require.NoError(t, err)
		}
		assertSame(t, o, unpack(t, far, pack(t, far, o, nil)))
	})
}
