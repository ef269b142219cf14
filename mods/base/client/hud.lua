-- The HUD that the server writes (see server/hud.lua). Texts arrive with their arguments filled in.

local LINES, CENTER, BOTTOM = 16, 15, 16
local MOST = 60 -- seconds for which a print stays

-- The server can be any program: each of these commands ignores values of a wrong kind.

local function isText(v) return type(v) == "string" or isTag(v) end

function clientCmd.Hud(line, text)
  local ok = type(line) == "number" and line >= 1 and line <= LINES and line % 1 == 0
  if ok and isText(text) then setHud(line, detag(text)) end
end

-- print shows a line for some seconds, or until the next print if seconds is 0. A new text cancels
-- the timer of the old one.
local hud = { clears = {} } -- time at which each line is cleared
local clearing = {}

local function clear(line, ms)
  hud.clears[line] = now() + ms
  clearing[line] = schedule(ms, function()
    hud.clears[line], clearing[line] = nil, nil
    setHud(line, "")
  end)
end

local function print(line, seconds, text)
  if not (type(seconds) == "number" and seconds == seconds and isText(text)) then return end
  if clearing[line] then cancel(clearing[line]) end
  hud.clears[line], clearing[line] = nil, nil
  setHud(line, detag(text))
  if seconds > 0 then clear(line, math.min(seconds, MOST) * 1000) end
end

function clientCmd.CenterPrint(seconds, text) print(CENTER, seconds, text) end
function clientCmd.BottomPrint(seconds, text) print(BOTTOM, seconds, text) end

-- The player has hit something.
function clientCmd.Hit() showEffect "hit" end

-- key sends the server the name of a key that the client does not use.
function key(name) commandToServer("Key", name) end

addCommand {
  name = "key", params = "NAME", description = "sends a key press to the server: use, drop, slot1, …",
  run = function(caller, ...) key(table.concat({ ... }, " ")) end,
}

-- hud.resume restarts the timers of lines after a reload.
function hud.resume(old)
  for line, at in pairs(old.clears) do clear(line, math.max(0, at - now())) end
end

return hud
