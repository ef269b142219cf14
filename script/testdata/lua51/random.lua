-- Shuffles, weighted choices and noise from a generator of its own.
local Random = {}
Random.__index = Random
local function new(seed) return setmetatable({ state = (seed or 1) % 2147483647 }, Random) end
function Random:next() self.state = (self.state * 16807) % 2147483647 return self.state / 2147483647 end
function Random:int(lo, hi)
	if not hi then lo, hi = 1, lo end
	return lo + math.floor(self:next() * (hi - lo + 1))
end
function Random:shuffle(t) for i = #t, 2, -1 do local j = self:int(i) t[i], t[j] = t[j], t[i] end return t end
function Random:pick(weights)
	local sum = 0
	for _, w in pairs(weights) do assert(w >= 0, "weight value less than zero") sum = sum + w end
	assert(sum ~= 0, "all weights are zero")
	local at = self:next() * sum
	for k, w in pairs(weights) do
		if at < w then return k end
		at = at - w
	end
end
local digits = "0123456789abcdef"
function Random:uuid()
	return (("xxxx-4xxx-yxxx"):gsub("[xy]", function(c)
		local r = c == "x" and self:int(0, 15) or self:int(8, 11)
		return digits:sub(r + 1, r + 1)
	end))
end

local a, b = new(5), new(5)
assert(table.concat(a:shuffle { 1, 2, 3, 4 }) == table.concat(b:shuffle { 1, 2, 3, 4 }))
assert(a:uuid():match("^%x+%-4%x+%-[89ab]%x+$") and a:pick { x = 0, y = 1 } == "y" and not pcall(a.pick, a, {}))
math.randomseed(42)
local n, m = math.random(10), math.random(3, 4)
assert(n >= 1 and n <= 10 and m >= 3 and math.random() < 1)
return new
