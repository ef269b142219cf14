-- Helpers for strings.
local S = {}
function S.split(text, sep, plain)
	local list, from = {}, 1
	sep = sep or "%s+"
	while true do
		local a, b = string.find(text, sep, from, plain)
		if not a then break end
		table.insert(list, string.sub(text, from, a - 1))
		from = b + 1
	end
	list[#list + 1] = text:sub(from)
	return list
end
function S.trim(s) return (s:gsub("^%s+", ""):gsub("%s+$", "")) end
function S.starts(s, with) return s:sub(1, #with) == with end
function S.pad(s, n, c) return s .. string.rep(c or " ", n - #s) end
function S.interpolate(s, values) return (s:gsub("($%b{})", function(w) return tostring(values[w:sub(3, -2)] or w) end)) end
function S.title(s) return (s:lower():gsub("(%a)([%w']*)", function(a, b) return a:upper() .. b end)) end
function S.lines(s)
	local at = 1
	return function()
		if at > #s then return nil end
		local from, to = at, s:find("\n", at, true) or #s + 1
		at = to + 1
		return s:sub(from, to - 1)
	end
end
function S.hex(s) return (string.gsub(s, ".", function(c) return ("%02x"):format(string.byte(c)) end)) end

assert(table.concat(S.split("a, b,c", ",%s*"), "|") == "a|b|c" and #S.split("a.b", ".", true) == 2)
assert(S.trim("  x ") == "x" and S.starts("abc", "ab") and S.pad("a", 3) .. "." == "a  ." and S.hex("AB") == "4142")
assert(S.interpolate("${a} and ${b}", { a = 1 }) == "1 and ${b}" and S.title("hello world") == "Hello World")
local n = 0
for line in S.lines("a\n\nb") do n = n + 1 + #line end
assert(n == 5)
return S
