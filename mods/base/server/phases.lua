-- Joining, and changing the mission. Every message carries the number of the mission, so the server
-- can ignore outdated answers.
--
--   server                              client
--   MissionStartPhase1(seq, name)  ->
--   datablocks                     ->
--                                  <-   MissionPhaseFollows(seq, 2), MissionStartPhase1Ack(seq)
--                                  <-   MissionPhaseFollows(seq, 3), MissionStartPhase2Ack(seq)
--   objects with setScopeAlways    ->
--                                  <-   MissionStartPhase3Ack(seq)
--   in the game; MissionStart(seq) ->          and onClientEnterGame(client) in every mod
--
-- MissionPhaseFollows says that the client runs that phase by itself, when the datablocks or the
-- objects have arrived. Otherwise the server sends MissionStartPhase2 or MissionStartPhase3.
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
local WAITING, ASKED, ASKED2, GHOSTS, ASKED3, PLAYING = 0, 1, 2, 3, 4, 5

-- play lets a client into the game after it has received everything.
local function play(client)
  client.own.stage = PLAYING
  client:enterGame()
  blocks.catchUp(client)
  commandToClient(client, "MissionStart", mission.seq, mission.name)
  if not client.own.announced then
    client.own.announced = true
    if flood.news(client) then return end
    messageAllExcept(client, "MsgClientJoin", text "joined", client.name, client.id)
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
  local own = client.own
  own.stage, own.follows = ASKED, 0
  own.transmitted, own.ghostsThere = nil, false
  own.answers = {}
  commandToClient(client, "MissionStartPhase1", mission.seq, mission.name)
  blocks.send(client, mission.seq)
end

-- ask starts a phase, unless the client does that itself or has answered it already.
local function ask(client, phase, follows)
  local own = client.own
  if own.answers[phase] or follows and own.follows >= phase then return end
  commandToClient(client, "MissionStartPhase" .. phase, mission.seq, mission.name)
end

-- advance moves a client on as far as its answers allow. An answer can come before its stage.
local function advance(client)
  local own = client.own
  if own.stage == ASKED and own.answers[1] and own.transmitted then
    own.stage = ASKED2
    ask(client, 2, own.transmitted == mission.seq)
  end
  if own.stage == ASKED2 and own.answers[2] then
    own.stage = GHOSTS
    client:activateGhosting()
  end
  if own.stage == GHOSTS and own.ghostsThere then
    own.stage = ASKED3
    ask(client, 3, true)
  end
  if own.stage == ASKED3 and own.answers[3] then play(client) end
end

-- joins reports whether a message is about the join of a client for the current mission.
local function joins(client, seq)
  return mission.running and seq == mission.seq and client.own.stage ~= WAITING
end

local function answer(client, phase, seq)
  if not joins(client, seq) then return end
  client.own.answers[phase] = true
  advance(client)
end

allowCommand("MissionStartPhase1Ack", { args = { "int" } })
allowCommand("MissionStartPhase2Ack", { args = { "int" } })
allowCommand("MissionStartPhase3Ack", { args = { "int" } })
allowCommand("MissionPhaseFollows", { args = { "int", "int" } })

function serverCmd.MissionStartPhase1Ack(client, seq) answer(client, 1, seq) end
function serverCmd.MissionStartPhase2Ack(client, seq) answer(client, 2, seq) end
function serverCmd.MissionStartPhase3Ack(client, seq) answer(client, 3, seq) end

function serverCmd.MissionPhaseFollows(client, seq, phase)
  if joins(client, seq) then client.own.follows = phase end
end

function GameConnection.onDataBlocksDone(client, seq)
  if client.own.stage ~= ASKED then return end
  client.own.transmitted = seq -- that of another mod if it has called transmitDataBlocks meanwhile
  advance(client)
end

function GameConnection.onGhostAlwaysObjectsReceived(client)
  local own = client.own
  if own.stage == PLAYING then client:enterGame() end -- ghosting was restarted during the game
  if own.stage ~= GHOSTS then return end
  own.ghostsThere = true
  advance(client)
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
  local why = client.muted and text "muted_reason" or names.plain(reason, MAX_REASON)
  messageAllExcept(client, "MsgClientDrop", text("left", client.name, why))
end

-- Between these two events, the engine deletes the old mission and loads the new one.

local function stop(client)
  if client.own.stage == WAITING then return end
  commandToClient(client, "MissionEnd", mission.seq)
  if client.own.stage == PLAYING then messageClient(client, "MsgMissionEnd", text "mission_over") end
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
