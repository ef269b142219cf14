-- A class library with inheritance, metamethods and mixins.
local class = {}
class.__index = class

local function include(to, from)
	for k, v in pairs(from) do
		if to[k] == nil and k ~= "included" then to[k] = v end
	end
	if from.included then from.included(to) end
	return to
end

function class.new(name, parent)
	local c = { name = name, __index = nil }
	c.__index = c
	c.__tostring = parent and parent.__tostring or function(self) return "a " .. self.class.name end
	c.class = c
	return setmetatable(c, {
		__index = parent,
		__call = function(self, ...)
			local o = setmetatable({}, self)
			if o.init then o:init(...) end
			return o
		end,
	})
end

local Animal = class.new("Animal")
function Animal:init(legs) self.legs = legs or 4 end
function Animal:walk() return ("%s on %d legs"):format(tostring(self), self.legs) end

local Bird = class.new("Bird", Animal)
function Bird:init() Animal.init(self, 2) end
include(Bird, { fly = function(self) return self.legs * 2 end })

assert(Bird():walk() == "a Bird on 2 legs" and Bird():fly() == 4 and Animal().legs == 4)
return class
