-- The server's half: a small game. Whoever has picked up enough coins has won.
-- Try it:  torc play --mods FOLDER --mod NAME     (FOLDER is where this mod's folder is)

local base = import "base"

-- A setting is a console variable. At the prompt: NAME.coins = 5
local wanted = setting "NAME.coins" { default = 3, min = 1, max = 100, description = "coins that win" }

-- A client plays: it gets a body. Bots come here, too.
function GameConnection.onClientEnterGame(client)
  client.own.coins = 0
  local position, rotation = base.spawnPoint()
  local body = new "Player" { dataBlock = Walker, position = position, rotation = rotation, shapeName = base.nameTag(client) }
  body.own.client = client
  client:add(body) -- what a client holds goes when it goes
  client:setControlObject(body)
  base.messageClient(client, "MsgWelcome", "Welcome to NAME. %1 coins win.", wanted.value)
end

-- pick is what comes of a player at a coin. Other files of this mod, and its tests, reach it by its name.
function pick(player, coin)
  local client = player.own.client
  coin:delete()
  client.own.coins = client.own.coins + 1
  commandToClient(client, "NAMECoins", client.own.coins) -- see client/init.lua; who has no NAME does not mind
  if client.own.coins == wanted.value then base.messageAll("MsgWon", "%1 has won.", client.name) end
end

-- The engine tells a datablock what happens to the objects that have it.
function Walker:onCollision(player, other)
  if other:isMemberOfClass("Item") and other.dataBlock == Coin and player.own.client then pick(player, other) end
end

-- A console command, which players can type as /NAME.scores with chat = true: then caller is who did.
addCommand {
  name = "NAME.scores", description = "prints who has how many coins",
  run = function()
    local lines = {}
    for client in clientGroup:each() do lines[#lines + 1] = client.name .. " " .. (client.own.coins or 0) end
    return table.concat(lines, "\n")
  end,
}

-- Without --mission the first one is played.
schedule(0, function() loadMission "first" end)
