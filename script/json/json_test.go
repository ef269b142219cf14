package json

import (
	stdjson "encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/internal/testenv"
)

// null stands for json.null.
var null = &lua.LUserData{Value: "null"}

// decode decodes a text in pieces of a cost.
func decode(text string, work int) (lua.LValue, error) {
	d := NewDecoder(text, null)
	for {
		if done, err := d.Step(work); done || err != nil {
			return d.Result(), err
		}
	}
}

func encode(v lua.LValue) (string, error) {
	e := Encoder{
		Most: 1 << 20, Budget: 1_000_000, Charge: func(int) {},
		Kind: func(v lua.LValue) string { return "a " + v.Type().String() },
		Text: func(u *lua.LUserData) (string, bool, bool) { return "", u == null, u == null },
		Each: func(t *lua.LTable, do func(k, v lua.LValue)) {
			for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
				do(k, v)
			}
		},
	}
	return e.Encode(v)
}

// plain converts a value to that of encoding/json.
func plain(v lua.LValue) any {
	switch v := v.(type) {
	case lua.LBool:
		return bool(v)
	case lua.LNumber:
		return float64(v)
	case lua.LString:
		return string(v)
	case *lua.LTable:
		if v.Len() > 0 || v.Metatable == lua.LNil && len(fields(v)) == 0 {
			list := make([]any, v.Len())
			for i := range list {
				list[i] = plain(v.RawGetInt(i + 1))
			}
			return list
		}
		return fields(v)
	}
	return nil
}

func fields(t *lua.LTable) map[string]any {
	m := map[string]any{}
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		m[k.String()] = plain(v)
	}
	return m
}

// agree compares both directions with encoding/json. It only allows what encoding/json does
// otherwise: it replaces bytes that are not UTF-8, and nests deeper.
func agree(t *testing.T, text string) {
	var want any
	failed := stdjson.Unmarshal([]byte(text), &want)
	v, err := decode(text, 1<<30)
	piecewise, err2 := decode(text, 1)
	require.Equal(t, err, err2, "%q", text)
	if err != nil {
		if failed == nil && !strings.Contains(err.Error(), "not UTF-8") && !strings.Contains(err.Error(), "nest deeper") {
			t.Fatalf("%q: %v, encoding/json reads it", text, err)
		}
		if strings.ContainsAny(err.Error(), "\x00\n") || !utf8.ValidString(err.Error()) {
			t.Fatalf("no sentence: %q", err)
		}
		return
	}
	require.NoError(t, failed, "%q", text)
	require.Equal(t, want, plain(v), "%q", text)
	require.Equal(t, want, plain(piecewise), "%q", text)
	again, err := encode(v)
	require.NoError(t, err, "%q", text)
	var b strings.Builder
	e := stdjson.NewEncoder(&b)
	e.SetEscapeHTML(false)
	require.NoError(t, e.Encode(want))
	require.Equal(t, strings.TrimSuffix(b.String(), "\n"), again, "%q", text)
}

var texts = []string{
	`null`, `true`, ` false `, `0`, `-0`, `1`, `-1.5e3`, `1e21`, `1e-7`, `123456789012345`, `1234567890123456789`, `0.1`, `5e-324`, `1.7976931348623157e308`, `1e309`, `-1e309`, `2E+2`,
	`""`, `"a\"\\\/\b\f\n\r\té😀"`, `"\u00e9\ud83d\ude00\ud83dx\udc00"`, `"\u2028\u2029<>&"`, `"\u0000\u001f"`, "\"\u2028\"", "\"\xff\"", "\"a\xc3\"", "\"\\n\xff\"", "\"\n\"", `"\x"`, `"\u12g4"`, `"\u12`, `"abc`,
	`[]`, `{}`, `[[]]`, `[{}]`, `{"a":{}}`, `[1,2,[3,[4]]]`, `{"b":1,"a":[true,null],"a":2}`, `{"":0}`, `[1,]`, `[,1]`, `[1 2]`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{a:1}`, `{"a" 1}`, `[1}`, `{"a":1]`, `]`, ``, ` `, `[`, `{`, `[1`, `{"a":1`,
	`01`, `1.`, `.5`, `+1`, `1e`, `1e+`, `-`, `--1`, `0x10`, `NaN`, `Infinity`, `nul`, `truee`, `null null`, "\ufeff1", `[1]]`,
	strings.Repeat("[", 64) + strings.Repeat("]", 64), strings.Repeat("[", 65) + strings.Repeat("]", 65), strings.Repeat(`{"a":`, 65) + "1" + strings.Repeat("}", 65),
}

func TestDecodeAgreesWithEncodingJSON(t *testing.T) {
	for _, text := range texts {
		agree(t, text)
	}
	for _, n := range []int{1, 7, 8, 9, 63, 64, 65, 127, 128, 129, 500} { // around the limits of large objects
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"k%d":[%d]`, i, i)
		}
		agree(t, "{"+b.String()[1:]+"}")
		agree(t, `[{"x":{`+b.String()[1:]+`,"k0":"again"},"y":1}]`)
	}
}

// TestRandomValuesAgreeWithEncodingJSON makes values and damages their text.
func TestRandomValuesAgreeWithEncodingJSON(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range testenv.Length(500, 1500) {
		text := randomText(rng, 4)
		agree(t, text)
		if b := []byte(text); len(b) > 0 {
			b[rng.IntN(len(b))] = "[]{},:\"\\0-.e \xff\n"[rng.IntN(15)]
			agree(t, string(b))
		}
	}
}

func randomText(rng *rand.Rand, depth int) string {
	var parts []string
	switch n := rng.IntN(8); {
	case n == 0 && depth > 0:
		for range rng.IntN(5) {
			parts = append(parts, randomText(rng, depth-1))
		}
		return "[" + strings.Join(parts, " , ") + "]"
	case n <= 2 && depth > 0:
		for range rng.IntN(12) {
			parts = append(parts, fmt.Sprintf("\"k%d\" : %s", rng.IntN(20), randomText(rng, depth-1)))
		}
		return "{" + strings.Join(parts, ",\n") + "}"
	case n == 3:
		return []string{"null", "true", "false"}[rng.IntN(3)]
	case n == 4:
		b, _ := stdjson.Marshal(string([]rune{rune(rng.IntN(0x300)), rune(rng.IntN(0x10ffff)), 'x'}))
		return string(b)
	case n == 5:
		b, _ := stdjson.Marshal(math.Float64frombits(rng.Uint64()&^(0x7ff<<52) | uint64(1+rng.IntN(0x7fe))<<52))
		return string(b)
	}
	return fmt.Sprint(rng.IntN(2000)-1000, ".", rng.IntN(100))[:1+rng.IntN(3)] + "7"
}

func TestMistakesOfATextHaveAPlace(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "line 1, column 1: the text ends too early",
		"[1,\n 2 3]":            "line 2, column 4: expected , or ]",
		`{"a":1 "b":2}`:         "line 1, column 8: expected , or }",
		"{\n\n  a: 1}":          "line 3, column 3: expected a name in quotes",
		`{"a" 1}`:               "line 1, column 6: expected :",
		`[nil]`:                 "line 1, column 2: expected a value",
		`[01]`:                  "line 1, column 3: a number begins with 0",
		`[1.]`:                  "line 1, column 4: expected a digit",
		`[1e999]`:               "line 1, column 2: a number is too large",
		`["a\q"]`:               "line 1, column 4: a bad escape in a string",
		"[\"a\tb\"]":            `line 1, column 4: a string has the control character 9: write \u0009`,
		"[\"a\xffb\"]":          "line 1, column 4: a string has bytes that are not UTF-8",
		`["a`:                   "line 1, column 2: a string does not end",
		`[] []`:                 "line 1, column 4: text after the end",
		strings.Repeat("[", 65): "line 1, column 65: lists and objects nest deeper than 64",
	} {
		_, err := decode(text, 1<<30)
		assert.EqualError(t, err, want, "%q", text)
	}
}

func TestMistakesOfAValueHaveAPlace(t *testing.T) {
	l := lua.NewState()
	defer l.Close()
	for code, want := range map[string]string{
		`0/0`:                         "nan cannot be JSON",
		`{ a = { -1/0 } }`:            ".a[1]: an infinite number cannot be JSON",
		`{ { x = print } }`:           "[1].x: a function cannot be JSON",
		`{ 1, 2, a = 3 }`:             "a table has strings and numbers as keys",
		`{ ["a b"] = { [true] = 1 }}`: `["a b"]: a boolean is a key: keys must be strings, or 1 to n`,
		`{ x = { 1, nil, 3 } }`:       ".x: a list has no value 2: use json.null, or strings as keys",
		`{ [7] = 1 }`:                 "a list has no value 1: use json.null, or strings as keys",
		`{ [1.5] = 1 }`:               "a list has no value 1: use json.null, or strings as keys",
		`{ name = "a\255" }`:          ".name: byte 2 of a string is not UTF-8",
		`{ ["\255"] = 1 }`:            `["\xff"]: byte 1 of a string is not UTF-8`,
		`(function() local t = {} t.t = { t } return t end)()`:                                              ".t[1]: a table contains itself",
		`(function() local t = {} for i = 1, 64 do t = { t } end return t end)()`:                           strings.Repeat("[1]", 64) + ": tables nest deeper than 64",
		`(function() local s = ("x"):rep(60000) local t = {} for i = 1, 20 do t[i] = s end return t end)()`: "the text is longer than 1048576 bytes",
		`(function() local t = {} for i = 1, 60000 do t["k" .. i] = i end return t end)()`:                  "the value takes more than 1000000 instructions: encode its parts",
		`(function() local t = {} for i = 1, 300000 do t[i] = true end return { { t } } end)()`:             "the value takes more than 1000000 instructions: encode its parts",
	} {
		require.NoError(t, l.DoString("return "+code), code)
		_, err := encode(l.Get(-1))
		assert.EqualError(t, err, want, code)
	}
}

func TestEncodedTexts(t *testing.T) {
	l := lua.NewState()
	defer l.Close()
	object := newTable(0, 0)
	require.True(t, MarkObject(object))
	l.SetGlobal("object", object)
	l.SetGlobal("null", null)
	for code, want := range map[string]string{
		`{}`: `[]`, `object`: `{}`, `{ object, {} }`: `[{},[]]`, `null`: `null`, `nil`: `null`, `{ null }`: `[null]`,
		`{ b = 1, a = 2, ["B"] = 3 }`:                     `{"B":3,"a":2,"b":1}`,
		`{ 0.1, 1/3, 1e21, 1e20, 1e-7, -0 }`:              `[0.1,0.3333333333333333,1e+21,100000000000000000000,1e-7,-0]`,
		`{ "é\n\"", "\0" }`:                               `["é\n\"","\u0000"]`,
		`(function() local t = {} return { t, t } end)()`: `[[],[]]`,
	} {
		require.NoError(t, l.DoString("return "+code), code)
		got, err := encode(l.Get(-1))
		require.NoError(t, err, code)
		assert.Equal(t, want, got, code)
	}
}

// TestTheMemoryOfAResultIsCounted compares the count with the heap.
func TestTheMemoryOfAResultIsCounted(t *testing.T) {
	for name, text := range map[string]string{
		"small objects":  list(2000, `{"id":%d,"name":"player"}`),
		"lists":          list(5000, `[%d]`),
		"empty lists":    list(5000, `[]`),
		"empty objects":  list(5000, `{}`),
		"numbers":        list(20_000, `%d`),
		"strings":        list(10_000, `"a string of some length %d"`),
		"objects of 8":   list(1000, `{"a":%[1]d,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8}`),
		"objects of 20":  list(500, `{"a":%[1]d,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":1,"j":2,"k":3,"l":4,"m":5,"n":6,"o":7,"p":8,"q":1,"r":1,"s":1,"t":1}`),
		"a large object": "{" + strings.Trim(list(5000, `"k%d":1`), "[]") + "}",
	} {
		d := NewDecoder(text, null)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		_, err := d.Step(1 << 30)
		require.NoError(t, err)
		v, counted := d.Result(), d.Memory
		*d = Decoder{}
		runtime.GC()
		runtime.ReadMemStats(&after)
		real := int(after.HeapAlloc) - int(before.HeapAlloc)
		assert.InEpsilon(t, real, counted, 0.4, "%s: %d counted, %d used", name, counted, real)
		runtime.KeepAlive(v)
	}
}

func list(n int, form string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = form
		if strings.Contains(form, "%") {
			parts[i] = fmt.Sprintf(form, i)
		}
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// FuzzJSON compares texts with encoding/json.
func FuzzJSON(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) <= 1<<16 {
			agree(t, text)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	for name, text := range map[string]string{
		"84kB":          list(3230, `{"id":1,"name":"player"}`),
		"1MiB-2000":     list(2000, `["`+strings.Repeat("x", 480)+`",%d,1,2,3,4,5,6]`),
		"1MiB-objects":  list(40_000, `{"id":%d,"name":"play"}`),
		"1MiB-nonempty": list(200_000, `[%[1]d]`),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			cost := 0
			for b.Loop() {
				d := NewDecoder(text, null)
				if _, err := d.Step(1 << 30); err != nil {
					b.Fatal(err)
				}
				cost = d.Cost
			}
			b.ReportMetric(float64(cost), "instructions")
		})
	}
}
