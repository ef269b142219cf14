-- Tests of NAME. Run them with  torc mod test FOLDER/NAME
-- They run on their own server, in the Lua state of server/init.lua. Time passes only while a test
-- waits.

test("a player starts with a body and no coins", function()
  local ann = client { name = "Ann" }
  equal(ann.client.own.coins, 0)
  truthy(ann.client.controlObject)
  truthy(table.concat(ann:lines(), "\n"):find("Welcome to NAME", 1, true), "Ann gets the welcome message")
end)

test("a player who touches a coin gets it, and the client shows the count", function()
  local ann = client { name = "Ann" }
  local coin
  for item in objects "Item" do coin = item end
  ann.client.controlObject.position = coin.position
  waitFor(function() return not isObject(coin) end, 2000, "the coin is still there")
  equal(ann.client.own.coins, 1)
  waitFor(function() return ann:hud(1) == "coins 1" end)
end)

test("a player with enough coins wins", function()
  local ann = client { name = "Ann" }
  for _ = 1, 3 do pick(ann.client.controlObject, new "Item" { dataBlock = Coin }) end
  wait(100)
  local lines = ann:lines()
  equal(lines[#lines], "Ann has won.")
end)
