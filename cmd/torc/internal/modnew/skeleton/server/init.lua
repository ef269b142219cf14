-- The server side: a small game. The first player with enough coins wins.
-- Try it:  torc play --mods FOLDER --mod NAME     (FOLDER is the parent folder of this mod)

local base = import "base"

-- A setting is a console variable. At the prompt: NAME.coins = 5
local wanted = setting "NAME.coins" { default = 3, min = 1, max = 100, description = "number of coins that wins" }

-- Runs when a client enters the game, bots included: gives it a body.
function GameConnection.onClientEnterGame(client)
  client.own.coins = 0
  local position, rotation = base.spawnPoint()
  local body = new "Player" { dataBlock = Walker, position = position, rotation = rotation, shapeName = base.nameTag(client) }
  body.own.client = client
  client:add(body) -- deleted when the client leaves
  client:setControlObject(body)
  base.messageClient(client, "MsgWelcome", "Welcome to NAME. %1 coins win.", wanted.value)
end

-- pick gives a coin to a player. It is global, so the tests and other files of this mod can use it.
function pick(player, coin)
  local client = player.own.client
  coin:delete()
  client.own.coins = client.own.coins + 1
  commandToClient(client, "NAMECoins", client.own.coins) -- see client/init.lua; clients without NAME ignore it
  if client.own.coins == wanted.value then base.messageAll("MsgWon", "%1 has won.", client.name) end
end

-- A callback of the datablock: runs when an object with this datablock touches another object.
function Walker:onCollision(player, other)
  if not other then return end -- it was deleted in this tick
  if other:isMemberOfClass("Item") and other.dataBlock == Coin and player.own.client then pick(player, other) end
end

-- A console command. With chat = true, players can also type it as /NAME.scores. Then caller is the
-- player's client.
addCommand {
  name = "NAME.scores", description = "prints the coins of every player",
  run = function()
    local lines = {}
    for client in clientGroup:each() do lines[#lines + 1] = client.name .. " " .. (client.own.coins or 0) end
    return table.concat(lines, "\n")
  end,
}

-- Loads missions/first.lua after all mods have loaded, unless a mission runs already: one of --mission,
-- or the current one after a reload.
schedule(0, function()
  if #missionGroup == 0 then loadMission "first" end
end)
