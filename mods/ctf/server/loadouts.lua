-- Loadouts: an armor, its weapons, and their ammunition. A player holds one weapon at a time.
-- player.own.ammo keeps the ammunition of the others.

local loadouts = {
  order = { "light", "medium", "heavy" },
  light = { armor = "LightArmor", weapons = { "DiscLauncher", "Chaingun", "LaserRifle" } },
  medium = { armor = "MediumArmor", weapons = { "DiscLauncher", "Chaingun" } },
  heavy = { armor = "HeavyArmor", weapons = { "DiscLauncher", "Chaingun", "Mortar" } },
}

-- The names of the loadouts as players read them, and which there are.
loadouts.names, loadouts.known = {}, {}
for i, name in ipairs(loadouts.order) do loadouts.names[i], loadouts.known[name] = text(name), true end

local AMMO = { DiscLauncher = 15, Chaingun = 150, Mortar = 10 } -- the laser rifle needs none
local HAND = 0 -- the weapon slot of the fire trigger

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

-- keep stores the ammunition of the weapon in hand.
local function keep(player)
  local name = loadouts.weapon(player)
  if AMMO[name] then player.own.ammo[name] = player:imageAmmo(HAND) end
end

-- loadouts.hold switches to the n-th weapon, if there is one.
function loadouts.hold(player, n)
  local name = player.own.weapons[n]
  if not name or name == loadouts.weapon(player) then return end
  keep(player)
  player:mountImage(find(name), HAND)
  if AMMO[name] then player:setImageAmmo(HAND, player.own.ammo[name]) end
end

-- loadouts.refill gives a player full ammunition.
function loadouts.refill(player)
  player.own.ammo = {}
  for name, most in pairs(AMMO) do player.own.ammo[name] = most end
  local name = loadouts.weapon(player)
  if AMMO[name] then player:setImageAmmo(HAND, AMMO[name]) end
end

-- loadouts.equip gives a player the weapons of the client's loadout.
function loadouts.equip(player, client)
  player.own.weapons = loadouts.of(client).weapons
  loadouts.refill(player)
  loadouts.hold(player, 1)
end

return loadouts
