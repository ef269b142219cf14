-- Coins that all servers of a network share. The purse of a player is a number, under the player's
-- key. The fleet has it, so a server or a node of NATS can die at any time: a coin that was
-- acknowledged is never lost, and never there twice.

local base = import "base"

local FRAG, CAPTURE = 1, 5
local TRIES = 8
local MOST = 1e12 -- coins of a purse: far above, a number no longer counts each one
-- Changes that wait for the fleet. torc takes more, so both puts of a gift have room.
local WAITING = 1000
local CONFLICT = "another server has changed the value"

coins = { waiting = 0 }

-- amount checks what another server has written: it is a stranger's data.
local function amount(value)
  return type(value) == "number" and value >= 0 and value <= MOST and value == math.floor(value) and value or 0
end

-- coins.of returns the coins of the player with a key.
function coins.of(key) return amount(shared:get(key)) end

-- change makes a change that goes to the fleet, and counts it while it waits. fn can fail: there
-- may be no room for a purse (fleet.maxShared).
local function change(done, fn)
  if coins.waiting >= WAITING then return done(false, "the fleet does not answer") end
  coins.waiting = coins.waiting + 1
  local function ended(ok, why)
    coins.waiting = coins.waiting - 1
    done(ok, why)
  end
  local ok, why = pcall(fn, ended)
  if not ok then ended(false, why) end
end

-- coins.earn adds n coins to a purse. If another server is faster, the update runs again with the
-- newer number. done(true) says that the fleet has the coins on its disks: tell the player then,
-- and not before.
function coins.earn(key, n, done)
  change(done, function(ended)
    shared:update(key, function(had) return amount(had) + n end, ended)
  end)
end

-- coins.give moves n coins from one purse to another. Both puts are in one tick, so both happen or
-- none. The first put alone can have no room: the second one makes a purse smaller.
function coins.give(from, to, n, done, try)
  if from == to or n < 1 or n ~= math.floor(n) then return done(false, "that is no gift") end
  if coins.of(from) < n then return done(false, "there are not enough coins") end
  local function ends(ok, why)
    if why ~= CONFLICT or (try or 1) == TRIES then return done(ok, why) end
    coins.give(from, to, n, done, (try or 1) + 1) -- the purses have the newer numbers now
  end
  change(ends, function(ended)
    shared:put(to, coins.of(to) + n, ended)
    shared:put(from, coins.of(from) - n)
  end)
end

export("of", coins.of)
export("earn", function(key, n) coins.earn(key, n, function(ok, why) if not ok then warn("no coins: " .. why) end end) end)

-- The game ---------------------------------------------------------------------------------------------

local function tell(client, ...)
  if isObject(client) then base.messageClient(client, "MsgCoins", ...) end
end

-- pay rewards a player, on whichever server it is.
local function pay(client, n)
  if not client or not isObject(client) or client.isBot then return end
  local key = client.key
  coins.earn(key, n, function(ok, why)
    if ok then tell(client, "You have %1 coins.", coins.of(key)) else tell(client, "You get no coins: %1.", why) end
  end)
end

function onFrag(client) pay(client, FRAG) end                                -- of deathmatch
function onFlagCaptured(_, player) pay(player.own.client, CAPTURE) end       -- of ctf

addCommand {
  name = "pay", params = "NAME N", description = "gives a player coins",
  run = function(_, name, n)
    local client, why = player(name or "")
    n = tonumber(n)
    if not client then return why end
    if not n or n < 1 or n > 1e6 or n ~= math.floor(n) then return "N must be 1 to 1000000 coins: pay NAME N" end
    pay(client, n)
  end,
}

addCommand {
  name = "coins", description = "says how many coins you have", chat = true,
  run = function(client)
    if not client then return "players do this, as /coins" end
    return "You have " .. coins.of(client.key) .. " coins."
  end,
}

addCommand {
  name = "give", params = "NAME N", description = "gives coins to a player", chat = true,
  run = function(client, name, n)
    if not client then return "players do this, as /give NAME N" end
    local other, why = player(name or "")
    if not other then return why end
    coins.give(client.key, other.key, tonumber(n) or 0, function(ok, reason)
      if not ok then return tell(client, "You give nothing: %1.", reason) end
      tell(client, "You have %1 coins.", coins.of(client.key))
      if isObject(other) then tell(other, "%1 gives you %2 coins.", client.name, n) end
    end)
  end,
}
