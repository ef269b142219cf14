package vm

import (
	"testing"

	"github.com/stretchr/testify/assert"
	lua "github.com/yuin/gopher-lua"
)

// TestLoopsThatBeginWithJumps checks programs for whose loops gopher-lua alone generates jumps to
// wrong places.
func TestLoopsThatBeginWithJumps(t *testing.T) {
	h := New(Config{Side: Server, Seed: 1})
	m := h.NewMod("x", nil)
	for source, want := range map[string]lua.LValue{
		// Code that never runs.
		"for _, v in ipairs {1, 2} do if false then local x end end return 7":                                                                            lua.LNumber(7),
		"for _, v in ipairs {1, 2} do if false then local x = 1 end end return 7":                                                                        lua.LNumber(7),
		"for _, v in ipairs {1, 2} do if nil then local x end end return 7":                                                                              lua.LNumber(7),
		"for _, v in ipairs {1, 2} do if v == 9 then v = 1 elseif false then local x end end return 7":                                                   lua.LNumber(7),
		"local n = 0 for k, v in pairs {a = 1, b = 2} do if false then local x end n = n + v end return n":                                               lua.LNumber(3),
		"local n = 0 for _, a in ipairs {1, 2} do for _, b in ipairs {1, 2} do if false then local x end n = n + b end end return n":                     lua.LNumber(6),
		"local n = 0 for _, a in ipairs {1, 2} do if false and a then local x end n = n + a end return n":                                                lua.LNumber(3),
		"local n = 0 for _, a in ipairs {1, 2} do if false then do local q end end n = n + a end return n":                                               lua.LNumber(3),
		"local s = '' for _, v in ipairs {'a', 'b'} do if false then local msg = 'debug ' .. v print(msg) end s = s .. v end return s":                   lua.LString("ab"),
		"local f for _, v in ipairs {1, 2} do if false then local x = v f = function() return x end end f = f or function() return v end end return f()": lua.LNumber(1),
		"local n = 0 for _, v in ipairs {1, 2, 3, 4} do if false then tostring(1) end n = n + 1 end return n":                                            lua.LNumber(4),
		"local n = 0 for _, v in ipairs {1, 2, 3, 4} do if nil then n = 9 end n = n + 1 end return n":                                                    lua.LNumber(4),
		"local n = 0 for _, v in ipairs {1, 2, 3, 4} do if false then elseif v > 0 then n = n + 1 end end return n":                                      lua.LNumber(4),
		"local n = 0 for _, v in ipairs {1, 2, 3, 4} do while false do tostring(1) end n = n + 1 end return n":                                           lua.LNumber(4),
		"local n = 0 for _, v in ipairs {1, 2, 3, 4} do if not not nil then n = 9 end n = n + 1 end return n":                                            lua.LNumber(4),
		"local n = 0 for _, v in ipairs {1, 2, 3, 4} do if true then else n = 9 end n = n + 1 end return n":                                              lua.LNumber(4),
		"local n = 0 repeat if false then n = 9 end n = n + 1 until n > 3 return n":                                                                      lua.LNumber(4),
		"local n = 0 while true do if false then n = 9 end n = n + 1 if n > 3 then break end end return n":                                               lua.LNumber(4),
		// Code that runs.
		"local n, x = 0 for _, v in ipairs {1, 2, 3} do x = true or v n = n + 1 end return n":                                                 lua.LNumber(3),
		"local n = 0 for _, v in ipairs {1, 2, 3} do n = v + (true and n) end return n":                                                       lua.LNumber(6),
		"local n = 0 while (false and n) or n < 4 do n = n + 1 end return n":                                                                  lua.LNumber(4),
		"local n = 0 while (true or n) and n < 4 do n = n + 1 end return n":                                                                   lua.LNumber(4),
		"local n = 0 while (true or n) == true and n < 4 do n = n + 1 end return n":                                                           lua.LNumber(4),
		"local n, x = 0 for _, v in ipairs {1, 2, 3} do for _, w in ipairs {v} do do break end end n = n + 1 end return n":                    lua.LNumber(3),
		"local n, a, b, c = 0 for _, v in ipairs {1, 2, 3} do a = b and c for _ in pairs {1} do break end n = n + 1 end return n":             lua.LNumber(3),
		"local n = 0 for _, v in ipairs {1, 2, 3} do repeat break until false n = n + 1 end return n":                                         lua.LNumber(3),
		"local n = 0 for _, v in ipairs {1, 2, 3} do while true do break end n = n + 1 end return n":                                          lua.LNumber(3),
		"local n = 0 ::top:: if false then n = 9 end n = n + 1 if n < 4 then goto top end return n":                                           lua.LNumber(4),
		"local n = 0 for _ in ipairs {1, 2} do ::top:: do end while true do n = n + 1 if n % 5 == 0 then break end goto top end end return n": lua.LNumber(10),
		// Constants of logical operators keep their values.
		"local v = 5 return (nil and v) == nil and (false and v) == false and (0 or v) == 0 and ('' or v) == '' and (1 and v) == 5": lua.LTrue,
		"local v = 5 return (nil or v) == 5 and (false or v) == 5 and (true or v) == true and not (not nil or v) == false":          lua.LTrue,
	} {
		fn, err := m.Compile("f.lua", source, false)
		if !assert.NoError(t, err, source) {
			continue
		}
		out, err := h.EnterWith(h.Limits().Line, m, fn)
		if assert.NoError(t, err, source) {
			assert.Equal(t, []lua.LValue{want}, out, source)
		}
	}
}
