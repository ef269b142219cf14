-- Vectors with operators and methods that chain.
local V = {}
V.__index = V
local function new(x, y) return setmetatable({ x = x or 0, y = y or 0 }, V) end
local function isvector(v) return type(v) == "table" and type(v.x) == "number" and type(v.y) == "number" end

V.__add = function(a, b) assert(isvector(a) and isvector(b), "Add: wrong argument types (<vector> expected)") return new(a.x + b.x, a.y + b.y) end
V.__sub = function(a, b) return new(a.x - b.x, a.y - b.y) end
V.__unm = function(a) return new(-a.x, -a.y) end
V.__eq = function(a, b) return a.x == b.x and a.y == b.y end
V.__lt = function(a, b) return a.x < b.x or (a.x == b.x and a.y < b.y) end
V.__le = function(a, b) return a.x <= b.x and a.y <= b.y end
V.__tostring = function(a) return "(" .. tonumber(a.x) .. "," .. tonumber(a.y) .. ")" end
V.__concat = function(a, b) return tostring(a) .. tostring(b) end
function V.__mul(a, b)
	if type(a) == "number" then return new(a * b.x, a * b.y) end
	if type(b) == "number" then return new(b * a.x, b * a.y) end
	return a.x * b.x + a.y * b.y
end
function V:len() return math.sqrt(self * self) end
function V:rotated(phi)
	local c, s = math.cos(phi), math.sin(phi)
	return new(c * self.x - s * self.y, s * self.x + c * self.y)
end
function V:unpack() return self.x, self.y end
V.zero = new(0, 0)

assert(new(3, 4):len() == 5 and 2 * new(1, 2) == new(2, 4) and -new(1, 0) + new(1, 0) == V.zero)
assert(tostring(new(1, 2)) == "(1,2)" and new(1, 1) < new(1, 2) and new(1, 2) .. "!" == "(1,2)!")
assert(math.abs(new(1, 0):rotated(math.pi / 2).y - 1) < 1e-9 and select(2, new(1, 2):unpack()) == 2)
return setmetatable({ new = new, isvector = isvector, zero = V.zero }, { __call = function(_, ...) return new(...) end })
