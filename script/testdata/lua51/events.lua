-- Listeners by name, with priorities and one-time listeners.
local Emitter = {}
Emitter.__index = Emitter

function Emitter.new() return setmetatable({ list = {}, count = 0 }, Emitter) end

function Emitter:on(name, fn, priority)
	local l = self.list[name] or {}
	self.list[name] = l
	l[#l + 1] = { fn = fn, priority = priority or 0, order = #l }
	table.sort(l, function(a, b)
		if a.priority ~= b.priority then return a.priority > b.priority end
		return a.order < b.order
	end)
	return fn
end

function Emitter:off(name, fn)
	local l = self.list[name]
	for i = l and #l or 0, 1, -1 do
		if l[i].fn == fn then table.remove(l, i) end
	end
end

function Emitter:once(name, fn)
	local wrapped
	wrapped = function(...)
		self:off(name, wrapped)
		return fn(...)
	end
	return self:on(name, wrapped)
end

function Emitter:emit(name, ...)
	self.count = self.count + 1
	for _, e in ipairs { unpack(self.list[name] or {}) } do
		if e.fn(...) == false then return false end
	end
	return true
end

local said = {}
local e = Emitter.new()
e:on("x", function(n) table.insert(said, "low" .. n) end, -1)
e:once("x", function(n) table.insert(said, "once" .. n) end)
e:emit("x", 1)
e:emit("x", 2)
assert(table.concat(said, " ") == "once1 low1 low2" and e:emit("nothing"))
return Emitter
