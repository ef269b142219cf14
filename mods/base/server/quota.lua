-- Bots to play with: as many as sv.bots says come, and go again when it says fewer.

local wanted = setting "sv.bots" { default = 0, min = 0, max = 1000, description = "how many bots play along" }

local EVERY, ATONCE = 200, 4 -- ms between two counts, and how many bots come in between
local callsigns = {
  "Abacus", "Bramble", "Cinder", "Dynamo", "Ember", "Flint", "Gasket", "Hatchet",
  "Ingot", "Juniper", "Kestrel", "Lantern", "Magnet", "Nettle", "Osprey", "Piston",
}

local quota = { bots = {}, next = 0 } -- those that came from here, the oldest first; and when they are counted

-- here forgets those that have left.
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
  if ok then quota.bots[n] = bot end -- else the server is full
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

-- quota.resume goes on with the bots that are there, and counts them when it was time to.
function quota.resume(old)
  cancel(first)
  quota.bots, quota.next = old.bots, old.next
  schedule(math.max(0, old.next - now()), count)
end

return quota
