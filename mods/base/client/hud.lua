-- The HUD that the server writes (see server/hud.lua): a text arrives with its arguments filled in.

local CENTER, BOTTOM = 15, 16

function clientCmd.Hud(line, text) setHud(line, detag(text)) end

-- print shows a line for some seconds. A newer one is not cut short by what the older had left.
local clearing = {}
local function print(line, seconds, text)
  if clearing[line] then cancel(clearing[line]) end
  setHud(line, detag(text))
  clearing[line] = seconds > 0 and schedule(seconds * 1000, setHud, line, "") or nil
end

function clientCmd.CenterPrint(seconds, text) print(CENTER, seconds, text) end
function clientCmd.BottomPrint(seconds, text) print(BOTTOM, seconds, text) end

-- key tells the server of a key that means nothing here.
function key(name) commandToServer("Key", name) end

addCommand {
  name = "key", params = "NAME", description = "tells the server that a key was hit: use, drop, slot1, …",
  run = function(caller, ...) key(table.concat({ ... }, " ")) end,
}
