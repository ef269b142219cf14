local game = require "test.game"
local match = require "server.match"
local teams = require "server.teams"
local flags = require "server.flags"
local score = require "server.score"

test("the first mission of the list is loaded, and the warm-up begins", function()
  equal(match.mission, match.missions()[1])
  equal(match.phase, "warmup")
  near(match.left(), 10000, 1000)
end)

test("after the warm-up the match begins, and all players respawn", function()
  local ann = game.player("Ann")
  ann.client.own.score = 7
  local body = game.body(ann)
  game.start()
  ticks(2)
  equal(ann.client.own.score, 0)
  equal(isObject(body), false, "the old body")
  game.body(ann)
  wait(200)
  game.said(ann, "The match has begun. First to 5 captures.")
end)

test("the capture limit ends the match, and listeners get the winner", function()
  local winner = "nobody was told"
  function onMatchEnd(team) winner = team end
  console "ctf.scoreLimit 2"
  match.point(2)
  equal(match.phase, "running")
  match.point(2)
  equal(match.phase, "over")
  equal(winner, 2)
  equal(import("ctf").match().points, { 0, 2 })
end)

test("the next mission is loaded after the pause", function()
  equal(match.next(), "ridge")
  match.ends = now()
  waitFor(function() return match.mission == "ridge" and match.phase == "warmup" end)
  equal(teams.points, { 0, 0 })
  truthy(flags.of(1) and flags.of(2), "it has flags")
  equal(match.next(), "valley", "the list goes round")
end)

test("the time limit ends the match, with or without a winner", function()
  local told, winner = false, nil
  function onMatchEnd(team) told, winner = true, team end
  console "ctf.timeLimit 7"
  game.start()
  near(match.left(), 7 * 60000, 1000)
  match.ends = now()
  ticks(2)
  equal({ told, winner }, { true, nil })
  equal(match.phase, "over")
end)

test("the best player leads the ranking", function()
  local ann, bob = game.player("Ann"), game.player("Bob")
  local function leads(first, second)
    ticks(32) -- the rest of a round, and a whole one
    local best = score.best
    equal({ #best, best[1].client, best[2].client }, { 2, first.client, second.client })
  end
  score.clearAll()
  score.add(bob.client, "kill")
  leads(bob, ann)
  score.add(ann.client, "capture")
  leads(ann, bob)
  local since = score.best.since
  bob.client:disconnect()
  ticks(32)
  equal(#score.best, 1)
  truthy(score.best.since > since, "it has changed")
end)

test("the ranking has the ten best, the older player first", function()
  local bots = {}
  for i = 1, 12 do bots[i] = addBot("Bot" .. i) end
  ticks(4)
  for i, bot in ipairs(bots) do bot.own.score = i % 4 end
  ticks(32)
  local list = {}
  for i, row in ipairs(score.best) do list[i] = row.name .. " " .. row.score end
  equal(list, { "Bot3 3", "Bot7 3", "Bot11 3", "Bot2 2", "Bot6 2", "Bot10 2", "Bot1 1", "Bot5 1", "Bot9 1", "Bot4 0" })
end)
