-- Joining, and changing the mission. The server leads, the client answers; every message carries the
-- number of the mission, so that an answer to an older one is told apart and ignored.
--
--   server                              client
--   MissionStartPhase1(seq, name)  ->
--                                  <-   MissionStartPhase1Ack(seq)
--   datablocks                     ->
--   MissionStartPhase2(seq, name)  ->
--                                  <-   MissionStartPhase2Ack(seq)
--   ghosts that are always there   ->
--   MissionStartPhase3(seq, name)  ->
--                                  <-   MissionStartPhase3Ack(seq)
--   in the game; MissionStart(seq) ->          and onClientEnterGame(client) in every mod
--
-- A client that stops answering while it joins is dropped by the engine, which watches that a join moves.

local blocks = require "server.blocks"
local names = require "server.names"

-- The mission that runs. Without --mission it is one without a name and without objects.
local mission = { seq = 1, name = "", running = true }
local phases = { mission = mission }

-- Where in the list above a client is: client.own.stage.
local WAITING, ASKED, BLOCKS, ASKED2, GHOSTS, ASKED3, PLAYING = 0, 1, 2, 3, 4, 5, 6

-- at tells whether an answer is the one the client owes now.
local function at(client, seq, stage)
  return mission.running and seq == mission.seq and client.own.stage == stage
end

-- play lets a client into the game: it has everything.
local function play(client)
  client.own.stage = PLAYING
  client:enterGame()
  blocks.catchUp(client)
  commandToClient(client, "MissionStart", mission.seq, mission.name)
  if not client.own.announced then
    client.own.announced = true
    messageAllExcept(client, "MsgClientJoin", "%1 joined the game.", client.name, client.id)
  end
end

-- A bot has nothing to load. It plays when every mod has been told of it, or of the mission.
local function admit(bot)
  local seq = mission.seq
  schedule(0, function()
    if isObject(bot) and mission.running and mission.seq == seq then play(bot) end
  end)
end

local function start(client)
  if client.isBot then return admit(client) end
  client.own.stage = ASKED
  commandToClient(client, "MissionStartPhase1", mission.seq, mission.name)
end

allowCommand("MissionStartPhase1Ack", { args = { "int" } })
allowCommand("MissionStartPhase2Ack", { args = { "int" } })
allowCommand("MissionStartPhase3Ack", { args = { "int" } })

function serverCmd.MissionStartPhase1Ack(client, seq)
  if not at(client, seq, ASKED) then return end
  client.own.stage = BLOCKS
  blocks.send(client, seq)
end

function GameConnection.onDataBlocksDone(client, seq)
  if not at(client, seq, BLOCKS) then return end
  client.own.stage = ASKED2
  commandToClient(client, "MissionStartPhase2", seq, mission.name)
end

function serverCmd.MissionStartPhase2Ack(client, seq)
  if not at(client, seq, ASKED2) then return end
  client.own.stage = GHOSTS
  client:activateGhosting()
end

function GameConnection.onGhostAlwaysObjectsReceived(client)
  if client.own.stage == PLAYING then client:enterGame() end -- ghosting was begun anew in mid-game
  if not at(client, mission.seq, GHOSTS) then return end
  client.own.stage = ASKED3
  commandToClient(client, "MissionStartPhase3", mission.seq, mission.name)
end

function serverCmd.MissionStartPhase3Ack(client, seq)
  if at(client, seq, ASKED3) then play(client) end
end

function GameConnection.onConnect(client)
  client.name = names.unique(client.name, client)
  client.own.stage = WAITING
  if mission.running then start(client) end
end

function GameConnection.onDrop(client, reason)
  client.own.gone = true
  if client.own.announced then
    messageAllExcept(client, "MsgClientDrop", "%1 has left the game (%2).", client.name, reason)
  end
end

-- The engine has ended the old mission and loads the new one between these two.

function onMissionEnd(seq)
  mission.running = false
  for client in clientGroup:each() do
    if client.own.stage ~= WAITING then
      commandToClient(client, "MissionEnd", mission.seq)
      if client.own.stage == PLAYING then messageClient(client, "MsgMissionEnd", "The mission is over.") end
      client:resetGhosting()
      client.own.stage = WAITING
    end
  end
end

function onMissionLoaded(seq, name)
  mission.seq, mission.name, mission.running = seq, name or "", true
  for client in clientGroup:each() do start(client) end
end

-- phases.resume goes on with the mission that runs, and with bots that were about to play.
function phases.resume(old)
  for key, value in pairs(old.mission) do mission[key] = value end
  if not mission.running then return end
  for client in clientGroup:each() do
    if client.isBot and client.own.stage == WAITING then admit(client) end
  end
end

return phases
