local function kill(victim, killer)
  local body = victim.client.own.body
  body:damage(killer.client.own.body, body.position, 1000, "rocket")
  ticks(2)
end

test("the arena is loaded, and players have a body and a weapon", function()
  local ann = client { name = "Ann" }
  local body = ann.client.own.body
  equal(ann.client.controlObject, body)
  equal(body:mountedImage(0).name, "RocketLauncher")
  ann:command("Key", "slot2")
  waitFor(function() return body:mountedImage(0).name == "RayGun" end)
end)

test("a frag counts for the killer, and the victim respawns after two seconds", function()
  local told = {}
  function onFrag(c) told[#told + 1] = c.name end
  local ann, bob = client { name = "Ann" }, client { name = "Bob" }
  local body = bob.client.own.body
  kill(bob, ann)
  equal({ ann.client.own.frags, bob.client.own.frags, told }, { 1, 0, { "Ann" } })
  wait(1500)
  equal(bob.client.own.body, body)
  wait(700)
  truthy(bob.client.own.body ~= body, "Bob has no other body")
  equal(bob.client.controlObject, bob.client.own.body)
end)

test("a suicide gives no frag", function()
  local ann = client { name = "Ann" }
  kill(ann, ann)
  equal(ann.client.own.frags, 0)
end)

test("the frag limit ends the round, and the next one starts at 0", function()
  local winner, frags
  function onRoundEnd(c, n) winner, frags = c.name, n end
  console "dm.fragLimit 2"
  local ann, bob = client { name = "Ann" }, client { name = "Bob" }
  kill(bob, ann)
  wait(2100)
  kill(bob, ann)
  equal({ winner, frags }, { "Ann", 2 })
  wait(2100)
  kill(bob, ann)
  equal(ann.client.own.frags, 2, "between two rounds nothing counts")
  wait(8000)
  equal(ann.client.own.frags, 0)
  truthy(not bob.client.own.body:isDestroyed())
end)

test("the HUD shows the clock and, on request, the scores in columns", function()
  local ann = client { name = "Ann" }
  waitFor(function() return ann:hud(1):find("^0 frags   %d+:%d%d left$") end, 2000)
  for line = 2, 14 do equal(ann:hud(line), "", line) end
  local function shows(text) return (ann:console "hud"):find(text) end
  equal(shows "center", nil)
  ann:command("Key", "scores")
  waitFor(function() return shows "center frags  ping  player\ncenter 0  %d+  Ann$" end, 2000)
  ann:command("Rename", "Zoe")
  waitFor(function() return ann.client.controlObject.shapeName == "Zoe" and shows "center 0  %d+  Zoe$" end, 2000)
  ann:command("Key", "scores")
  wait(200)
  equal(shows "center", nil)
end)

test("between two rounds everybody sees the scores, each in their language", function()
  local ann, bob = client { name = "Ann" }, client { name = "Bob", language = "de" }
  wait(2500) -- a round of turns, and one in which they are seen
  round.ends = now()
  waitFor(function() return (ann:console "hud"):find "center frags  ping  player" end, 2000)
  waitFor(function() return (bob:console "hud"):find "center Treffer  Ping  Name" end, 2000)
  round.ends = now()
  waitFor(function() return not ((ann:console "hud") .. (bob:console "hud")):find "center" end, 2000)
end)

test("the scoreboard has the ten best, the older player first", function()
  local ann, bots = client { name = "Ann" }, {}
  for i = 1, 12 do bots[i] = addBot("Bot" .. i) end
  ticks(4)
  for i, bot in ipairs(bots) do
    bot.own.body:delete() -- no bot frags another
    bot.own.frags = i % 4
  end
  ann:command("Key", "scores")
  ticks(96) -- the rest of a round of turns, a whole one, and one in which Ann sees it
  local list = {}
  for row in (ann:console "hud"):gmatch "center ([^\n]+)" do list[#list + 1] = row end
  equal(table.remove(list, 1), "frags  ping  player")
  local bot = "%d  bot  Bot%d"
  local want = {}
  for i, n in ipairs { 3, 7, 11, 2, 6, 10, 1, 5, 9 } do want[i] = bot:format(n % 4, n) end
  equal({ unpack(list, 1, 9) }, want)
  truthy(list[10]:find("^0  %d+  Ann$"), list[10])
end)
