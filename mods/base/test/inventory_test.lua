-- The inventory of a body: limits, ammunition, throwing and picking up.
local base = import "base"

datablock "ItemData" "TestDiscs" { radius = 0.3 }
datablock "ItemData" "TestMines" { radius = 0.3 }
datablock "ShapeBaseImageData" "TestLauncher" { usesAmmo = true, ammo = "TestDiscs" }
datablock "PlayerData" "TestBody" { maxInventory = { TestDiscs = 15 } }

-- told are the calls of onInventory.
local told = {}
function onInventory(body, item, n) told[#told + 1] = item.name .. " " .. n end

local function soldier(place) return new "Player" { dataBlock = "TestBody", position = place or vec(0, 0, 500) } end

test("numbers stay within the limits of the datablock, and changes are told", function()
  local body = soldier()
  told = {}
  equal({ base.maxInventory(body, "TestDiscs"), base.maxInventory(body, "TestMines") }, { 15, 0 })
  equal({ base.setInventory(body, "TestDiscs", 10), base.getInventory(body, "testdiscs") }, { 10, 10 })
  equal({ base.incInventory(body, find "TestDiscs", 9), base.getInventory(body, "TestDiscs") }, { 5, 15 })
  equal({ base.incInventory(body, "TestDiscs", 1), base.incInventory(body, "TestMines", 1) }, { 0, 0 })
  equal({ base.decInventory(body, "TestDiscs", 4), base.decInventory(body, "TestDiscs", 99) }, { 4, 11 })
  equal(base.decInventory(body, "TestDiscs", -5), 0)
  equal(base.setInventory(body, "TestDiscs", -3), 0)
  equal(told, { "TestDiscs 10", "TestDiscs 15", "TestDiscs 11", "TestDiscs 0" })
  fails(function() base.getInventory(body, "Nothing") end, "there is no item Nothing")
  fails(function() base.getInventory(body, "TestBody") end, "there is no item")
  fails(function() base.setInventory(body, "TestDiscs", 0 / 0) end, "the number of an item must be a number")
  body:delete()
end)

test("the rounds of the mounted image are the inventory", function()
  local body = soldier()
  base.setInventory(body, "TestDiscs", 10)
  body:mountImage("TestLauncher", 0)
  equal(body:imageAmmo(0), 10)
  body:setImageAmmo(0, 7)
  equal(base.getInventory(body, "TestDiscs"), 7)
  base.incInventory(body, "TestDiscs", 2)
  equal(body:imageAmmo(0), 9)
  body:delete()
end)

test("a thrown item is one that others pick up", function()
  local body, other = soldier(), soldier(vec(50, 0, 500))
  base.setInventory(body, "TestDiscs", 10)
  base.setInventory(other, "TestDiscs", 12)
  equal(base.throw(body, "TestMines", 1), nil)
  local thing = base.throw(body, "TestDiscs", 8)
  equal({ thing.dataBlock.name, base.getInventory(body, "TestDiscs") }, { "TestDiscs", 2 })
  equal(base.pickup(body, thing), 0, "not at once")
  equal({ base.pickup(other, thing), isObject(thing) }, { 3, true })
  equal({ base.pickup(other, thing), isObject(thing) }, { 0, true })
  wait(1100)
  equal({ base.pickup(body, thing), isObject(thing) }, { 5, false })
  local placed = new "Item" { dataBlock = "TestDiscs", position = vec(0, 0, 500) }
  equal({ base.pickup(body, placed, 4), base.getInventory(body, "TestDiscs"), isObject(placed) }, { 4, 11, false })
  body:damage(nil, body.position, 1000, "")
  ticks(1)
  placed = new "Item" { dataBlock = "TestDiscs", position = vec(0, 0, 500) }
  equal(base.pickup(body, placed), 0, "the dead take nothing")
  placed:delete()
  body:delete()
  other:delete()
end)

-- lying counts the items in the world.
local function lying()
  local n = 0
  for _ in objects "Item" do n = n + 1 end
  return n
end

test("thrown items disappear, and a body has few of them", function()
  local body = soldier()
  for _ = 1, 6 do
    base.setInventory(body, "TestDiscs", 5)
    base.throw(body, "TestDiscs", 5)
  end
  equal(lying(), 4)
  local bodies = {}
  for i = 1, 140 do
    bodies[i] = soldier()
    base.setInventory(bodies[i], "TestDiscs", 1)
    base.throw(bodies[i], "TestDiscs")
  end
  equal(lying(), 128)
  for _, b in ipairs(bodies) do b:delete() end
  body:delete()
  wait(20200)
  equal(lying(), 0)
end)
