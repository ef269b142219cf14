local kept = {} -- stands for the store, which a new server reads
override(import "base", "keep", function(_, key, value) kept[key] = value end)
override(import "base", "kept", function(_, key)
  local value = kept[key]
  kept[key] = nil
  return value
end)

-- again does in this server what happens when Ann comes back after a restart.
local function again(ann, mission)
  round.kept = import("base").kept "deathmatch round"
  onMissionLoaded(1, mission)
  ann.client.own.body:delete()
  ann.client.own.frags = nil
  GameConnection.onClientEnterGame(ann.client)
end

test("after a restart the round goes on, and players are where they were", function()
  local ann = client { name = "Ann" }
  ann.client.own.frags = 7
  ann.client.own.body.damageLevel = 30
  ticks(60)
  local place, left = ann.client.own.body.position, round.ends - now()
  onShutdown(true)
  again(ann, "arena")
  equal({ ann.client.own.frags, ann.client.own.body.damageLevel, round.running }, { 7, 30, true })
  near(ann.client.own.body.position, place, 0.1)
  near(round.ends - now(), left, 100)
  equal(next(kept), nil)
end)

test("an ordinary end and another mission begin anew", function()
  local ann = client { name = "Ann" }
  ann.client.own.frags = 7
  onShutdown(false)
  equal(next(kept), nil)
  onShutdown(true)
  again(ann, "field")
  equal({ ann.client.own.frags, round.running }, { 0, true })
  near(round.ends - now(), 600000, 100)
end)
