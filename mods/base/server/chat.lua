-- Chat: a line from one client to all. First, onChat(client, text) of every mod receives the line;
-- it can return another text, or false to drop the line. A line that begins with / is a command:
-- one that a mod offers to players (addCommand with chat = true), or a console command that a role
-- of the player allows.

local names = require "server.names"
local flood = require "server.flood"

local MAX_RUNES = 256
local ANSWER = 20 -- lines of a command's answer that a player sees

-- tooMuch counts a line of a client, and tells the client if that is too much.
local function tooMuch(client)
  if not flood.text(client) then return false end
  messageClient(client, "MsgSpam", text("spam", flood.LINES, flood.SECONDS))
  return true
end

-- isMuted reports whether a client is muted, and tells the client.
local function isMuted(client)
  if client.muted then messageClient(client, "MsgMuted", text("muted", client.muted)) end
  return client.muted ~= nil
end

-- chatLine returns the printable text of a client's line. It returns nil if nothing is left, if the
-- client exceeds the rate limit, or if the client is muted and the line is no command. Mods with their
-- own chat (team chat) must use it too.
function chatLine(client, text)
  if tooMuch(client) then return nil end
  text = names.plain(text, MAX_RUNES)
  if text:sub(1, 1) ~= "/" and isMuted(client) then return nil end
  return text ~= "" and text or nil
end

export("chatLine", chatLine)

-- Rename: a player wants another name. All players read it, so it counts as a line.
allowCommand("Rename", { args = { "string" } })

function serverCmd.Rename(client, wish)
  if wish == client.name or tooMuch(client) or isMuted(client) then return end
  names.change(client, wish)
end

-- tell shows a client the answer of a command, up to ANSWER lines.
local function tell(client, answer)
  local n = 0
  for line in answer:gmatch("[^\n]+") do
    n = n + 1
    if n > ANSWER then return messageClient(client, "MsgCommand", text "more") end
    messageClient(client, "MsgCommand", names.plain(line, MAX_RUNES, true))
  end
end

addCommand {
  name = "commands", chat = true, description = text "help_commands",
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
    local known, answer = runChatCommand(client, text:sub(2))
    if not known and text:match "^/help%f[^%w]" then answer = table.concat(chatCommands(client), "\n") end
    tell(client, answer)
    return
  end
  local shown, why = chatFilter(client, text)
  if shown then messageAll("MsgChat", "%1: %2", client.name, shown) end
  if why then messageClient(client, "MsgChatRefused", why) end
end
