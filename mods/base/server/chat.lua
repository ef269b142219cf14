-- Chat: a line from one client to all. First, onChat(client, text) of every mod receives the line;
-- it can return another text, or false to drop the line. A line that begins with / is a command:
-- one that a mod offers to players (addCommand with chat = true), or a console command that a role
-- of the player allows.

local names = require "server.names"
local flood = require "server.flood"

local MAX_RUNES = 256
local chat = {}

local ANSWER = 20 -- lines of a command's answer that a player sees

-- chat.tooMuch counts a line of a client, and tells the client if that is too much.
function chat.tooMuch(client)
  if not flood.text(client) then return false end
  messageClient(client, "MsgSpam", text("spam", flood.LINES, flood.SECONDS))
  return true
end

-- chat.isMuted reports whether a client is muted, and tells the client.
function chat.isMuted(client)
  if client.muted then messageClient(client, "MsgMuted", text("muted", client.muted)) end
  return client.muted ~= nil
end

-- chatLine returns the printable text of a client's line. It returns nil if nothing is left, if the
-- client exceeds the rate limit, or if the client is muted and the line is no command. Mods with their
-- own chat (team chat) must use it too.
function chatLine(client, text)
  if chat.tooMuch(client) then return nil end
  text = names.plain(text, MAX_RUNES)
  if text:sub(1, 1) ~= "/" and chat.isMuted(client) then return nil end
  return text ~= "" and text or nil
end

export("chatLine", chatLine)

-- Rename: a player wants another name. All players read it, so it counts as a line.
allowCommand("Rename", { args = { "string" } })

function serverCmd.Rename(client, wish)
  if wish == client.name or chat.tooMuch(client) or chat.isMuted(client) then return end
  names.change(client, wish)
end

-- What the engine itself answers, by the names that runChatCommand gives.
local refusals = { unknown = text "command_unknown", untyped = text "command_untyped", failed = text "command_failed" }

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

function serverCmd.MessageSent(client, said)
  local line = chatLine(client, said)
  if not line then return end
  if line:sub(1, 1) == "/" then
    local known, answer, refusal = runChatCommand(client, line:sub(2))
    if not known and line:match "^/help%f[^%w]" then answer, refusal = table.concat(chatCommands(client), "\n"), nil end
    if refusals[refusal] then return messageClient(client, "MsgCommand", refusals[refusal]) end
    return tell(client, answer)
  end
  local shown, why, mod = chatFilter(client, line)
  if shown then messageAll("MsgChat", "%1: %2", client.name, shown) end
  if why then messageClient(client, "MsgChatRefused", mod and text("unchecked", mod) or why) end
end

return chat
