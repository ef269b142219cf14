package vm

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestGotosCloseLocals checks that a goto or break separates closures from the locals that go out
// of scope, and from no others.
func TestGotosCloseLocals(t *testing.T) {
	for source, want := range map[string]string{
		"local x = 1 local f = function() return x end goto l ::l:: x = 2 return f()":                                                                                       "2",
		"local n = 0 local f = function() n = n + 1 end for i = 1, 3 do if i == 2 then goto c end f() ::c:: end return n":                                                   "2",
		"local n = 0 local f = function() n = n + 1 end for _, i in ipairs {1, 2, 3} do local w = i if i == 2 then goto c end f() ::c:: end f() return n":                   "3",
		"local n, fs = 0, {} ::top:: local x = n fs[#fs + 1] = function() x = x + 10 return x end n = n + 1 if n < 3 then goto top end return fs[1](), fs[2](), fs[3](), x": "10 11 12 12",
		"local fs = {} for i = 1, 3 do local x = i fs[i] = function() x = x + 1 return x end if i == 2 then goto c end x = 10 ::c:: end return fs[1](), fs[2](), fs[3]()":   "11 3 11",
		"local n = 0 local function up() n = n + 1 end do do goto out end ::never:: end ::out:: up() return n":                                                              "1",
		"local n = 0 local f = function() n = n + 1 end do goto l do ::l:: end ::l:: f() end return n":                                                                      "1",
		"local n = 0 while n < 5 do local m = n local f = function() m = m + 1 return m end n = f() if n < 3 then goto c end n = f() ::c:: end return n":                    "6",
		"local a, t = 1, {function() goto l ::l:: end} local f = function() return a end goto l ::l:: a = 2 t[1]() return f()":                                              "2",
		// A break goes out of the scope of locals too.
		"local f for i = 1, 3 do if i == 2 then local x = i * 10 f = function() return x end break end end local a, b, c, d, e, g = 1, 2, 3, 4, 5, 6 return f()":                                           "20",
		"local f for _, i in ipairs {1, 2} do do local x = i * 10 f = function() x = x + 1 return x end break end end local a, b, c, d, e, g, h = 1, 2, 3, 4, 5, 6, 7 f() return f(), a, b, c, d, e, g, h": "12 1 2 3 4 5 6 7",
		"local f, n = nil, 0 while true do local y = 7 if n == 0 then local x = 5 f = function() return x + y end break end end local a, b, c, d = 1, 2, 3, 4 return f()":                                  "12",
		"local f repeat do local x = 5 f = function() return x end do break end end until false local a, b, c, d = 1, 2, 3, 4 return f()":                                                                  "5",
		"local f, n = nil, 0 for i = 1, 2 do while true do do local x = i f = f or function() n = n + x return n end break end end end local a, b, c, d, e = 1, 2, 3, 4, 5 return f(), n":                  "1 1",
		"local a = 1 local f = function(b) local g = function() return a + b end goto l ::l:: b = b + 1 a = 5 return g() end return f(10)":                                                                 "16",
	} {
		assert.Equal(t, want, newHostModel(t).ask(source), source)
	}
}

// TestErrorsOfGotosNameTheirLines checks that such an error does not quote the number of a place.
func TestErrorsOfGotosNameTheirLines(t *testing.T) {
	m := New(Config{Side: Server, Seed: 1}).NewMod("x", nil)
	for source, want := range map[string]string{
		"\n\ngoto l\n":                    "no visible label 'l' for <goto> at line 3",
		"do\n::l::\nend\n\ngoto l\n":      "no visible label 'l' for <goto> at line 5",
		"\ngoto l\nlocal x\n::l::\nx = x": "<goto l> at line 2 jumps into the scope of local 'x'",
	} {
		_, err := m.Compile("f.lua", source, false)
		require.Error(t, err, source)
		assert.Contains(t, err.Error(), want, source)
	}
}
