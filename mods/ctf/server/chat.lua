-- Chat and teams: /team TEXT writes to the own team only, /switch changes the team.

local teams = require "server.teams"
local players = require "server.players"
local base = import "base"

local chat = {}

local function say(client, line)
  if line == "" then return end
  for _, mate in ipairs(base.teamMembers(teams.of(client))) do
    pcall(base.messageClient, mate, "MsgTeamChat", "(%1) %2: %3", teams.names[teams.of(client)], client.name, line)
  end
end

allowCommand("TeamMessageSent", { args = { "string" } })

function serverCmd.TeamMessageSent(client, text)
  text = teams.of(client) and base.chatLine(client, text)
  if text then say(client, text) end
end

addCommand {
  name = "team", params = "TEXT", description = text "help_team", chat = true,
  run = function(client, ...)
    if not client then return "only players can use this command, as /team" end
    if teams.of(client) then say(client, table.concat({ ... }, " ")) end
  end,
}

-- chat.switch moves a client to the other team if it has fewer players. It returns why not, or nothing.
function chat.switch(client)
  local other = teams.of(client) and teams.enemy(teams.of(client))
  if not other or not teams.mayJoin(client, other) then return text "no_room" end
  teams.join(client, other)
  if players.alive(client) then players.spawn(client) end -- dead players wait for their respawn
end

addCommand {
  name = "switch", description = text "help_switch", chat = true,
  run = function(client)
    if not client then return "players do this, as /switch" end
    return chat.switch(client)
  end,
}

return chat
