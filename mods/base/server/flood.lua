-- Rate limits for everything that one player makes all players read.

local LINES, SECONDS = 8, 10 -- at most LINES lines in SECONDS seconds

local flood = { LINES = LINES, SECONDS = SECONDS }

local said = {} -- the times of the recent lines, by sender
local swept = 0

-- sweep removes the senders without recent lines, at most once in SECONDS.
local function sweep(time)
  if time - swept < SECONDS * 1000 then return end
  swept = time
  for who, times in pairs(said) do
    if time - times[#times] >= SECONDS * 1000 then said[who] = nil end
  end
end

-- count counts a line, and reports whether it exceeds the rate limit.
local function count(who)
  local time = now()
  sweep(time)
  local times = said[who] or {}
  said[who] = times
  while times[1] and time - times[1] >= SECONDS * 1000 do table.remove(times, 1) end
  if #times >= LINES then return true end
  times[#times + 1] = time
  return false
end

-- flood.text counts a line with text of a client. The limit belongs to the client's key, so a client
-- that connects again does not get a new one.
function flood.text(client) return count("key " .. client.key) end

-- flood.news counts a join or a leave that all players are told. The limit belongs to the network
-- of the client, because keys are free.
function flood.news(client)
  return not client.isBot and count("network " .. flood.network(client.address))
end

-- flood.network returns the part of an address that one household shares: an IPv4 address, the first
-- half of an IPv6 address, or another address as it is.
function flood.network(address)
  local v4 = address:match("^(%d+%.%d+%.%d+%.%d+):%d+$")
  if v4 then return v4 end
  local v6 = address:match("^%[([%x:]+)[%%%]]")
  if not v6 then return address end
  local left, right = v6:match("^(.-)::(.*)$")
  local groups, tail = {}, {}
  for g in (left or v6):gmatch("%x+") do groups[#groups + 1] = g end
  for g in (right or ""):gmatch("%x+") do tail[#tail + 1] = g end
  while #groups + #tail < 8 do groups[#groups + 1] = "0" end
  for _, g in ipairs(tail) do groups[#groups + 1] = g end
  return table.concat(groups, ":", 1, 4)
end

export("network", function(client) return flood.network(client.address) end)

return flood
