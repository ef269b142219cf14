-- The client's answers while it joins (see server/phases.lua). A client that needs time between two
-- phases, to load a map, overrides one of these and answers later.

function clientCmd.MissionStartPhase1(seq) commandToServer("MissionStartPhase1Ack", seq) end
function clientCmd.MissionStartPhase2(seq) commandToServer("MissionStartPhase2Ack", seq) end
function clientCmd.MissionStartPhase3(seq) commandToServer("MissionStartPhase3Ack", seq) end

-- Nothing to do yet, but these are said to every client.
function clientCmd.MissionStart() end
function clientCmd.MissionEnd() end
