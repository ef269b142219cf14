-- Compiles text with pieces of Lua to a function.
local function compile(text)
	local code, at = { "local out, values = {}, ... local function put(s) out[#out + 1] = tostring(s) end " }, 1
	while true do
		local from, to, equals, inner = text:find("<%%(=?)(.-)%%>", at)
		code[#code + 1] = ("put(%q) "):format(text:sub(at, from and from - 1))
		if not from then break end
		code[#code + 1] = equals == "=" and "put(" .. inner .. ") " or inner .. " "
		at = to + 1
	end
	code[#code + 1] = "return table.concat(out)"
	local f, why = loadstring(table.concat(code), "template")
	if not f then error(why, 2) end
	return f
end

local greet = compile "<% for i, n in ipairs(values) do %><%= i %>: <%= n %>;<% end %>"
assert(greet { "a", "b" } == "1: a;2: b;")
assert(not pcall(compile, "<% if %>"))
return compile
