-- The inventory of bodies, with Torque's names. The engine has the numbers (itemCount): the rounds in a
-- mounted image are a part of them, and a shot takes one without any Lua. The datablock of a body says
-- how many it can have: maxInventory = { DiscAmmo = 15 }. onInventory(body, item, n) runs in every mod
-- when one of these functions has changed a number; a shot calls onFire instead.

local POP = 20000         -- ms until a thrown item disappears
local OWN = 1000          -- ms during which the body that threw it cannot take it back
local SPEED = 8           -- m/s
local EACH, ALL = 4, 128  -- thrown items that lie about: of a body, and of all

local inventory = {}
local lying = {} -- the thrown items, the oldest first

-- itemOf returns the datablock of an item: itself, or that with the name.
local function itemOf(item)
  local data = type(item) == "string" and find(item) or item
  if type(data) == "number" or not isObject(data) or data.className ~= "ItemData" then error("there is no item " .. tostring(item), 3) end
  return data
end

local function amount(n)
  if type(n) ~= "number" or n ~= n then error("the number of an item must be a number, not " .. tostring(n), 3) end
  return math.floor(n)
end

local function most(body, data)
  local limits = body.dataBlock.maxInventory
  return limits and limits[data.name] or 0
end

-- set changes a number within 0 and the limit, tells all mods, and returns it.
local function set(body, data, n)
  n = math.max(0, math.min(n, most(body, data)))
  if n ~= body:itemCount(data) then
    body:setItemCount(data, n)
    broadcast("onInventory", body, data, n)
  end
  return n
end

local function maxInventory(body, item) return most(body, itemOf(item)) end
local function getInventory(body, item) return body:itemCount(itemOf(item)) end
local function setInventory(body, item, n) return set(body, itemOf(item), amount(n)) end

-- incInventory adds n of an item, as far as there is room, and returns how many it has added.
local function incInventory(body, item, n)
  local data = itemOf(item)
  local before = body:itemCount(data)
  local added = math.min(amount(n), most(body, data) - before)
  if added <= 0 then return 0 end
  return set(body, data, before + added) - before
end

-- decInventory takes n of an item, as far as there are some, and returns how many it has taken.
local function decInventory(body, item, n)
  local data = itemOf(item)
  local before = body:itemCount(data)
  local taken = math.min(amount(n), before)
  if taken <= 0 then return 0 end
  return before - set(body, data, before - taken)
end

-- forget removes a thrown item from the list.
local function forget(thing)
  for i, other in ipairs(lying) do
    if other == thing then return table.remove(lying, i) end
  end
end

-- removeOldest deletes the oldest of the thrown items for which which(thing) is true.
local function removeOldest(which)
  for i, thing in ipairs(lying) do
    if which(thing) then
      table.remove(lying, i)
      return thing:delete()
    end
  end
end

-- sweep forgets what is gone, and makes room for one more item of a body.
local function sweep(body)
  local n = 0
  for i = #lying, 1, -1 do
    if not isObject(lying[i]) then table.remove(lying, i) elseif lying[i].own.thrower == body then n = n + 1 end
  end
  if n >= EACH then removeOldest(function(thing) return thing.own.thrower == body end) end
  if #lying >= ALL then removeOldest(function() return true end) end
end

-- throw takes n of an item out of the inventory and makes an Item of them, which flies where the body
-- looks. It returns the Item, or nil if there are none. push is another velocity.
local function throw(body, item, n, push)
  local data = itemOf(item)
  local taken = decInventory(body, data, n or 1)
  if taken == 0 then return nil end
  sweep(body)
  local thing = new "Item" {
    dataBlock = data, position = body.position + vec(0, 0, 1),
    velocity = push or body.velocity + body:getEyeVector() * SPEED + vec(0, 0, 2),
  }
  local own = thing.own
  own.count, own.thrower, own.thrown = taken, body, now()
  missionGroup:add(thing)
  lying[#lying + 1] = thing
  thing:schedule(POP, "delete")
  return thing
end

-- pickup puts an Item into the inventory, as far as there is room, and returns how many it has taken.
-- The Item disappears with its last one. n is how many it has if nobody threw it.
local function pickup(body, thing, n)
  local own = thing.own
  if body:isDestroyed() or own.thrower == body and now() < own.thrown + OWN then return 0 end
  local count = own.count or amount(n or 1)
  local taken = incInventory(body, thing.dataBlock, count)
  own.count = count - taken
  if own.count <= 0 then
    forget(thing)
    thing:delete()
  end
  return taken
end

for name, fn in pairs {
  maxInventory = maxInventory, getInventory = getInventory, setInventory = setInventory, incInventory = incInventory,
  decInventory = decInventory, throw = throw, pickup = pickup,
} do export(name, fn) end

-- inventory.resume finds the thrown items after a reload, and schedules their end again.
function inventory.resume()
  for thing in objects "Item" do
    if thing.own.thrown then
      lying[#lying + 1] = thing
      thing:schedule(math.max(0, thing.own.thrown + POP - now()), "delete")
    end
  end
  table.sort(lying, function(a, b)
    if a.own.thrown ~= b.own.thrown then return a.own.thrown < b.own.thrown end
    return a.id < b.id
  end)
end

return inventory
