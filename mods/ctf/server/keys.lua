-- Keys. A client sends the names of keys that it does not use itself: "use", "drop", "slot1", …

local flags = require "server.flags"
local loadouts = require "server.loadouts"
local players = require "server.players"
local stations = require "server.stations"
local hud = require "server.hud"

local THROW = 12 -- m/s

local keys = {}

function keys.use(client, player) stations.use(client, player) end

function keys.drop(client, player) flags.dropped(player, player:getEyeVector() * THROW) end

for n = 1, 9 do
  keys["slot" .. n] = function(client, player) loadouts.hold(player, n) end
end

override(serverCmd, "Key", function(parent, client, name)
  if name == "scores" then return hud.toggleScores(client) end
  local key, player = keys[name], players.alive(client)
  if not key then return parent() end
  if player then key(client, player) end
end)

addCommand {
  name = "loadout", params = "[light|medium|heavy]", description = "shows or sets your loadout", chat = true,
  run = function(client, name)
    if not client then return "players choose this, as /loadout" end
    if not name then return "You have the " .. (client.own.loadout or "light") .. " loadout." end
    if type(loadouts[name]) ~= "table" or name == "order" then return "There are light, medium and heavy." end
    client.own.loadout = name
    return "You will appear with the " .. name .. " loadout."
  end,
}
