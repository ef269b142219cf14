-- Death messages: one line to everybody, with killer, victim and cause.

local messageAll = import "base".messageAll

local obituary = {}

-- By damage type: %1 is the victim, %2 the killer.
local texts = {
  disc = tag "%1 caught %2's disc.",
  chaingun = tag "%2 gunned down %1.",
  mortar = tag "%1 stood where %2's mortar fell.",
  laser = tag "%2 picked off %1.",
  turret = tag "A turret got %1.",
  impact = tag "%1 forgot to land.",
  vehicle = tag "%2 ran over %1.",
}
local killed, own, died = tag "%2 killed %1.", tag "%1 did it alone.", tag "%1 is no more."

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
