-- The client's answers during a join (see server/phases.lua). If a client needs time between two
-- phases, for example to load a map, override one of these functions. Answer later: with parent(),
-- or with the command that is the answer.

local voicemenu = require "client.voicemenu"

-- Before an answer, base says that this side runs the next phase by itself as soon as its material
-- is here. So that phase waits for no message of the server.
local join = {
  seq = 0, name = "", -- the mission
  answered = 0,       -- the phase that base has answered last, 0 if another mod answers
  blocks = -1,        -- the newest transmission of datablocks that has arrived
}

local function follow(phase)
  join.answered = 0
  runCommand("MissionStartPhase" .. phase, join.seq, join.name)
end

local function answer(phase, seq, name)
  join.answered, join.seq = phase, seq
  join.name = name
  commandToServer("MissionPhaseFollows", seq, phase + 1)
  commandToServer("MissionStartPhase" .. phase .. "Ack", seq)
end

function clientCmd.MissionStartPhase1(seq, name)
  answer(1, seq, name)
  if join.blocks == seq then follow(2) end
end

function clientCmd.MissionStartPhase2(seq, name) answer(2, seq, name) end
function clientCmd.MissionStartPhase3(seq) commandToServer("MissionStartPhase3Ack", seq) end

function GameConnection.onDataBlocksArrived(server, seq)
  join.blocks = seq
  if join.answered == 1 and join.seq == seq then follow(2) end
end

function GameConnection.onGhostAlwaysArrived(server)
  if join.answered == 2 then follow(3) end
end

function GameConnection.onConnectionDropped(server)
  join.answered, join.blocks = 0, -1
  voicemenu.clear()
end

-- The server sends these to every client; base does nothing with them.
function clientCmd.MissionStart() end
function clientCmd.MissionEnd() end

-- join.resume goes on with a join after a reload.
function join.resume(old)
  for key, value in pairs(old) do join[key] = value end
end

return join
