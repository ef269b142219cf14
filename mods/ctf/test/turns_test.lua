local turns = require "server.turns"

test("each client has one turn per round, and no two share a tick", function()
  local all = {}
  for i, name in ipairs { "Ann", "Bob", "Cid" } do all[i] = client { name = name }.client end
  local had = {}
  local run = turns(4, function(client) return client ~= all[2] end, function(client) had[#had + 1] = client.name end)
  local after = {}
  for tick = 0, 7 do
    run(tick)
    after[#after + 1] = #had
  end
  equal(had, { "Ann", "Cid", "Ann", "Cid" })
  equal(after, { 1, 1, 2, 2, 3, 3, 4, 4 })
end)

test("a client that no longer belongs has no turn, even within the round", function()
  client { name = "Ann" }
  local bob = client { name = "Bob" }.client
  local had, gone = {}, nil
  local run = turns(2, function(client) return client ~= gone end, function(client) had[#had + 1] = client.name end)
  run(0)
  gone = bob
  run(1)
  equal(had, { "Ann" })
end)

test("after a reload within a round, the clients of the later ticks have their turns", function()
  for _, name in ipairs { "Ann", "Bob", "Cid" } do client { name = name } end
  local had = {}
  local run = turns(4, function() return true end, function(client) had[#had + 1] = client.name end)
  for tick = 1, 3 do run(tick) end
  equal(had, { "Bob", "Cid" })
end)
