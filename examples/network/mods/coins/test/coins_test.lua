-- What the mod does with purses. A server without a fleet has them on its own disk.

-- result calls a function with done, and returns what done gets.
local function result(fn, ...)
  local got
  local args = { ... }
  args[#args + 1] = function(ok, why) got = { ok, why } end
  fn(unpack(args))
  waitFor(function() return got end)
  return got[1], got[2]
end

test("a player earns coins in the game", function()
  local ann = client { name = "Ann", halves = false }
  onFrag(ann.client)
  waitFor(function() return coins.of(ann.client.key) == 1 end)
  onFlagCaptured(nil, { own = { client = ann.client } })
  waitFor(function() return coins.of(ann.client.key) == 6 end)
  ann:say "/coins"
  waitFor(function() return table.concat(ann:lines(), "\n"):find("You have 6 coins.", 1, true) end)
  equal(coins.waiting, 0)
end)

test("an operator pays", function()
  local ben = client { name = "Ben", halves = false }
  console "pay Ben 3"
  waitFor(function() return coins.of(ben.client.key) == 3 end)
  equal(console "pay Ben 0.5", "N must be 1 to 1000000 coins: pay NAME N")
end)

test("a gift changes both purses or none", function()
  local ann, ben = client { name = "Ann", halves = false }, client { name = "Ben", halves = false }
  local from, to = ann.client.key, ben.client.key
  truthy(result(coins.earn, from, 5))
  ann:say "/give Ben 2"
  waitFor(function() return coins.of(to) == 2 end)
  equal(coins.of(from), 3)
  failStore()
  local ok = result(coins.give, from, to, 1)
  equal(ok, false)
  equal({ coins.of(from), coins.of(to) }, { 3, 2 })
end)

test("some gifts are none", function()
  truthy(result(coins.earn, "ann", 5))
  for _, gift in ipairs { { "ann", 1 }, { "ben", 0 }, { "ben", -1 }, { "ben", 0.5 }, { "ben", 0 / 0 } } do
    local ok, why = result(coins.give, "ann", gift[1], gift[2])
    equal(ok, false)
    equal(why, "that is no gift")
  end
  local ok, why = result(coins.give, "ann", "ben", 6)
  equal(ok, false)
  equal(why, "there are not enough coins")
  equal({ coins.of "ann", coins.of "ben" }, { 5, 0 })
end)

test("a purse of a stranger is checked", function()
  for _, value in ipairs { "7", -1, 0.5, 1 / 0, false, { 7 } } do
    shared:put("eve", value)
    equal(coins.of "eve", 0)
  end
end)

test("a fleet that does not answer holds up a number of changes", function()
  coins.waiting = 1000
  local ok, why = result(coins.earn, "ann", 1)
  coins.waiting = 0
  equal(ok, false)
  equal(why, "the fleet does not answer")
end)
