-- map, filter, fold, curry, memoize and pipes.
local F = {}
local id = function(...) return ... end

function F.map(t, f) local r = {} for i = 1, #t do r[i] = f(t[i], i) end return r end
function F.filter(t, f) local r = {} for _, v in ipairs(t) do if f(v) then r[#r + 1] = v end end return r end
function F.fold(t, f, first)
	local value, from = first, 1
	if first == nil then value, from = t[1], 2 end
	for i = from, table.getn(t) do value = f(value, t[i]) end
	return value
end
function F.curry(f, n)
	n = n or 2
	local function take(got, ...)
		local args = { unpack(got) }
		for i = 1, select("#", ...) do args[#args + 1] = (select(i, ...)) end
		if #args >= n then return f(unpack(args, 1, n)) end
		return function(...) return take(args, ...) end
	end
	return function(...) return take({}, ...) end
end
function F.memoize(f)
	local cache = setmetatable({}, { __mode = "k" })
	return function(k)
		local v = cache[k]
		if v == nil then v = f(k) cache[k] = v end
		return v
	end
end
function F.pipe(...)
	local fs = { ... }
	if #fs == 0 then return id end
	return function(...)
		local r = { fs[1](...) }
		for i = 2, #fs do r = { fs[i](unpack(r)) } end
		return unpack(r)
	end
end
for name in string.gmatch("add + sub - mul *", "(%a+)") do F[name] = name end
F.add = function(a, b) return a + b end

assert(F.fold(F.map({ 1, 2, 3 }, function(x) return x * x end), F.add) == 14)
assert(F.curry(function(a, b, c) return a .. b .. c end, 3)(1)(2, 3) == "123" and #F.filter({ 1, 2, 3 }, function(n) return n > 1 end) == 2)
assert(F.pipe(F.add, tostring)(1, 2) == "3" and F.memoize(tostring)(5) == "5")
return F
