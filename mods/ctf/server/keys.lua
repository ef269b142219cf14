-- Keys. A client sends the names of keys that it does not use itself: "use", "drop", "slot1", …

local flags = require "server.flags"
local loadouts = require "server.loadouts"
local players = require "server.players"
local stations = require "server.stations"
local supplies = require "server.supplies"
local hud = require "server.hud"
local teams = require "server.teams"
local chat = require "server.chat"
local base = import "base"

local THROW = 12 -- m/s

local keys = {}

function keys.use(client, player) stations.use(client, player) end

-- The drop key throws the flag, or ammunition without one.
function keys.drop(client, player)
  if flags.carried(player) then flags.dropped(player, player:getEyeVector() * THROW) else supplies.throw(player) end
end

function keys.loadout(client) base.menu(client, "loadout", text "choose_loadout", loadouts.names) end

-- The form of teams has a button below the emblem of each.
local EMBLEMS = { { picture = "red", text = text "emblem_red" }, { picture = "blue", text = text "emblem_blue" } }

-- change moves a client to a team.
local function change(client, team)
  local why
  if teams.of(client) == team then why = text "in_this_team" else why = chat.switch(client) end
  if why then base.messageClient(client, "MsgTeam", why) end
end

function keys.team(client)
  local rows = {}
  for team, emblem in ipairs(EMBLEMS) do
    rows[2 * team - 1] = { kind = "image", picture = emblem.picture, text = emblem.text }
    rows[2 * team] = { kind = "button", name = "team" .. team, text = teams.names[team] }
  end
  client:form {
    name = "team", title = text "choose_team", rows = rows,
    done = function(client, values)
      if values then change(client, tonumber(values.button:match "%d")) end
    end,
  }
end

for n = 1, 9 do
  keys["slot" .. n] = function(client, player) loadouts.hold(player, n) end
end

-- choose gives a client a loadout: at a station at once, and otherwise with the next body.
local function choose(client, name)
  if stations.change(client, players.alive(client), name) then return end
  client.own.loadout = name
  base.messageClient(client, "MsgStation", text("will_appear", text(name)))
end

override(serverCmd, "Key", function(parent, client, name)
  if name == "scores" then return hud.toggleScores(client) end
  local menu, choice = base.menuKey(client, name)
  if menu == "loadout" then return choose(client, loadouts.order[choice]) end
  local key, player = keys[name], players.alive(client)
  if not key then return parent() end
  if player or name == "loadout" or name == "team" then key(client, player) end
end)

addCommand {
  name = "loadout", params = "[light|medium|heavy]", description = text "help_loadout", chat = true,
  run = function(client, name)
    if not client then return "players choose this, as /loadout" end
    if not name then return text("have_loadout", text(client.own.loadout or "light")) end
    if not loadouts.known[name] then return text "loadouts" end
    client.own.loadout = name
    return text("will_appear", text(name))
  end,
}
