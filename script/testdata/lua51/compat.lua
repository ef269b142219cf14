-- One file for several versions of Lua: it tests what there is.
local compat = {}
local unpack = table.unpack or unpack
local load51 = loadstring or load
local getfenv = getfenv or function() return _G end
compat.lua51 = _VERSION == "Lua 5.1"
compat.jit = (tostring(assert):match("builtin") == "builtin")

if compat.jit then compat.jit52 = not loadstring("local goto = 1") end
if jit and jit.version then compat.jitVersion = jit.version end
if not bit32 then compat.bits = false end
compat.isInteger = math.type and function(n) return math.type(n) == "integer" end or function(n) return n % 1 == 0 end
compat.length = (utf8 and utf8.len) or string.len

if table.pack then
	compat.pack = table.pack
else
	function compat.pack(...) return { n = select("#", ...), ... } end
end
if type(rawlen) == "function" then compat.length = rawlen end

function compat.sum(...)
	local total, args = 0, compat.pack(...)
	for i = 1, args.n do total = total + (args[i] or 0) end
	return total, unpack(args, 1, args.n)
end

assert(compat.sum(1, nil, 3) == 4 and select("#", compat.sum(1, nil, 3)) == 4)
assert(load51("return 1 + 1")() == 2 and getfenv and compat.isInteger(3))
return compat
