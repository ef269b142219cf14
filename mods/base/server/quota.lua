-- Keeps the number of bots at the value of the setting sv.bots.

local wanted = setting "sv.bots" { default = 0, min = 0, max = 1000, description = "number of bots" }

local EVERY, ATONCE = 200, 4 -- ms between two counts, and bots added per count
local callsigns = {
  "Abacus", "Bramble", "Cinder", "Dynamo", "Ember", "Flint", "Gasket", "Hatchet",
  "Ingot", "Juniper", "Kestrel", "Lantern", "Magnet", "Nettle", "Osprey", "Piston",
}

local quota = { bots = {}, next = 0 } -- bots that this file added, oldest first; time of the next count

-- here removes bots that have left from the list, and returns how many remain.
local function here()
  local list = {}
  for _, bot in ipairs(quota.bots) do
    if isObject(bot) then list[#list + 1] = bot end
  end
  quota.bots = list
  return #list
end

local function call(n)
  local ok, bot = pcall(addBot, callsigns[(n - 1) % #callsigns + 1])
  if ok then quota.bots[n] = bot end -- otherwise the server is full
  return ok
end

local function count()
  local have = here()
  local most = math.min(math.floor(wanted.value), have + ATONCE)
  while have < most and call(have + 1) do have = have + 1 end
  for n = have, wanted.value + 1, -1 do quota.bots[n]:disconnect("sv.bots") end
  quota.next = now() + EVERY
  schedule(EVERY, count)
end

local first = schedule(0, count)

-- quota.resume takes over the bots after a reload, and keeps the time of the next count.
function quota.resume(old)
  cancel(first)
  quota.bots, quota.next = old.bots, old.next
  schedule(math.max(0, old.next - now()), count)
end

return quota
