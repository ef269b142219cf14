-- Entities, components and systems with cached filters.
local World = {}
World.__index = World
local function all(...)
	local keys = { ... }
	return function(e)
		for i = #keys, 1, -1 do if e[keys[i]] == nil then return false end end
		return true
	end
end
local filters = {
	["&"] = function(a, b) return function(e) return a(e) and b(e) end end,
	["|"] = function(a, b) return function(e) return a(e) or b(e) end end,
	["!"] = function(a) return function(e) return not a(e) end end,
}
function World.new() return setmetatable({ entities = {}, systems = {}, n = 0 }, World) end
function World:add(e)
	self.n = self.n + 1
	e.id = e.id or self.n
	self.entities[e.id] = e
	for _, s in ipairs(self.systems) do if s.filter(e) then s.members[e.id] = e end end
	return e
end
function World:system(filter, process)
	local s = { filter = filter, process = process, members = {}, active = true }
	for id, e in pairs(self.entities) do if filter(e) then s.members[id] = e end end
	self.systems[#self.systems + 1] = s
	return s
end
function World:remove(e)
	self.entities[e.id] = nil
	for _, s in ipairs(self.systems) do s.members[e.id] = nil end
end
function World:update(dt)
	for _, s in ipairs(self.systems) do
		if s.active then for _, e in pairs(s.members) do s.process(e, dt) end end
	end
end

local w = World.new()
local moving = all("position", "velocity")
w:system(filters["&"](moving, filters["!"](all "frozen")), function(e, dt) e.position = e.position + e.velocity * dt end)
local a, b = w:add { position = 0, velocity = 2 }, w:add { position = 0, velocity = 2, frozen = true }
w:add { position = 5 }
w:update(3)
w:remove(a)
w:update(3)
assert(a.position == 6 and b.position == 0)
return World
