-- Chat: a line from one client to all. Mods look at a line first with onChat(client, text), which may
-- return another text, or false to swallow it. A line that begins with / is a command that some mod
-- offers to players (addCommand with chat = true), or one of the console that a role of theirs allows.

local names = require "server.names"

local MAX_RUNES = 256
local ANSWER = 20            -- lines of a command's answer that a player is shown
local LINES, SECONDS = 8, 10 -- at most so many lines in so many seconds

-- flooding counts a client's lines and tells whether this one is too many.
local function flooding(client)
  local own, time = client.own, now()
  local said = own.said or {}
  own.said = said
  while said[1] and time - said[1] >= SECONDS * 1000 do table.remove(said, 1) end
  if #said >= LINES then return true end
  said[#said + 1] = time
  return false
end

-- chatLine gives what others may read of what a client wrote, or nil: nothing, or too much of it. Mods with
-- a chat of their own (a team's) put their lines through it.
function chatLine(client, text)
  if flooding(client) then
    messageClient(client, "MsgSpam", "You talk too much: %1 lines in %2 seconds are enough.", LINES, SECONDS)
    return nil
  end
  text = names.plain(text, MAX_RUNES)
  return text ~= "" and text or nil
end

export("chatLine", chatLine)

-- tell shows a client what a command answers, line by line, but not without end.
local function tell(client, answer)
  local n = 0
  for line in answer:gmatch("[^\n]+") do
    n = n + 1
    if n > ANSWER then return messageClient(client, "MsgCommand", "(there is more)") end
    messageClient(client, "MsgCommand", "%1", names.plain(line, MAX_RUNES))
  end
end

addCommand {
  name = "commands", chat = true, description = "what you may type after /",
  run = function(caller)
    if caller then return table.concat(chatCommands(caller), "\n") end
    return "commands is for players: /commands (help lists those of the console)"
  end,
}

allowCommand("MessageSent", { args = { "string" } })

function serverCmd.MessageSent(client, text)
  text = chatLine(client, text)
  if not text then return end
  if text:sub(1, 1) == "/" then
    local _, answer = runChatCommand(client, text:sub(2))
    tell(client, answer)
    return
  end
  text = chatFilter(client, text)
  if text then messageAll("MsgChat", "%1: %2", client.name, text) end
end
