local game = require "test.game"
local match = require "server.match"
local teams = require "server.teams"
local players = require "server.players"
local loadouts = require "server.loadouts"
local score = require "server.score"

-- These overrides stand for the store, which a new server reads.
local kept = {}
override(import "base", "keep", function(_, key, value) kept[key] = value end)
override(import "base", "kept", function(_, key)
  local value = kept[key]
  kept[key] = nil
  return value
end)

-- restarted does in this server what happens to the match when the server starts again.
local function restarted()
  onShutdown(true)
  match.kept = import("base").kept "ctf match"
  match.begin(match.mission)
end

-- back does what happens when Ann comes back to it.
local function back(ann)
  players.remove(ann.client)
  teams.join(ann.client, nil)
  for name in pairs(ann.client.own) do ann.client.own[name] = nil end
  GameConnection.onClientEnterGame(ann.client)
end

test("after a restart the match goes on, and players are where they were", function()
  game.start()
  local ann = game.player("Ann", 2)
  score.add(ann.client, "kill")
  score.died(ann.client)
  players.change(ann.client, "heavy")
  game.body(ann).damageLevel = 20
  teams.points = { 1, 2 }
  local place, left = game.body(ann).position, match.left()
  restarted()
  equal(match.phase, "running")
  near(match.left(), left, 100)
  equal(teams.points, { 1, 2 })
  back(ann)
  local own = ann.client.own
  equal({ teams.of(ann.client), own.score, own.deaths, own.did.kill }, { 2, 1, 1, 1 })
  local body = game.body(ann)
  equal({ body.dataBlock.name, body.damageLevel, loadouts.weapon(body) }, { "HeavyArmor", 20, "DiscLauncher" })
  near(body.position, place, 0.1)
  equal(ann.client.controlObject, body)
end)

test("the dead respawn", function()
  game.start()
  local ann = game.player("Ann", 1)
  game.body(ann):damage(nil, vec(0, 0, 0), 1000, "disc")
  ticks(2)
  restarted()
  back(ann)
  equal(ann.client.own.deaths, 1)
  game.body(ann)
end)

test("an ordinary end keeps nothing, and a later match gives nothing back", function()
  game.start()
  local ann = game.player("Ann", 1)
  onShutdown(false)
  equal(next(kept), nil)
  score.add(ann.client, "kill")
  restarted()
  match.ends = now() -- the match ends before Ann is back
  ticks(2)
  back(ann)
  equal(ann.client.own.score, 0)
end)
