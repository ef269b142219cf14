local function count()
  local n = 0
  for c in clientGroup:each() do
    if c.isBot then n = n + 1 end
  end
  return n
end

test("the number of bots follows sv.bots", function()
  equal(count(), 0)
  console "sv.bots 6"
  wait(500)
  equal(count(), 6)
  for c in clientGroup:each() do equal(c.phase, "game", c.name) end
  console "sv.bots 2"
  wait(500)
  equal(count(), 2)
end)

test("a kicked bot is replaced", function()
  for c in clientGroup:each() do
    if c.isBot then c:disconnect("out") break end
  end
  ticks(1)
  equal(count(), 1)
  wait(500)
  equal(count(), 2)
  console "sv.bots 0"
  wait(500)
  equal(count(), 0)
end)

test("bots without a script of their own walk around and look for targets", function()
  local bot = addBot "Ember"
  local body = new "Player" { dataBlock = datablock "PlayerData" "TestBody" {}, position = spawnPoint() }
  bot:setControlObject(body)
  bot:add(body)
  local from = body.position
  waitFor(function() return (body.position - from):length() > 3 end, 8000, "it stands still")
  local other = new "Player" { dataBlock = "TestBody", position = body.position + vec(10, 0, 0) }
  waitFor(function() return bots.enemy(body) == other end)
  bot:disconnect()
  other:delete()
end)
