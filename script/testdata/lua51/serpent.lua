-- A printer of values with cycles, sorted keys and a depth limit.
local function quoted(k) return type(k) == "string" and k:match("^[%a_][%w_]*$") and k or "[" .. (type(k) == "string" and ("%q"):format(k) or tostring(k)) .. "]" end

local function order(a, b)
	local ta, tb = type(a), type(b)
	if ta == tb and (ta == "number" or ta == "string") then return a < b end
	if ta ~= tb then return ta < tb end
	return tostring(a) < tostring(b)
end

local function dump(v, opts, depth, seen)
	opts, depth, seen = opts or {}, depth or 0, seen or {}
	if type(v) == "string" then return string.format("%q", v) end
	if type(v) ~= "table" then return tostring(v) end
	if seen[v] then return "<cycle>" end
	if opts.depth and depth >= opts.depth then return "{…}" end
	seen[v] = true
	local out, list = {}, {}
	for i, x in ipairs(v) do out[i] = dump(x, opts, depth + 1, seen) end
	for k in pairs(v) do
		if not (type(k) == "number" and k >= 1 and k <= #v and math.floor(k) == k) then list[#list + 1] = k end
	end
	table.sort(list, opts.order or order)
	for _, k in ipairs(list) do
		out[#out + 1] = quoted(k) .. " = " .. dump(v[k], opts, depth + 1, seen)
	end
	local mt = getmetatable(v)
	if type(mt) == "table" and not opts.raw then table.insert(out, "<" .. dump(mt, opts, depth + 1, seen) .. ">") end
	seen[v] = nil
	return "{" .. table.concat(out, opts.separator or ", ") .. "}"
end

local t = { 1, "two", x = { y = true } }
t.self = t
assert(dump(t) == '{1, "two", self = <cycle>, x = {y = true}}')
assert(dump({ a = { b = {} } }, { depth = 2 }) == "{a = {b = {…}}}" and dump(nil) == "nil")
return dump
