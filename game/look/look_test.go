package look_test

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game/look"
)

// element makes a table as Lua does: the kind, then names and values in turn.
func element(kind string, pairs ...any) *sim.Tree {
	t := &sim.Tree{List: []any{sim.String(kind)}, Named: map[string]any{}}
	for i := 0; i < len(pairs); i += 2 {
		t.Named[pairs[i].(string)] = pairs[i+1]
	}
	return t
}

func list(elements ...any) *sim.Tree { return &sim.Tree{List: elements} }

func number(f float64) sim.Value { return sim.Number(f) }

func TestPackedLookHasWhatWasDeclared(t *testing.T) {
	text, err := look.Form.Pack(list(
		element("box", "size", number(2), "at", sim.Vec(sim.Vec3{X: -0.17, Z: 1.256}), "color", sim.String("#ff00c8"), "glow", number(1.5), "near", sim.Bool(true)),
		element("label", "text", sim.String("Zoë <b>"), "rotation", sim.Rotation(sim.Rot{Yaw: 90})),
		element("cone", "color", sim.String("dark"), "motion", sim.String("aim"), "when", sim.String("open")),
		element("explosion", "smoke", sim.Bool(false), "size", number(0.5)),
		element("sound", "wave", sim.String("noise"), "reach", number(200)),
	))
	require.NoError(t, err)
	l, ok := look.Decode(text)
	require.True(t, ok)
	require.Len(t, l.Elements, 5)
	box := l.Elements[0]
	assert.Equal(t, look.Element{Kind: look.Box, Size: sim.Vec3{X: 2, Y: 2, Z: 2}, At: sim.Vec3{X: -0.17, Z: 1.26}, Color: 0xff00c8, Glow: 1.5, Near: true}, box)
	assert.Equal(t, "Zoë <b>", l.Elements[1].Text)
	assert.Equal(t, 90.0, l.Elements[1].Rotation.Yaw)
	assert.Equal(t, look.Dark, l.Elements[2].Color)
	assert.Equal(t, "aim", l.Elements[2].Motion)
	assert.Equal(t, "open", l.Elements[2].When)
	assert.False(t, l.Elements[3].Smoke)
	assert.Equal(t, 0.5, l.Elements[3].Width)
	assert.Equal(t, "noise", l.Elements[4].Wave)
	assert.Equal(t, 440.0, l.Elements[4].Pitch, "what is not named has its standard value")
	assert.Less(t, len(text), 120)

	again, ok := look.Form.Unpack(text)
	require.True(t, ok)
	assert.Equal(t, element("explosion", "smoke", sim.Bool(false), "size", number(0.5)), again.List[3])
	packed, err := look.Form.Pack(again)
	require.NoError(t, err)
	assert.Equal(t, text, packed)
}

func TestWrongLooksAreRefusedByName(t *testing.T) {
	many := make([]any, look.MaxElements+1)
	for i := range many {
		many[i] = element("box")
	}
	long := make([]any, look.MaxElements)
	for i := range long {
		long[i] = element("label", "text", sim.String(strings.Repeat("x", 32)), "when", sim.String(strings.Repeat("y", 32)))
	}
	for _, c := range []struct {
		table *sim.Tree
		want  string
	}{
		{list(element("bxo")), `look: element 1: unknown kind "bxo", did you mean "box"?`},
		{list(element("box"), element("box", "size", number(1e9))), `look: element 2 (box): size must be a number or a vec of 0.01 to 200 m, got 1000000000`},
		{list(element("box", "at", sim.Vec(sim.Vec3{X: math.NaN()}))), `look: element 1 (box): at must be a vec of -100 to 100 m, got vec(NaN 0 0)`},
		{list(element("box", "size", number(math.Inf(1)))), `look: element 1 (box): size must be a number or a vec of 0.01 to 200 m, got inf`},
		{list(element("box", "colour", sim.String("red"))), `look: element 1 (box): unknown attribute "colour", did you mean "color"?`},
		{list(element("box", "color", sim.String("#ff"))), `look: element 1 (box): color must be a color such as "#ff8800", "red" or "team", got "#ff"`},
		{list(element("box", "color", number(1))), `look: element 1 (box): color must be a color such as "#ff8800", "red" or "team", got 1`},
		{list(element("box", "wave", sim.String("saw"))), `look: element 1 (box): unknown attribute "wave": it must be one of when, at, size, rotation, color, glow, spin, bob, motion, pivot, near`},
		{list(element("sound", "wave", sim.String("saww"))), `look: element 1 (sound): wave must be one of sine, triangle, square, saw, noise, got "saww"`},
		{list(element("label", "text", sim.String(strings.Repeat("x", 33)))), `look: element 1 (label): text must be a string of at most 32 bytes, got "` + strings.Repeat("x", 33) + `"`},
		{list(element("label", "text", sim.String("\xff"))), `look: element 1 (label): text must be a string of at most 32 bytes, got "\xff"`},
		{list(element("box", "near", list())), `look: element 1 (box): near must be true or false, got a table`},
		{list(number(3)), `look: element 1 must be a table such as { "box", size = 1 }, got 3`},
		{list(list()), `look: element 1 must have one value without a name, its kind, as in { "box", size = 1 }: it has 0`},
		{&sim.Tree{Named: map[string]any{"parts": list()}}, `look must be a list of elements, got the key "parts"`},
		{list(many...), `look has 65 elements: it must have at most 64`},
		{list(long...), `look takes 4482 bytes: it must take at most 4096`},
	} {
		_, err := look.Form.Pack(c.table)
		assert.EqualError(t, err, c.want)
	}
}

// raw makes a text of one element from its kind, mask and value bytes.
func raw(kind byte, mask uint64, values ...byte) string {
	rest := append(binary.AppendUvarint(nil, mask), values...)
	return string(append(binary.AppendUvarint([]byte{1, 1, kind}, uint64(len(rest))), rest...))
}

func TestDecodeLimitsWhatArrives(t *testing.T) {
	huge := binary.AppendVarint(nil, math.MaxInt64)
	l, ok := look.Decode(raw(byte(look.Box), 1<<2, append(append(huge, huge...), huge...)...))
	require.True(t, ok)
	assert.Equal(t, sim.Vec3{X: 200, Y: 200, Z: 200}, l.Elements[0].Size)
	l, ok = look.Decode(raw(byte(look.Box), 1<<4, binary.AppendUvarint(nil, math.MaxUint64)...))
	require.True(t, ok)
	assert.EqualValues(t, 0xffffff, l.Elements[0].Color)
	l, ok = look.Decode(raw(200, 0, 1, 2, 3))
	assert.True(t, ok && len(l.Elements) == 0, "a kind of the future is skipped")
	l, ok = look.Decode(raw(byte(look.Box), 1<<40, 7))
	assert.True(t, ok && len(l.Elements) == 1, "an attribute of the future is skipped")
	for name, text := range map[string]string{
		"nothing": "", "another version": "\x02\x00", "cut off": "\x01\x02", "more elements than allowed": "\x01\x41" + strings.Repeat("\x01\x01\x00", 65), "a length beyond the end": "\x01\x01\x01\x7f",
		"bytes after the end": "\x01\x00x", "an attribute of another kind": raw(byte(look.Box), 1<<22, 0), "a text that is too long": raw(byte(look.Label), 1<<11, 33),
		"an endless number": "\x01" + strings.Repeat("\xff", 20), "too many bytes": "\x01\x00" + strings.Repeat("x", look.MaxText),
	} {
		_, ok := look.Decode(text)
		assert.False(t, ok, name)
	}
}

// TestDecodeAllocatesByBytes: a text cannot make a client allocate more than some elements per
// byte.
func TestDecodeAllocatesByBytes(t *testing.T) {
	text := "\x01\x40\x01\x01\x00" // says 64 elements and has one
	assert.LessOrEqual(t, testing.AllocsPerRun(100, func() { look.Decode(text) }), 3.0)
}

func FuzzDecode(f *testing.F) {
	for _, class := range look.StockClasses() {
		f.Add(look.Stock(class).Text())
	}
	f.Add(raw(byte(look.Label), 1<<11, 2, 'h', 'i'))
	f.Fuzz(func(t *testing.T, text string) {
		l, ok := look.Decode(text)
		if !ok {
			return
		}
		require.LessOrEqual(t, len(l.Elements), look.MaxElements)
		table, ok := look.Form.Unpack(text)
		require.True(t, ok)
		packed, err := look.Form.Pack(table)
		if err != nil && len(packed) == 0 {
			require.ErrorContains(t, err, "bytes", "every value of a decoded look is valid")
			return
		}
		again, ok := look.Decode(packed)
		require.True(t, ok)
		require.Equal(t, l.Elements, again.Elements)
	})
}

func TestStockLooksAreSmallAndValid(t *testing.T) {
	for _, class := range look.StockClasses() {
		l := look.Stock(class)
		require.NotNil(t, l, class)
		assert.NotEmpty(t, l.Elements, class)
		assert.Less(t, len(l.Text()), 500, class)
	}
	assert.Nil(t, look.Stock("Unheard"))
}

func TestColorsOfTeams(t *testing.T) {
	assert.EqualValues(t, 0xff5549, look.Team.Of(1))
	assert.EqualValues(t, 0x3f97ff, look.Team.Of(18), "teams beyond the last one begin again")
	assert.EqualValues(t, 0x6b231e, look.Dark.Of(1))
	assert.EqualValues(t, 0x123456, look.Color(0x123456).Of(1))
}
