-- A lexer and a calculator with precedences.
local patterns = { { "^%s+" }, { "^%d+%.?%d*", "number" }, { "^[%a_][%w_]*", "name" }, { "^[%+%-%*/%^%%()]", "sign" } }
local function tokens(text)
	local at = 1
	return coroutine.wrap(function()
		while at <= #text do
			local found
			for _, p in ipairs(patterns) do
				local s, e = text:find(p[1], at)
				if s then
					found, at = true, e + 1
					if p[2] then coroutine.yield(p[2], text:sub(s, e)) end
					break
				end
			end
			if not found then error(("unexpected %q at %d"):format(text:sub(at, at), at), 0) end
		end
		return nil
	end)
end

local powers = { ["+"] = 1, ["-"] = 1, ["*"] = 2, ["/"] = 2, ["%"] = 2, ["^"] = 3 }
local ops = {
	["+"] = function(a, b) return a + b end, ["-"] = function(a, b) return a - b end, ["*"] = function(a, b) return a * b end,
	["/"] = function(a, b) return a / b end, ["%"] = function(a, b) return a % b end, ["^"] = function(a, b) return a ^ b end,
}
local function calculate(text, names)
	local list, i = {}, 1
	for kind, word in tokens(text) do list[#list + 1] = { kind = kind, word = word } end
	local expr
	local function atom()
		local t = list[i]
		i = i + 1
		if not t then error("unexpected end", 0) end
		if t.kind == "number" then return tonumber(t.word) end
		if t.kind == "name" then return (names or {})[t.word] or math[t.word] end
		if t.word == "-" then return -expr(3) end
		local v = expr(1)
		i = i + 1
		return v
	end
	function expr(least)
		local left = atom()
		while list[i] and powers[list[i].word] and powers[list[i].word] >= least do
			local sign = list[i].word
			i = i + 1
			left = ops[sign](left, expr(sign == "^" and powers[sign] or powers[sign] + 1))
		end
		return left
	end
	return expr(1)
end

assert(calculate("1 + 2 * 3 ^ 2 - 4 / (1 + 1)") == 17 and calculate("x % 4 * 2", { x = 7 }) == 6 and calculate("-2 ^ 2") == -4)
assert(select(2, pcall(calculate, "1 $ 2")):find('unexpected "$" at 3', 1, true))
return calculate
