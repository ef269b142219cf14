-- Joining, and changing the mission. The server sends each phase, the client acknowledges it.
-- Every message carries the number of the mission, so the server can ignore outdated answers.
--
--   server                              client
--   MissionStartPhase1(seq, name)  ->
--                                  <-   MissionStartPhase1Ack(seq)
--   datablocks                     ->
--   MissionStartPhase2(seq, name)  ->
--                                  <-   MissionStartPhase2Ack(seq)
--   objects with setScopeAlways    ->
--   MissionStartPhase3(seq, name)  ->
--                                  <-   MissionStartPhase3Ack(seq)
--   in the game; MissionStart(seq) ->          and onClientEnterGame(client) in every mod
--
-- The engine drops a client that stops answering during a join.

local blocks = require "server.blocks"
local names = require "server.names"
local flood = require "server.flood"

local MAX_REASON = 64 -- characters of the reason of a leave: the peer can write it

-- The current mission. Without --mission, it has no name and no objects.
local mission = { seq = 1, name = "", running = true }
local phases = { mission = mission }

-- Values of client.own.stage: the position of a client in the list above.
local WAITING, ASKED, BLOCKS, ASKED2, GHOSTS, ASKED3, PLAYING = 0, 1, 2, 3, 4, 5, 6

-- at reports whether an answer is for the current mission and the current stage of the client.
local function at(client, seq, stage)
  return mission.running and seq == mission.seq and client.own.stage == stage
end

-- play lets a client into the game after it has received everything.
local function play(client)
  client.own.stage = PLAYING
  client:enterGame()
  blocks.catchUp(client)
  commandToClient(client, "MissionStart", mission.seq, mission.name)
  if not client.own.announced then
    client.own.announced = true
    if flood.news(client) then return end
    messageAllExcept(client, "MsgClientJoin", "%1 joined the game.", client.name, client.id)
  end
end

-- admit lets a bot into the game. A bot has nothing to load, but it waits until every mod has
-- handled its onConnect, or the loaded mission.
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
  if client.own.stage == PLAYING then client:enterGame() end -- ghosting was restarted during the game
  if not at(client, mission.seq, GHOSTS) then return end
  client.own.stage = ASKED3
  commandToClient(client, "MissionStartPhase3", mission.seq, mission.name)
end

function serverCmd.MissionStartPhase3Ack(client, seq)
  if at(client, seq, ASKED3) then play(client) end
end

function GameConnection.onConnect(client)
  names.give(client, client.name)
  client.own.stage = WAITING
  if mission.running then start(client) end
end

function GameConnection.onDrop(client, reason)
  client.own.gone = true
  names.free(client)
  if not client.own.announced or flood.news(client) then return end
  if client.muted then reason = "muted" end
  messageAllExcept(client, "MsgClientDrop", "%1 has left the game (%2).", client.name, names.plain(reason, MAX_REASON))
end

-- Between these two events, the engine deletes the old mission and loads the new one.

local function stop(client)
  if client.own.stage == WAITING then return end
  commandToClient(client, "MissionEnd", mission.seq)
  if client.own.stage == PLAYING then messageClient(client, "MsgMissionEnd", "The mission is over.") end
  client:resetGhosting()
  client.own.stage = WAITING
end

function onMissionEnd(seq)
  mission.running = false
  for client in clientGroup:each() do pcallFor(client, stop) end
end

function onMissionLoaded(seq, name)
  mission.seq, mission.name, mission.running = seq, name or "", true
  for client in clientGroup:each() do pcallFor(client, start) end
end

-- phases.resume takes over the current mission after a reload, and admits bots that still wait.
function phases.resume(old)
  for key, value in pairs(old.mission) do mission[key] = value end
  if not mission.running then return end
  for client in clientGroup:each() do
    if client.isBot and client.own.stage == WAITING then admit(client) end
  end
end

return phases
