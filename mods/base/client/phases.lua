-- The client's answers during a join (see server/phases.lua). If a client needs time between two
-- phases, for example to load a map, override one of these functions and answer later.

function clientCmd.MissionStartPhase1(seq) commandToServer("MissionStartPhase1Ack", seq) end
function clientCmd.MissionStartPhase2(seq) commandToServer("MissionStartPhase2Ack", seq) end
function clientCmd.MissionStartPhase3(seq) commandToServer("MissionStartPhase3Ack", seq) end

-- The server sends these to every client; base does nothing with them.
function clientCmd.MissionStart() end
function clientCmd.MissionEnd() end
