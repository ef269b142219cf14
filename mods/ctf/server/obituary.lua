-- Death messages: one line to everybody, with killer, victim and cause.

local messageAll = import "base".messageAll

local obituary = {}

-- By damage type: %1 is the victim, %2 the killer.
local texts = {
  disc = text "kill_disc", chaingun = text "kill_chaingun", mortar = text "kill_mortar", laser = text "kill_laser",
  turret = text "kill_turret", impact = text "kill_impact", vehicle = text "kill_vehicle",
}
local killed, own, died = text "killed", text "suicide", text "died"

-- obituary.client returns the client of the player that did the damage, or of the vehicle's driver.
function obituary.client(source)
  if not source or not isObject(source) then return nil end
  if source:isMemberOfClass("Vehicle") then source = source:mountedObject(0) end
  local client = source and source.own.client
  return client and isObject(client) and client or nil
end

function obituary.tell(victim, killer, source, type)
  local text = texts[type]
  if killer == victim then
    text = own
  elseif not text or not killer and type ~= "turret" and type ~= "impact" then
    text = killer and killed or died
  end
  messageAll("MsgClientKilled", text, victim.name, killer and killer.name)
end

return obituary
