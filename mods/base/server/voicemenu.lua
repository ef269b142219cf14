-- The V menu: lines that players say with two or three keys, to their team or to all. A game gives the
-- menu with base.voiceMenu. Everybody reads a line in their own language, and it counts as chat.

local chat = require "server.chat"
local teams = require "server.teams"

local MOST, DEEPEST, LONGEST = 200, 4, 60 -- entries, keys of a line, bytes of an entry in the menu

local voicemenu = { entries = {} } -- in the order of the menu: keys, text, and what a line is: said, to

-- add checks a list of entries and appends them. keys leads to the list.
local function add(entries, list, keys, to)
  if type(list) ~= "table" then error("voiceMenu: the entries of " .. (keys == "" and "the menu" or keys) .. " must be a list", 4) end
  local used = {}
  for i, e in ipairs(list) do
    local where = "voiceMenu: entry " .. i .. (keys == "" and "" or " of " .. keys)
    if type(e) ~= "table" then error(where .. " must be a table", 4) end
    local key = type(e[1]) == "string" and e[1]:upper() or ""
    if not key:match "^[A-Z0-9]$" then error(where .. ": the key must be a letter or a digit", 4) end
    if used[key] then error(where .. ": the key " .. key .. " is used twice", 4) end
    used[key] = true
    if type(e[2]) ~= "string" and not isText(e[2]) then error(where .. " needs a text", 4) end
    local whom = e.to or to
    if whom ~= "team" and whom ~= "all" then error(where .. ': to must be "team" or "all"', 4) end
    if #keys + 1 > DEEPEST then error(where .. ": a line has at most " .. DEEPEST .. " keys", 4) end
    if #entries >= MOST then error("voiceMenu: a menu has at most " .. MOST .. " entries", 4) end
    entries[#entries + 1] = { keys = keys .. key, text = e[2], said = not e[3] and (e.say or e[2]) or nil, to = whom }
    if e[3] then add(entries, e[3], keys .. key, whom) end
  end
end

-- plain makes a text of the menu one piece of what show sends.
local function plain(text) return (text:sub(1, LONGEST):gsub("[\128-\255]*$", function(tail)
  return #text > LONGEST and "" or tail
end):gsub("\194\166", " ")) end

-- show sends the menu to a client, in its language. A client without a menu gets nothing of an empty one.
local function show(client)
  if client.isBot or client.own.gone then return end
  local parts = {}
  for i, e in ipairs(voicemenu.entries) do parts[i] = e.keys .. (e.said and " " or ">") .. plain(textFor(client, e.text)) end
  if #parts == 0 and not client.own.voices then return end
  client.own.voices = #parts > 0
  commandToClient(client, "VoiceMenu", table.concat(parts, "\194\166"))
end

-- voiceMenu sets the menu for all players: a list of entries {KEY, TEXT} for lines, and {KEY, TEXT, LIST}
-- for one level deeper. to = "all" or "team" counts for an entry and those below it, say = TEXT is another
-- text for the line. Without a team a line goes to all. An empty list removes the menu.
function voiceMenu(list)
  local entries = {}
  add(entries, list, "", "team")
  voicemenu.entries = entries
  for client in clientGroup:each() do show(client) end
end

export("voiceMenu", voiceMenu)

function GameConnection.onClientEnterGame(client) show(client) end

-- find returns the line with these keys.
local function find(keys)
  for _, e in ipairs(voicemenu.entries) do
    if e.said and e.keys == keys then return e end
  end
end

-- say sends a line to those who hear it.
local function say(client, line)
  local team = teams.of(client)
  if line.to == "all" or not team then return messageAll("MsgChat", "%1: %2", client.name, line.said) end
  for mate in clientGroup:each() do
    if teams.of(mate) == team then pcall(messageClient, mate, "MsgTeamChat", "(%1) %2: %3", teams.names[team], client.name, line.said) end
  end
end

allowCommand("VoiceLine", { args = { "string" } })

function serverCmd.VoiceLine(client, keys)
  local line = find(keys:upper())
  if line and not chat.tooMuch(client) and not chat.isMuted(client) then say(client, line) end
end

-- voicemenu.resume takes over the menu after a reload.
function voicemenu.resume(old) voicemenu.entries = old.entries end

return voicemenu
