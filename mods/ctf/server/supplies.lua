-- Ammunition that lies about. Dead players leave that of the weapon in their hand, and living ones
-- throw some to others with the drop key. A player with room takes it by walking over it.

local loadouts = require "server.loadouts"
local base = import "base"

local SHARE = 3    -- a throw is a third of what the armor can have
local SHOWN = 2    -- seconds
local PUSH = vec(0, 0, 3) -- m/s, from the dead

local supplies = {}

-- supplies.dropped leaves the ammunition of a dead player.
function supplies.dropped(player)
  local item = loadouts.ammo(player)
  if item then base.throw(player, item, base.getInventory(player, item), player.velocity * 0.5 + PUSH) end
end

-- supplies.throw throws a part of the ammunition of the weapon in hand.
function supplies.throw(player)
  local item = loadouts.ammo(player)
  if item then base.throw(player, item, math.ceil(base.maxInventory(player, item) / SHARE)) end
end

-- supplies.touch takes an item that a player touches, if it is ammunition.
function supplies.touch(player, thing)
  local weapon = loadouts.fires[thing.dataBlock.name]
  local taken = weapon and base.pickup(player, thing) or 0
  local client = player.own.client
  if taken > 0 and isObject(client) then base.bottomPrint(client, "+%1 %2", SHOWN, taken, loadouts.titles[weapon]) end
end

return supplies
