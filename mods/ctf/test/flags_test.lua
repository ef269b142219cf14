local game = require "test.game"
local flags = require "server.flags"
local teams = require "server.teams"
local match = require "server.match"
local score = require "server.score"

local RED, BLUE = 1, 2

test("flags stay at home until the match starts", function()
  local red = game.player("Red", RED)
  equal(match.phase, "warmup")
  game.put(red, flags.of(BLUE).position)
  equal(flags.of(RED).home, true)
  equal(flags.of(BLUE).home, true)
  near(flags.of(BLUE).position, flags.of(BLUE).own.stand)
end)

test("an enemy who touches a flag carries it", function()
  game.start()
  local red = game.player("Red", RED)
  red:lines()
  game.put(red, flags.of(BLUE).position)
  local flag = flags.of(BLUE)
  equal(flag.carrier, game.body(red))
  equal(flag.home, false)
  game.put(red, vec(0, 0, 60))
  near(flag.position, game.body(red).position + vec(0, 0, 1), 0.5)
  wait(200)
  game.said(red, "Red has taken the Blue flag!")
end)

test("a carrier who leaves drops the flag", function()
  equal(flags.of(BLUE).carrier, nil, "of who left with the last test")
  equal(flags.of(BLUE).home, false)
end)

test("players cannot take their own team's flag", function()
  game.start()
  local red = game.player("Red", RED)
  game.put(red, flags.of(RED).position)
  equal(flags.of(RED).home, true)
  equal(flags.carried(game.body(red)), nil)
end)

test("a capture at the own flag gives the team one point and the player five", function()
  game.start()
  local red = game.player("Red", RED)
  score.clear(red.client)
  local before = teams.points[RED]
  game.put(red, flags.of(BLUE).own.stand)
  truthy(flags.carried(game.body(red)), "he has the flag")
  game.put(red, flags.of(RED).own.stand)
  equal(teams.points[RED], before + 1)
  equal({ red.client.own.score, red.client.own.did.capture }, { score.worth.capture, 1 })
  equal(flags.of(BLUE).home, true)
end)

test("no capture while the own flag is away", function()
  game.start()
  local red, blue = game.player("Red", RED), game.player("Blue", BLUE)
  local before = teams.points[RED]
  game.put(blue, flags.of(RED).own.stand)
  game.put(blue, vec(0, 0, 60))
  game.put(red, flags.of(BLUE).own.stand)
  game.put(red, flags.of(RED).own.stand)
  equal(teams.points[RED], before)
  equal(flags.of(BLUE).carrier, game.body(red), "he has to wait with it")
end)

test("a dropped flag stays in place, and a teammate's touch returns it", function()
  game.start()
  local red, blue = game.player("Red", RED), game.player("Blue", BLUE)
  score.clear(blue.client)
  local heard
  function onFlagReturned(flag) heard = flag.team end
  game.put(red, flags.of(BLUE).own.stand)
  game.put(red, vec(30, 0, terrainHeight(30, 0) + 1))
  red:command("Key", "drop")
  waitFor(function() return flags.of(BLUE).carrier == nil end)
  equal(flags.of(BLUE).home, false)
  game.put(red, vec(200, 0, 60))
  game.put(blue, flags.of(BLUE).position)
  equal(flags.of(BLUE).home, true)
  near(flags.of(BLUE).position, flags.of(BLUE).own.stand)
  equal(blue.client.own.score, score.worth.flagreturn)
  equal(heard, BLUE, "other mods are told")
end)

test("a player who dropped the flag cannot take it again immediately", function()
  game.start()
  local red = game.player("Red", RED)
  game.put(red, flags.of(BLUE).own.stand)
  flags.dropped(game.body(red))
  ticks(10)
  equal(flags.of(BLUE).carrier, nil)
  wait(1500)
  equal(flags.of(BLUE).carrier, game.body(red))
end)

test("a dropped flag returns after ctf.flagReturn seconds", function()
  console "ctf.flagReturn 3"
  local heard
  function onFlagReturned(flag) heard = flag.team end
  game.start()
  local red = game.player("Red", RED)
  game.put(red, flags.of(BLUE).own.stand)
  game.put(red, vec(0, 0, 40))
  flags.dropped(game.body(red))
  game.body(red).position = vec(200, 0, 60)
  wait(2500)
  equal(flags.of(BLUE).home, false)
  wait(1000)
  equal(flags.of(BLUE).home, true)
  equal(heard, BLUE, "other mods are told")
end)

test("a killed carrier drops the flag, and the killer gets extra points", function()
  game.start()
  local red, blue = game.player("Red", RED), game.player("Blue", BLUE)
  score.clear(blue.client)
  game.put(red, flags.of(BLUE).own.stand)
  local body = game.body(red)
  body:damage(game.body(blue), body.position, 1000, "disc")
  waitFor(function() return flags.of(BLUE).carrier == nil end)
  equal(blue.client.own.did.carrierkill, 1)
  equal(blue.client.own.score, score.worth.carrierkill)
end)

test("listeners of other mods are called", function()
  local heard = {}
  function onFlagTaken(flag, player) heard[#heard + 1] = "taken " .. flag.team end
  function onFlagDropped(flag) heard[#heard + 1] = "dropped " .. flag.team end
  game.start()
  local red = game.player("Red", RED)
  game.put(red, flags.of(BLUE).own.stand)
  flags.dropped(game.body(red))
  equal(heard, { "taken 2", "dropped 2" })
end)
