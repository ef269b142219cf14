-- Read-only tables, defaults, enums and tables that watch their changes.
local M = {}
function M.readonly(t)
	return setmetatable({}, { __index = t, __metatable = "read-only", __newindex = function(_, k) error("attempt to change " .. tostring(k), 2) end })
end
function M.default(make) return setmetatable({}, { __index = function(t, k) local v = make(k) rawset(t, k, v) return v end }) end
function M.enum(...)
	local e = {}
	for i, name in ipairs { ... } do e[name], e[i] = i, name end
	return M.readonly(e)
end
function M.watch(t, changed)
	local real = t or {}
	return setmetatable({}, {
		__index = real,
		__newindex = function(_, k, v)
			local was = real[k]
			real[k] = v
			if was ~= v then changed(k, was, v) end
		end,
		__call = function(_, k) return rawget(real, k) end,
	})
end
function M.copy(t, seen)
	if type(t) ~= "table" then return t end
	seen = seen or {}
	if seen[t] then return seen[t] end
	local r = {}
	seen[t] = r
	for k, v in next, t do r[M.copy(k, seen)] = M.copy(v, seen) end
	return setmetatable(r, getmetatable(t))
end

local colors = M.enum("red", "green")
assert(colors.green == 2 and colors[1] == "red" and not pcall(function() colors.blue = 3 end) and getmetatable(colors) == "read-only")
local lists = M.default(function() return {} end)
table.insert(lists.a, 1)
table.insert(lists.a, "two")
assert(#lists.a == 2 and rawget(lists, "b") == nil)
local log = {}
local w = M.watch({ x = 1 }, function(k, was, v) log[#log + 1] = k .. tostring(was) .. tostring(v) end)
w.x, w.y = 1, 2
assert(log[1] == "ynil2" and #log == 1 and w("x") == 1)
local c = { 1, { 2 } }
c.me = c
assert(M.copy(c).me ~= c and M.copy(c)[2][1] == 2)
return M
