-- Interpolates numbers in nested tables by named curves.
local easing = {}
local pow, sin, cos, pi, sqrt, abs, asin = math.pow, math.sin, math.cos, math.pi, math.sqrt, math.abs, math.asin
function easing.linear(t, b, c, d) return c * t / d + b end
function easing.inQuad(t, b, c, d) return c * pow(t / d, 2) + b end
function easing.outSine(t, b, c, d) return c * sin(t / d * (pi / 2)) + b end
function easing.inOutSine(t, b, c, d) return -c / 2 * (cos(pi * t / d) - 1) + b end
function easing.outElastic(t, b, c, d, a, p)
	if t == 0 then return b end
	t = t / d
	if t == 1 then return b + c end
	p, a = p or d * 0.3, a or 0
	local s
	if a < abs(c) then a, s = c, p / 4 else s = p / (2 * pi) * asin(c / a) end
	return a * pow(2, -10 * t) * sin((t * d - s) * (2 * pi) / p) + c + b
end

local function copy(to, keys, from)
	local mt = getmetatable(keys)
	if mt and getmetatable(to) == nil then setmetatable(to, mt) end
	for k, v in pairs(keys) do
		if type(v) == "table" then to[k] = copy({}, v, from[k]) else to[k] = from[k] end
	end
	return to
end
local function move(subject, target, initial, clock, duration, ease)
	for k, v in pairs(target) do
		if type(v) == "table" then
			move(subject[k], v, initial[k], clock, duration, ease)
		else
			local b, c = initial[k], v - initial[k]
			subject[k] = ease(clock, b, c, duration)
		end
	end
end

local Tween = {}
Tween.__index = Tween
function Tween:update(dt)
	assert(type(dt) == "number", "dt must be a number")
	self.initial = self.initial or copy({}, self.target, self.subject)
	self.clock = math.min(self.clock + dt, self.duration)
	move(self.subject, self.target, self.initial, self.clock, self.duration, self.easing)
	return self.clock >= self.duration
end

local function new(duration, subject, target, ease)
	if type(ease) == "string" or ease == nil then ease = easing[ease or "linear"] end
	if type(ease) ~= "function" then error("The easing function name '" .. tostring(ease) .. "' is invalid", 2) end
	return setmetatable({ duration = duration, subject = subject, target = target, easing = ease, clock = 0 }, Tween)
end

local s = { x = 0, color = { 10, 20 } }
local t = new(4, s, { x = 8, color = { 20 } })
assert(not t:update(1) and s.x == 2 and s.color[1] == 12.5 and s.color[2] == 20 and t:update(9) and s.x == 8)
for name in pairs(easing) do
	local v = { n = 1 }
	new(1, v, { n = 3 }, name):update(1)
	assert(abs(v.n - 3) < 1e-9 and sqrt(4) == 2, name)
end
return { new = new, easing = easing }
