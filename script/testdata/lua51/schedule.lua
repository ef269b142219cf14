-- Timers with delays, repeats and a chain of steps.
local Timer = { functions = {} }
Timer.__index = Timer
local function nothing() end
function Timer.new() return setmetatable({ functions = {} }, Timer) end
function Timer:after(delay, f) return self:during(delay, nothing, f) end
function Timer:during(delay, during, after)
	local handle = { time = 0, during = during, after = after or nothing, limit = delay, count = 1 }
	self.functions[handle] = true
	return handle
end
function Timer:every(delay, after, count)
	local handle = { time = 0, during = nothing, after = after, limit = delay, count = count or math.huge }
	self.functions[handle] = true
	return handle
end
function Timer:cancel(handle) self.functions[handle] = nil end
function Timer:update(dt)
	local list = {}
	for handle in pairs(self.functions) do list[handle] = handle end
	for handle in pairs(list) do
		if self.functions[handle] then
			handle.time = handle.time + dt
			handle.during(dt, math.max(handle.limit - handle.time, 0))
			while handle.time >= handle.limit and handle.count > 0 do
				if handle.after(handle.after) == false then handle.count = 0 break end
				handle.time, handle.count = handle.time - handle.limit, handle.count - 1
			end
			if handle.count == 0 then self.functions[handle] = nil end
		end
	end
end
function Timer:script(f)
	local co = coroutine.wrap(f)
	co(function(t)
		self:after(t, co)
		coroutine.yield()
	end)
end
local default = Timer.new()
local module = setmetatable({}, { __call = Timer.new })
for name in pairs(Timer) do
	if name ~= "__index" then module[name] = function(...) return default[name](default, ...) end end
end

local n, t = "", Timer.new()
t:after(2, function() n = n .. "after" end)
local h = t:every(1, function() n = n .. "." end, 2)
t:script(function(wait) wait(1) n = n .. "s" wait(5) n = n .. "never" end)
for _ = 1, 4 do t:update(1) end
t:cancel(h)
assert(#n == #"after" + 3 and n:find("after") and n:find("s") and not n:find("never") and type(module.every) == "function")
return Timer
