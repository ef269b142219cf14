-- Loadouts: an armor, its weapons, and their ammunition. A player holds one weapon at a time. The
-- ammunition is in the inventory (base.getInventory), and maxInventory of the armor limits it.

local base = import "base"

local loadouts = {
  order = { "light", "medium", "heavy" },
  light = { armor = "LightArmor", weapons = { "DiscLauncher", "Chaingun", "LaserRifle" } },
  medium = { armor = "MediumArmor", weapons = { "DiscLauncher", "Chaingun" } },
  heavy = { armor = "HeavyArmor", weapons = { "DiscLauncher", "Chaingun", "Mortar" } },
}

-- The names of the loadouts as players read them, and which there are.
loadouts.names, loadouts.known = {}, {}
for i, name in ipairs(loadouts.order) do loadouts.names[i], loadouts.known[name] = text(name), true end

local AMMO = { DiscLauncher = "DiscAmmo", Chaingun = "ChaingunAmmo", Mortar = "MortarAmmo" } -- the laser rifle needs none
local ITEMS = { "DiscAmmo", "ChaingunAmmo", "MortarAmmo" }
local HAND = 0     -- the weapon slot of the fire trigger
local MANY = 10000 -- more of an item than any armor can have

-- The names of weapons as players read them, and the weapons by their ammunition.
loadouts.titles = {
  DiscLauncher = text "disc_launcher", Chaingun = text "chaingun", Mortar = text "mortar", LaserRifle = text "laser_rifle",
}
loadouts.fires = {}
for weapon, item in pairs(AMMO) do loadouts.fires[item] = weapon end

-- loadouts.of returns the loadout that a client has chosen.
function loadouts.of(client) return loadouts[client.own.loadout or "light"] end

-- loadouts.after returns the name of the loadout after the client's current one.
function loadouts.after(client)
  for i, name in ipairs(loadouts.order) do
    if name == (client.own.loadout or "light") then return loadouts.order[i % #loadouts.order + 1] end
  end
end

-- loadouts.weapon returns the name of the weapon in hand. loadouts.left returns its ammunition, or
-- nil if it needs none. A caller that knows the weapon can pass it.
function loadouts.weapon(player)
  local image = player:mountedImage(HAND)
  return image and image.name
end

function loadouts.left(player, weapon)
  return AMMO[weapon or loadouts.weapon(player)] and player:imageAmmo(HAND)
end

-- loadouts.ammo returns the name of the item that the weapon in hand fires, or nil.
function loadouts.ammo(player) return AMMO[loadouts.weapon(player)] end

-- loadouts.hold switches to the n-th weapon, if there is one.
function loadouts.hold(player, n)
  local name = player.own.weapons[n]
  if not name or name == loadouts.weapon(player) then return end
  player:mountImage(find(name), HAND)
end

-- loadouts.refill gives a player full ammunition: all that the armor can have.
function loadouts.refill(player)
  for _, item in ipairs(ITEMS) do base.setInventory(player, item, MANY) end
end

-- loadouts.equip gives a player the weapons of the client's loadout.
function loadouts.equip(player, client)
  player.own.weapons = loadouts.of(client).weapons
  loadouts.refill(player)
  loadouts.hold(player, 1)
end

return loadouts
