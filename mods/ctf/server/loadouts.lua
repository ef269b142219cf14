-- Loadouts: an armor, the weapons that go with it, and ammunition for them. A player holds one weapon at
-- a time; what the others have left is kept in player.own.ammo.

local loadouts = {
  order = { "light", "medium", "heavy" },
  light = { armor = "LightArmor", weapons = { "DiscLauncher", "Chaingun", "LaserRifle" } },
  medium = { armor = "MediumArmor", weapons = { "DiscLauncher", "Chaingun" } },
  heavy = { armor = "HeavyArmor", weapons = { "DiscLauncher", "Chaingun", "Mortar" } },
}

local AMMO = { DiscLauncher = 15, Chaingun = 150, Mortar = 10 } -- a laser needs none
local HAND = 0 -- the slot that the fire trigger fires

-- loadouts.of gives the one that a client has chosen.
function loadouts.of(client) return loadouts[client.own.loadout or "light"] end

-- loadouts.after gives the name of the one that follows a client's in the order.
function loadouts.after(client)
  for i, name in ipairs(loadouts.order) do
    if name == (client.own.loadout or "light") then return loadouts.order[i % #loadouts.order + 1] end
  end
end

-- loadouts.weapon is the name of the weapon in hand, loadouts.left its ammunition, nil if it needs none.
function loadouts.weapon(player)
  local image = player:mountedImage(HAND)
  return image and image.name
end

function loadouts.left(player)
  return AMMO[loadouts.weapon(player)] and player:imageAmmo(HAND)
end

-- keep remembers what is left of the weapon in hand.
local function keep(player)
  local name = loadouts.weapon(player)
  if AMMO[name] then player.own.ammo[name] = player:imageAmmo(HAND) end
end

-- loadouts.hold takes the n-th weapon in hand, if there is one.
function loadouts.hold(player, n)
  local name = player.own.weapons[n]
  if not name or name == loadouts.weapon(player) then return end
  keep(player)
  player:mountImage(find(name), HAND)
  if AMMO[name] then player:setImageAmmo(HAND, player.own.ammo[name]) end
end

-- loadouts.refill gives a player all the ammunition that he can carry.
function loadouts.refill(player)
  player.own.ammo = {}
  for name, most in pairs(AMMO) do player.own.ammo[name] = most end
  local name = loadouts.weapon(player)
  if AMMO[name] then player:setImageAmmo(HAND, AMMO[name]) end
end

-- loadouts.equip gives a new player what its client has chosen.
function loadouts.equip(player, client)
  player.own.weapons = loadouts.of(client).weapons
  loadouts.refill(player)
  loadouts.hold(player, 1)
end

return loadouts
