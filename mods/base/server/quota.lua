-- Bots to play with: as many as sv.bots says come, and go again when it says fewer.

local wanted = setting "sv.bots" { default = 0, min = 0, max = 1000, description = "how many bots play along" }

local EVERY, ATONCE = 200, 4 -- ms between two counts, and how many bots come in between
local callsigns = {
  "Abacus", "Bramble", "Cinder", "Dynamo", "Ember", "Flint", "Gasket", "Hatchet",
  "Ingot", "Juniper", "Kestrel", "Lantern", "Magnet", "Nettle", "Osprey", "Piston",
}

local bots = {} -- that came from here, the oldest first

-- here forgets those that have left.
local function here()
  local list = {}
  for _, bot in ipairs(bots) do
    if isObject(bot) then list[#list + 1] = bot end
  end
  bots = list
  return #bots
end

local function call(n)
  local ok, bot = pcall(addBot, callsigns[(n - 1) % #callsigns + 1])
  if ok then bots[n] = bot end -- else the server is full
  return ok
end

local function count()
  local have = here()
  local most = math.min(math.floor(wanted.value), have + ATONCE)
  while have < most and call(have + 1) do have = have + 1 end
  for n = have, wanted.value + 1, -1 do bots[n]:disconnect("sv.bots") end
  schedule(EVERY, count)
end

schedule(0, count)
