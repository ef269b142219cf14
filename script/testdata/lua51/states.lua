-- A stack of states that forwards all callbacks to the current one.
local function null() end
local before = setmetatable({ leave = null }, { __index = function() error("Gamestate not initialized. Use switch()") end })
local GS, stack, dirty = {}, { before }, true

function GS.new(t) return t or {} end
local function change(offset, to, ...)
	local was = stack[#stack]
	;(to.init or null)(to)
	to.init = nil
	stack[#stack + offset] = to
	dirty = true
	return (to.enter or null)(to, was, ...)
end
function GS.switch(to, ...)
	assert(to, "Missing argument: state to switch to")
	assert(to ~= GS, "Can't call switch with colon operator")
	;(stack[#stack].leave or null)(stack[#stack])
	return change(0, to, ...)
end
function GS.push(to, ...) return change(1, to, ...) end
function GS.pop(...)
	assert(#stack > 1, "No more states to pop!")
	local was, to = stack[#stack], stack[#stack - 1]
	stack[#stack] = nil
	;(was.leave or null)(was)
	return (to.resume or null)(to, was, ...)
end
function GS.current() return stack[#stack] end

setmetatable(GS, { __index = function(_, name)
	if not dirty or stack[#stack][name] then
		dirty = false
		return function(...) return (stack[#stack][name] or null)(stack[#stack], ...) end
	end
	return null
end })

local menu, game, said = GS.new(), {}, ""
function menu:enter(_, text) said = said .. "menu" .. (text or "") end
function menu:resume() said = said .. "again" end
function game.update(_, dt) said = said .. dt end
GS.switch(menu, "!")
GS.push(game)
GS.update(3)
GS.pop()
assert(said == "menu!3again" and GS.current() == menu and not pcall(GS.switch))
return GS
