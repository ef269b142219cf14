-- The V menu (see server/voicemenu.lua). A page opens it with V, a terminal with the command v.

local MARK = "\194\166" -- between two entries

local voicemenu = { text = "" }

function clientCmd.VoiceMenu(text)
  if type(text) ~= "string" then return end
  voicemenu.text = text
  showEffect("voices " .. text)
end

-- entries lists the menu below some keys: the keys, a blank, the text.
local function entries(keys)
  local lines = {}
  for entry in (voicemenu.text .. MARK):gmatch("(.-)" .. MARK) do
    local path, mark, label = entry:match "^(%w+)([ >])(.*)$"
    if path and #path == #keys + 1 and path:sub(1, #keys) == keys then lines[#lines + 1] = path .. "  " .. label .. (mark == ">" and " …" or "") end
  end
  return lines
end

addCommand {
  name = "v", params = "[KEYS]", description = "says a line of the V menu by its keys, such as v gh; without keys, or with those of a part, lists the menu",
  run = function(caller, keys)
    keys = (keys or ""):upper()
    local lines = entries(keys)
    if #lines > 0 then return table.concat(lines, "\n") end
    if voicemenu.text == "" then return "this game has no V menu" end
    for entry in (voicemenu.text .. MARK):gmatch("(.-)" .. MARK) do
      if entry:match "^(%w+) " == keys then return commandToServer("VoiceLine", keys) end
    end
    return "no line has the keys " .. keys .. ": v lists them"
  end,
}

-- voicemenu.clear forgets the menu of a server.
function voicemenu.clear()
  voicemenu.text = ""
  showEffect "voices "
end

-- voicemenu.resume shows the menu again after a reload.
function voicemenu.resume(old) voicemenu.text = old.text end

return voicemenu
