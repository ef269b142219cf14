-- What a game orders. The tests stand in for the hub.

local sent

local function away()
  sent = {}
  rounds.transfer = function(client, server) sent[#sent + 1] = { client.name, server } end
end

test("/hub leads back", function()
  away()
  local ann = client { name = "Ann", halves = false }
  ann:say "/hub"
  waitFor(function() return #sent > 0 end)
  equal(sent, { { "Ann", "hub" } })
end)

test("at the end of a round, only the players of the queue go back", function()
  away()
  local ann = client { name = "Ann", halves = false }
  client { name = "Ben", halves = false }
  ann.client.own.round = 7
  onRoundEnd()
  equal(sent, { { "Ann", "hub" } })
  onRoundEnd()
  equal(#sent, 1, "once")
end)

test("the data of another server is a stranger's", function()
  for _, data in ipairs { false, "7", {}, { round = "7" }, { round = {} } } do
    equal(rounds.of { from = "hub", data = data }, nil)
  end
  equal(rounds.of(nil), nil)
  equal(rounds.of { from = "hub", data = { round = 7 } }, 7)
end)
