package store

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// owner is a mod that has values and nothing else.
type owner struct {
	mod    *vm.Mod
	values *bind.Binding
}

func (x *owner) Values() *bind.Binding { return x.values }

func (*owner) Property(string) func(*engine.Connection) lua.LValue { return nil }

func (*owner) Callback(sim.Object, string) *lua.LFunction { return nil }

func (*owner) SetCallback(sim.Object, string, *lua.LFunction) {}

// storeExt returns an owner that can make values.
func storeExt(t testing.TB) *owner {
	x := &owner{}
	h := vm.New(vm.Config{Side: vm.Server, OnModCreated: func(m *vm.Mod) {
		x.mod = m
		m.Binding = x
		x.values = bind.New(&bind.Env{MaxTags: 1000}, m, x)
	}})
	h.Install(bind.VecLib(), bind.TagsLib())
	h.NewMod("m", nil)
	return x
}

// storedOf evaluates a Lua expression with vec, rot and tag, and encodes the value.
func (x *owner) storedOf(t testing.TB, code string) ([]byte, error) {
	fn, err := x.mod.Compile("m", "return "+code, true)
	require.NoError(t, err, code)
	out, err := x.mod.Runtime.EnterWith(x.mod.Runtime.Limits().Load, x.mod, fn)
	require.NoError(t, err, code)
	return Encode(out[0])
}

func TestStoredBytes(t *testing.T) {
	x := storeExt(t)
	x.mod.SetGlobal("hi", x.values.Tag(sim.Tag("hi")))
	for _, c := range []struct{ code, bytes string }{
		{`true`, "0174"},
		{`false`, "0166"},
		{`1`, "016902"},
		{`-3`, "016905"},
		{`0.5`, "016e000000000000e03f"},
		{`-0`, "016e0000000000000080"},
		{`2^53`, "016e0000000000004043"},
		{`1/0`, "016e000000000000f07f"},
		{`""`, "017300"},
		{`"a\0b"`, "017303610062"},
		{`hi`, "0167026869"},
		{`{}`, "017b00"},
		{`{5, 6}`, "017b0269026" + "90a" + "69046" + "90c"},
		{`{b = 1, a = 2, [true] = 3, [false] = 4, [0.5] = 5}`, "017b05" + "6e000000000000e03f690a" + "7301616904" + "7301626902" + "666908" + "746906"},
	} {
		got, err := x.storedOf(t, c.code)
		require.NoError(t, err, c.code)
		assert.Equal(t, c.bytes, hex.EncodeToString(got), c.code)
		v, err := Decode(x.values, got)
		require.NoError(t, err, c.code)
		again, err := Encode(v)
		require.NoError(t, err)
		assert.Equal(t, got, again, c.code)
		assert.NoError(t, Check("k", got))
	}
	for _, v := range []lua.LValue{x.values.Vec(sim.Vec3{X: 1, Y: -2.5, Z: 1e300}), x.values.Rot(sim.Rot{Yaw: 90, Pitch: -1, Roll: 0.25}), x.values.Tag(sim.Tag("t"))} {
		b, err := Encode(v)
		require.NoError(t, err)
		back, err := Decode(x.values, b)
		require.NoError(t, err)
		assert.Equal(t, v.(*lua.LUserData).Value, back.(*lua.LUserData).Value)
	}
	nan, err := Encode(lua.LNumber(math.NaN()))
	require.NoError(t, err)
	back, err := Decode(x.values, nan)
	require.NoError(t, err)
	assert.True(t, math.IsNaN(float64(back.(lua.LNumber))))
}

// TestEqualTablesHaveEqualBytes checks that equal tables have the same bytes, in whatever order
// they were filled.
func TestEqualTablesHaveEqualBytes(t *testing.T) {
	x := storeExt(t)
	one, err := x.storedOf(t, `(function() local t = {} for i = 1, 300 do t["k" .. i] = i; t[i * 7] = i end return t end)()`)
	require.NoError(t, err)
	two, err := x.storedOf(t, `(function() local t = {} for i = 300, 1, -1 do t[i * 7] = i; t["k" .. i] = i end return t end)()`)
	require.NoError(t, err)
	assert.Equal(t, one, two)
}

func TestUnstorableValues(t *testing.T) {
	x := storeExt(t)
	for _, c := range []struct{ code, says string }{
		{`function() end`, "a function cannot be stored"},
		{`{players = {{on = function() end}}}`, "a function cannot be stored, at .players[1].on"},
		{`{["a b"] = {[2.5] = coroutine.create(function() end)}}`, `a thread cannot be stored, at ["a b"][2.5]`},
		{`setmetatable({}, {})`, "a table with a metatable cannot be stored"},
		{`(function() local t = {} t.me = t return t end)()`, "a table that contains itself cannot be stored, at .me"},
		{`{{{{{{{{{}}}}}}}}}`, "nested deeper than 8"},
		{`(function() local t = {} for i = 1, 16385 do t[i] = i end return t end)()`, "more than 16384 table entries"},
		{`(function() local t = {} for i = 1, 160 do t[i] = {} for j = 1, 110 do t[i][j] = j end end return t end)()`, "more than 16384 table entries"},
		{`("x"):rep(524288)`, "a stored value must have at most 524288 bytes"},
		{`{("x"):rep(270000), ("y"):rep(270000)}`, "a stored value must have at most 524288 bytes, at [2]"},
		{`{[vec] = 1}`, "a key of a stored table must be a string, a number or a boolean, not a function"},
		{`{{[100000] = 1}, {[100000] = 1}}`, "must add up to at most 131072"},
	} {
		_, err := x.storedOf(t, c.code)
		assert.ErrorContains(t, err, c.says, c.code)
	}
	_, err := Encode(x.values.Userdata(&bind.Handle{ID: 3}, nil))
	assert.ErrorContains(t, err, "an object cannot be stored")
	for _, code := range []string{`{{{{{{{{}}}}}}}}`, `("x"):rep(524200)`, `{[131072] = 1}`, `(function() local t = {} for i = 1, 16384 do t[i] = i end return t end)()`} {
		b, err := x.storedOf(t, code)
		require.NoError(t, err, code)
		_, err = Decode(x.values, b)
		assert.NoError(t, err, "what can be stored can be read: %s", code)
	}
}

func TestDamagedValues(t *testing.T) {
	for text, says := range map[string]string{
		"":                                 "damaged",
		"01":                               "damaged",
		"00" + "74":                        "damaged",
		"02" + "74":                        "a newer torc wrote it",
		"0174" + "74":                      "damaged",
		"0178":                             "damaged",
		"0169":                             "damaged",
		"0169ffffffffffffffffff7f":         "damaged",
		"016effff":                         "damaged",
		"0173ff":                           "damaged",
		"0173ffffffffffffffffff01":         "damaged",
		"017305" + "61":                    "damaged",
		"0167818080" + "01":                "damaged",
		"017bffffff7f":                     "damaged",
		"017b01" + "74":                    "damaged",
		"017b02" + "69026902" + "69026902": "damaged", // duplicate key
		"017b02" + "69046902" + "69026902": "damaged", // not in order
		"017b01" + "6e000000000000f87f74":  "damaged", // NaN as a key
		"017b01" + "7b0074":                "damaged", // a table as a key
		"01" + strings.Repeat("7b016902", 9) + "74":                                          "damaged",
		"017b02" + "6902" + "7b01" + "6980897a" + "74" + "6904" + "7b01" + "6980897a" + "74": "damaged", // two million slots
	} {
		b, err := hex.DecodeString(text)
		require.NoError(t, err)
		assert.ErrorContains(t, Check("k", b), says, text)
	}
	many := binary.AppendUvarint([]byte{1, codeTable}, 16_385)
	for i := range 16_385 {
		many = append(binary.AppendVarint(append(many, codeInteger), int64(i)), codeTrue)
	}
	assert.ErrorContains(t, Check("k", many), "damaged")
	assert.ErrorContains(t, Check("", []byte{1, 't'}), "a key must have 1 to 256 bytes")
	assert.ErrorContains(t, Check(strings.Repeat("k", 257), []byte{1, 't'}), "a key must have 1 to 256 bytes, not 257")
}

// FuzzStored checks that no bytes cause a panic or more memory than allowed, and that a decoded
// value encodes to the same bytes.
func FuzzStored(f *testing.F) {
	x := storeExt(f)
	for _, code := range []string{"{1, 2, {a = true, b = {0.5, \"x\"}}}", "{[100000] = 1}", "-1", "{[false] = {}, [-0.5] = 2^60}"} {
		b, err := x.storedOf(f, code)
		require.NoError(f, err)
		f.Add(b)
	}
	f.Add([]byte{1, codeVec, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Add([]byte{1, codeTag, 2, 'h', 'i'})
	f.Add([]byte{1, codeTable, 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, b []byte) {
		var before, after runtime.MemStats
		if len(b) < 64 {
			runtime.ReadMemStats(&before)
		}
		v, err := Decode(x.values, b)
		if len(b) < 64 {
			runtime.ReadMemStats(&after)
			if grown := after.TotalAlloc - before.TotalAlloc; grown > 32<<20 {
				t.Fatalf("%d bytes made it allocate %d", len(b), grown)
			}
		}
		if (err == nil) != (Check("k", b) == nil) {
			t.Fatal("the check and the reader do not agree")
		}
		if err != nil {
			return
		}
		again, err := Encode(v)
		if err != nil {
			t.Fatalf("%x was read and cannot be written: %v", b, err)
		}
		back, err := Decode(x.values, again)
		if err != nil {
			t.Fatalf("%x became %x: %v", b, again, err)
		}
		if third, _ := Encode(back); string(third) != string(again) {
			t.Fatalf("%x became %x and then %x", b, again, third)
		}
	})
}

func BenchmarkStored(b *testing.B) {
	x := storeExt(b)
	for name, code := range map[string]string{"number": "7", "record": `{name = "Someone", kills = 12, deaths = 3, at = {1.5, 2.5, 3.5}, flags = {true, false}}`} {
		bytes, err := x.storedOf(b, code)
		require.NoError(b, err)
		v, err := Decode(x.values, bytes)
		require.NoError(b, err)
		b.Run(fmt.Sprintf("write-%s", name), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Encode(v)
			}
		})
		b.Run(fmt.Sprintf("read-%s", name), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Decode(x.values, bytes)
			}
		})
	}
}

// TestLongValuesCostTheirLimit: whoever encodes a value with a limit does not pay for what is
// beyond it, however the value is long.
func TestLongValuesCostTheirLimit(t *testing.T) {
	x := storeExt(t)
	value := func(code string) lua.LValue {
		fn, err := x.mod.Compile("m", "return "+code, true)
		require.NoError(t, err, code)
		out, err := x.mod.Runtime.EnterWith(x.mod.Runtime.Limits().Load, x.mod, fn)
		require.NoError(t, err, code)
		return out[0]
	}
	for _, code := range []string{`("x"):rep(100000)`, `{("x"):rep(600), ("x"):rep(600)}`, `(function() local t = {} for i = 1, 10000 do t[i] = i end return t end)()`, `(function() local t = {} for i = 1, 10000 do t["k" .. i] = true end return t end)()`} {
		_, size, err := EncodeWithin(value(code), 1024)
		require.ErrorIs(t, err, ErrTooLong, code)
		assert.Less(t, size, 1024+entryOverhead*1024/entryBytes+700, code)
		assert.ErrorContains(t, err, "must have at most 1024 bytes", code)
	}
	b, size, err := EncodeWithin(value(`("x"):rep(1020)`), 1024)
	require.NoError(t, err)
	assert.Len(t, b, 1024)
	assert.Equal(t, 1024, size)
	_, _, err = EncodeWithin(value(`("x"):rep(1021)`), 1024)
	assert.ErrorIs(t, err, ErrTooLong)
}
