-- These tests run with base alone, without the mods of a game.

test("joins and leaves are announced to the others", function()
  local ann = client { name = "Ann" }
  local bob = client { name = "Bob" }
  wait(100)
  equal(ann:lines(), { "Bob joined the game." })
  equal(bob:lines(), {})
  bob:leave("supper")
  waitFor(function() return #clientGroup == 1 end)
  wait(100)
  equal(ann:lines(), { "Bob has left the game (supper)." })
end)

test("a join succeeds over a bad link", function()
  for i = 1, 3 do
    local c = client { name = "Far " .. i }
    network(c, { loss = 0.3, delay = 100, jitter = 50 })
    c:command("MessageSent", "hello " .. i)
    waitFor(function() return table.concat(c:lines(), "\n"):find("hello " .. i, 1, true) end, 10000)
  end
end)

test("all clients join again when the mission changes", function()
  local ann, entered = client { name = "Ann" }, 0
  function GameConnection.onClientEnterGame() entered = entered + 1 end
  ann:lines()
  onMissionEnd(1)
  wait(200)
  equal(ann:lines(), { "The mission is over." })
  onMissionLoaded(2, "next")
  onMissionEnd(2)                        -- nobody plays yet, so nobody gets the message
  onMissionLoaded(3, "next but one")
  wait(200)
  equal(ann:lines(), {})
  waitFor(function() return entered == 1 end)
  waitFor(function() return ann.joined end)
  GameConnection.onClientEnterGame = nil
end)

test("an answer to an older mission is ignored", function()
  local ann = client { name = "Ann" }
  ann:command("MissionStartPhase3Ack", 1)
  ann:command("MissionStartPhase1Ack", 99)
  wait(300)
  equal(ann.joined, true)
end)

test("changed datablocks reach clients in the game", function()
  local ann = client { name = "Ann" }
  local ball = datablock "ItemData" "TestBall" { mass = 2 }
  waitFor(function() return ann:lua [[isObject("TestBall") and find("TestBall").mass == 2]] end)
  ball.mass = 7
  waitFor(function() return ann:lua [[find("TestBall").mass == 7]] end)
end)
