local game = require "test.game"
local players = require "server.players"
local loadouts = require "server.loadouts"
local score = require "server.score"
local match = require "server.match"
local base = import "base"

test("each player controls a body", function()
  local ann = client { name = "Ann" }
  local body = game.body(ann)
  equal(ann.client.controlObject, body)
  waitFor(function() return ann:lua("server.controlObject") == body end, 1000, "the client knows of no body")
  equal(body.shapeName, "Ann")
  ann:leave()
  waitFor(function() return not isObject(body) end, 2000, "the body stays when its client goes")
end)

test("players respawn four seconds after death", function()
  game.start()
  local ann, bob = game.player("Ann", 1), game.player("Bob", 2)
  score.clearAll()
  local body = game.body(ann)
  body:damage(game.body(bob), body.position, 1000, "chaingun")
  ticks(2)
  equal(players.alive(ann.client), nil)
  equal({ ann.client.own.deaths, bob.client.own.did.kill }, { 1, 1 })
  waitFor(function() return ann:hud(3) == "killed by Bob   back in 3 s" end, 1500, "no count-down on the screen")
  wait(2000)
  equal(players.alive(ann.client), nil)
  waitFor(function() return players.alive(ann.client) end, 1500, "no respawn")
  truthy(game.body(ann) ~= body, "another body")
  equal(ann.client.controlObject, game.body(ann))
  game.said(bob, "Bob gunned down Ann.")
end)

test("a dead player controls its body until it is back, and so keeps the radio of its team", function()
  game.start()
  local ann = game.player("Ann", 2)
  local body = game.body(ann)
  body:damage(nil, body.position, 1000, "")
  ticks(2)
  equal(players.alive(ann.client), nil)
  waitFor(function()
    equal(ann.client.controlObject.team, 2)
    return players.alive(ann.client)
  end, 5000, "no respawn")
end)

test("a team kill costs a point, a suicide nothing", function()
  local ann, bob = game.player("Ann", 1), game.player("Bob", 1)
  score.clearAll()
  local body = game.body(bob)
  body:damage(game.body(ann), body.position, 1000, "disc")
  ticks(2)
  equal(ann.client.own.score, score.worth.teamkill)
  body = game.body(ann)
  body:damage(body, body.position, 1000, "disc")
  wait(200)
  equal(ann.client.own.score, score.worth.teamkill)
  game.said(ann, "Ann did it alone.")
end)

test("hard landings do damage, soft ones do not", function()
  local ann = game.player("Ann")
  local body = game.body(ann)
  local easy = body.dataBlock.minImpactSpeed
  Armor.onImpact(Armor, body, easy + 10)
  equal(body.damageLevel, 20)
end)

test("a loadout changes the armor and keeps the damage", function()
  local ann = game.player("Ann")
  equal(loadouts.weapon(game.body(ann)), "DiscLauncher")
  game.body(ann).damageLevel = game.body(ann).dataBlock.maxDamage / 2
  players.change(ann.client, "heavy")
  local body = game.body(ann)
  equal(body.dataBlock.name, "HeavyArmor")
  near(body.damageLevel, body.dataBlock.maxDamage / 2, 0.01)
  equal(ann.client.controlObject, body)
end)

test("the slot keys change weapons, and each weapon keeps its ammunition", function()
  local ann = game.player("Ann")
  local body = game.body(ann)
  body:setImageAmmo(0, 3)
  ann:command("Key", "slot2")
  waitFor(function() return loadouts.weapon(body) == "Chaingun" end)
  ann:command("Key", "slot1")
  waitFor(function() return loadouts.weapon(body) == "DiscLauncher" end)
  equal(loadouts.left(body), 3)
  loadouts.refill(body)
  equal(loadouts.left(body), 15)
end)

test("ammunition is an inventory: dead players leave it, others take it, and the drop key throws it", function()
  game.start()
  local ann, bob = game.player("Ann", 1), game.player("Bob", 2)
  local body, other = game.body(ann), game.body(bob)
  game.put(bob, vec(60, 0, 200))
  game.put(ann, vec(0, 0, 200))
  body:setImageAmmo(0, 4)
  equal({ base.getInventory(body, "DiscAmmo"), base.maxInventory(body, "DiscAmmo"), base.maxInventory(body, "MortarAmmo") }, { 4, 15, 0 })
  ann:command("Key", "drop")
  waitFor(function() return base.getInventory(body, "DiscAmmo") == 0 end, 1000, "nothing is thrown")
  players.change(bob.client, "heavy")
  other = game.body(bob)
  equal(base.getInventory(other, "MortarAmmo"), 10)
  base.setInventory(other, "DiscAmmo", 9)
  other:damage(nil, other.position, 1000, "")
  local thing
  waitFor(function()
    for item in objects "Item" do
      if item.className == "Item" and item.dataBlock.name == "DiscAmmo" and item ~= thing and item.position.x > 30 then thing = item end
    end
    return thing
  end, 1000, "the dead leave nothing")
  game.put(ann, thing.position)
  waitFor(function() return base.getInventory(body, "DiscAmmo") == 9 end, 2000, "nothing is taken")
  equal(isObject(thing), false)
  waitFor(function() return ann:hud(16) == "+9 disc launcher" end, 1000, "Ann is not told")
end)

test("a player reads the names of weapons in the own language", function()
  local ann = client { name = "Ann", language = "de" }
  waitFor(function() return ann:hud(3):find "^Diskwerfer 15" end, 2000, "the weapon is not in German")
end)

test("the state of a weapon is on every screen", function()
  game.start()
  local ann, bob = game.player("Ann", 1), game.player("Bob", 2)
  game.put(ann, game.body(bob).position + vec(20, 0, 0))
  local function both(state)
    local seen = bob:lua [[(function()
      for o in server:each() do if o:isMemberOfClass "Player" and o.shapeName == "Ann" then return o:imageState(0) end end
    end)()]]
    return seen == state and ann:lua "server.controlObject:imageState(0)" == state
  end
  waitFor(function() return both "ready" end, 2000, "the weapon is not ready")
  ann:lua "server:setTrigger(0, true)"
  waitFor(function() return both "fire" end, 1000, "nobody sees the shot")
  ann:lua "server:setTrigger(0, false)"
  waitFor(function() return both "ready" end, 2000, "the weapon is not ready again")
end)

test("the HUD shows the player's state", function()
  local ann = game.player("Ann")
  waitFor(function() return ann:hud(3):find("disc launcher 15   health 100", 1, true) end, 2000, "no health on the screen")
  truthy(ann:hud(1):find("^Red %d+ : %d+ Blue"), ann:hud(1))
  ann:command("Rename", "Zoe")
  waitFor(function() return game.body(ann).shapeName == "Zoe" end)
end)

-- scores returns the table of scores on a client's screen, row by row, nil if there is none.
local function scores(c)
  local rows = {}
  for row in c:console "hud":gmatch "center ([^\n]+)" do rows[#rows + 1] = row end
  return rows[1] and rows
end

test("the scores are on the screen of a player who asks for them", function()
  game.start()
  local ann, bob = game.player("Ann"), game.player("Bob")
  equal(scores(ann), nil)
  ann:command("Key", "scores")
  local bot = addBot "Robot"
  waitFor(function() return (scores(ann) or {})[4] end, 2000, "no scores on the screen")
  local rows = scores(ann)
  equal(rows[1], "score  kills  captures  deaths  ping  team  player")
  truthy(rows[2]:find "^0  0  0  0  %d+  Red  Ann$", rows[2])
  equal(rows[4], "0  0  0  0  bot  Red  Robot")
  equal(scores(bob), nil, "Bob has not asked")
  bot:disconnect()
  ann:command("Rename", "Zoe")
  waitFor(function() return scores(ann)[2]:find "  Zoe$" and not scores(ann)[4] end, 2000, "the old list is on the screen")
  ann:command("Key", "scores")
  wait(100)
  equal(scores(ann), nil, "at once")
end)

test("everybody sees the scores when the match is over, each in their language, and asks again in the next", function()
  game.start()
  local ann, bob = game.player("Ann"), client { name = "Bob", language = "de" }
  ann:command("Key", "scores")
  wait(1000)
  match.ends = now()
  waitFor(function() return scores(ann) and scores(bob) end, 2000, "the scores are not there")
  waitFor(function() return ann:hud(1):find "over" end, 2000, "the screen does not say that it is over")
  equal({ scores(ann)[1], scores(bob)[1] }, {
    "score  kills  captures  deaths  ping  team  player", "Punkte  Siege  Flaggen  Tode  Ping  Team  Name",
  })
  match.ends = now()
  waitFor(function() return match.phase == "warmup" and ann.client.phase == "game" end, 3000, "no other mission")
  waitFor(function() return scores(ann) and not scores(bob) end, 2000, "Ann has asked for them, and Bob has not")
end)

test("the loadout menu is for the next body, and on a station for this one", function()
  game.start()
  local ann = game.player("Ann", 1)
  local body = game.body(ann)
  local function choose(n)
    ann:lua 'key "loadout"'
    wait(200)
    ann:lua(('key "slot%d"'):format(n))
    wait(200)
  end
  choose(3)
  equal({ ann.client.own.loadout, game.body(ann) }, { "heavy", body })
  players.spawn(ann.client)
  equal(game.body(ann).dataBlock.name, "HeavyArmor")
end)

test("only the own team sees a player's damage", function()
  game.start()
  local ann, bob, cal = game.player("Ann", 1), game.player("Bob", 1), game.player("Cal", 2)
  local body = game.body(ann)
  body:damage(nil, body.position, 20, "")
  local function seen(by)
    return by:lua [[(function()
      for o in server:each() do if o:isMemberOfClass "Player" and o.shapeName == "Ann" then return o.damageLevel end end
    end)()]]
  end
  waitFor(function() return math.abs(seen(bob) - body.damageLevel) < 1 and seen(bob) > 1 end, 1000, "the team does not see it")
  equal(seen(cal), 0)
  body.damageLevel = 1000
  waitFor(function()
    return cal:lua [[(function() for o in server:each() do if o:isMemberOfClass "Player" and o.shapeName == "Ann" then return o.destroyed end end end)()]]
  end, 1000, "everybody sees who is dead")
end)

test("an explosion throws ammunition some metres", function()
  game.start()
  local ann = game.player("Ann", 1)
  local at = game.body(ann).position + vec(0, 0, 200)
  for _, name in ipairs { "DiscAmmo", "ChaingunAmmo", "MortarAmmo" } do
    local box = new "Item" { dataBlock = name, position = at }
    missionGroup:add(box)
    radiusDamage(nil, at - vec(1, 0, 0), 16, 1, "mortar", 2500)
    truthy(box.velocity:length() > 5, "it is pushed")
    truthy(box.velocity:length() < 60, "as fast as a body at most")
    box:delete()
  end
end)
