-- The HUD that the server writes (see server/hud.lua). Texts arrive with their arguments filled in.

local CENTER, BOTTOM = 15, 16

function clientCmd.Hud(line, text) setHud(line, detag(text)) end

-- print shows a line for some seconds. A new text cancels the timer of the old one.
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
  if clearing[line] then cancel(clearing[line]) end
  hud.clears[line], clearing[line] = nil, nil
  setHud(line, detag(text))
  if seconds > 0 then clear(line, seconds * 1000) end
end

function clientCmd.CenterPrint(seconds, text) print(CENTER, seconds, text) end
function clientCmd.BottomPrint(seconds, text) print(BOTTOM, seconds, text) end

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
